// Incidents and messages that the rules require of a simulated Resource, and the facts for its Templates' rules.
import type { ResourceFacts } from './facts.ts'
import { type ExpectedIncident, type ExpectedMessage, type ExpectedNext, incidentsOf } from './incidents.ts'
import type { Resource } from './resource.ts'
import { type Held, ofOwnInstants, Past, stepsOf, tenuresOf } from './truths.ts'

/** One possible way in which keepers notice the injected faults. */
export interface Variant {
  held: readonly Held[]
  away: readonly { from: number; until: number }[]
  /**
   * True: a silence that a keeper noticed late counts from the instant at which it began, not from the instant at which the keeper noticed
   * it.
   */
  isOwnInstant: boolean
  /**
   * True: time alone can cause a judgement at another rule of the Resource. A silence that a keeper noticed late counts from the last
   * judgement of this kind at the earliest.
   */
  isAfterOthers: boolean
  /**
   * Concerns a report that a keeper stored, but did not judge before it died. True: the report is judged at the instant at which its sender
   * repeats it. False: at the report's own instant.
   */
  isStrayLate: boolean
}

/** The only variant of a run without injected faults. */
export const calm: Variant = { held: [], away: [], isOwnInstant: false, isAfterOthers: false, isStrayLate: false }

export interface Expected {
  incidents: ExpectedIncident[]
  messages: ExpectedMessage[]
  /** By rule: the next step of the open incident. */
  nexts: Map<string, ExpectedNext | null>
  /** By rule: the instants at which its result changed, ms. */
  changes: Map<string, readonly number[]>
}

export function expectedOf(resource: Resource, variant: Variant, until: number): Expected {
  const { held, away, isOwnInstant, isAfterOthers, isStrayLate } = variant
  const { house } = resource
  const facts = isStrayLate ? withLateStrays(resource.facts) : resource.facts
  const all: Expected = { incidents: [], messages: [], nexts: new Map(), changes: new Map() }
  for (const tenure of tenuresOf(facts, house.revisions)) {
    if (tenure.from > until) continue
    const past = pastOf({ facts, house }, tenure.template.key, tenure.template.version)
    const judged = stepsOf(facts, tenure, past, held, until, isAfterOthers)
    const steps = isOwnInstant ? ofOwnInstants(judged) : judged
    const { from, endsAt, reason, rule } = tenure
    const isHere = (at: number) => at >= from && (endsAt === null || at <= endsAt)
    const acknowledgedAt = facts.acknowledgements.filter(one => one.rule === rule.key && isHere(one.at)).map(({ at }) => at)
    const flapping = rule.wait.flapping ?? null
    const around = { rule: rule.key, flapping, windows: facts.windows, acknowledgedAt, away, until, endsAt, reason }
    const { incidents, messages, next, changes } = incidentsOf(steps, around)
    all.nexts.set(rule.key, next)
    all.changes.set(rule.key, changes)
    all.incidents.push(...incidents)
    all.messages.push(...messages)
  }
  for (const { rule, at } of facts.acknowledgements) all.messages.push({ rule, kind: 'acknowledged', at, slackMs: 0 })
  return all
}

const late = new WeakMap<ResourceFacts, { as: string; facts: ResourceFacts }>()

function withLateStrays(facts: ResourceFacts): ResourceFacts {
  const as = `${facts.sorted} ${facts.events.length}`
  const known = late.get(facts)
  // The earlier copy takes the present facts of the Resource, except for `events`: its own events have other instants.
  if (known?.as === as) return Object.assign(known.facts, facts, { events: known.facts.events })
  const events = facts.events.map(event => (event.kind === 'observed' ? { ...event, at: event.repeatedAt ?? event.at } : event))
  const moved = { ...facts, events: events.sort((one, other) => one.at - other.at) }
  late.set(facts, { as, facts: moved })
  return moved
}

/** Cache of computed truths by Resource. Later events do not change the truths that are already in the cache. */
const pasts = new WeakMap<ResourceFacts, { sorted: number; byTemplate: Map<string, Past> }>()

export function pastOf({ facts, house }: Pick<Resource, 'facts' | 'house'>, key: string, version: number): Past {
  let known = pasts.get(facts)
  if (known === undefined || known.sorted !== facts.sorted) {
    known = { sorted: facts.sorted, byTemplate: new Map() }
    pasts.set(facts, known)
  }
  const name = `${key}@${version}`
  const past = known.byTemplate.get(name) ?? new Past(facts, house.revisions.get(name)!)
  known.byTemplate.set(name, past)
  return past
}
