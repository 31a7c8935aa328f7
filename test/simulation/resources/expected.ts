// The incidents and messages of a simulated Resource as the rules have them, and the facts by which its Templates' rules are judged.
import type { ResourceFacts } from './facts.ts'
import { type ExpectedIncident, type ExpectedMessage, type ExpectedNext, incidentsOf } from './incidents.ts'
import type { Resource } from './resource.ts'
import { type Held, ofOwnInstants, Past, stepsOf, tenuresOf } from './truths.ts'

/** One way in which the blows may have been noticed. */
export interface Variant {
  held: readonly Held[]
  away: readonly { from: number; until: number }[]
  /** A silence that is heard after all counts from its own instant, not from when it was heard. */
  isOwnInstant: boolean
}

export interface Expected {
  incidents: ExpectedIncident[]
  messages: ExpectedMessage[]
  /** By rule: the next step of its open incident. */
  nexts: Map<string, ExpectedNext | null>
}

export function expectedOf(resource: Resource, { held, away, isOwnInstant }: Variant, until: number): Expected {
  const { facts, house } = resource
  const all: Expected = { incidents: [], messages: [], nexts: new Map() }
  for (const tenure of tenuresOf(facts, house.revisions)) {
    if (tenure.from > until) continue
    const past = pastOf(resource, tenure.template.key, tenure.template.version)
    const judged = stepsOf(facts, tenure, past, held, until)
    const steps = isOwnInstant ? ofOwnInstants(judged) : judged
    const { from, endsAt, reason, rule } = tenure
    const isHere = (at: number) => at >= from && (endsAt === null || at <= endsAt)
    const acknowledgedAt = facts.acknowledgements.filter(one => one.rule === rule.key && isHere(one.at)).map(({ at }) => at)
    const around = { rule: rule.key, windows: facts.windows, acknowledgedAt, away, until, endsAt, reason }
    const { incidents, messages, next } = incidentsOf(steps, around)
    all.nexts.set(rule.key, next)
    all.incidents.push(...incidents)
    all.messages.push(...messages)
  }
  for (const { rule, at } of facts.acknowledgements) all.messages.push({ rule, kind: 'acknowledged', at, slackMs: 0 })
  return all
}

/** The truths of one life are asked for again and again: later events change none of them. */
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
