// Status of a Template's rule over time, recomputed from the acknowledged events alone at every instant at which it could change. The
// computation is slow and plain: it keeps no state from one instant to the next. Reference: docs/reference/v3.md, section 4.
import type { DecisionNode, Template, TemplateRule } from '#shared/contracts/resources/template.ts'
import { type NaiveFacts, type NaiveObservation, type NaiveTruth, naiveTruth } from '../../judging/naive-decision.ts'
import { naiveExplanation } from '../../judging/naive-words.ts'
import type { Event, ResourceFacts } from './facts.ts'
import type { Revisions } from './templates.ts'

/** Time in which silence is held back, from `from` until `until`. In this time, only silence before the instant `to` counts (v3 4.11). */
export interface Held {
  from: number
  until: number
  to: number
}

export interface Step {
  at: number
  /** Instant of the judgement. It is later than `at` only for a silence that was held back. */
  knownAt: number
  /** Cause of the step. At one instant, steps by time come before inputs. */
  by: 'time' | 'input'
  /** True if the Resource was judged at this instant. A report on a signal that no rule reads leads to no judgement. */
  isJudged: boolean
  /** `true`: a problem; `unknown`: the incident must not change. */
  truth: NaiveTruth
  /** True if the held-back silence would change the truth. The incident must not change then. */
  isProvisional: boolean
  confirmAfterMs: number
  closeAfterMs: number
}

/** Period in which a Resource has one rule: from its creation or a rebind to the next rebind. */
export interface Tenure {
  rule: TemplateRule
  template: Template
  from: number
  /** `first`: index of the event that binds the Resource. `end`: index after the last event of the period. */
  first: number
  end: number
  /** End of the period; null: the rule is still in force. */
  endsAt: number | null
  reason: 'rule_removed' | 'resource_archived' | null
}

export function tenuresOf({ events }: Pick<ResourceFacts, 'events'>, revisions: Revisions): Tenure[] {
  const tenures: Tenure[] = []
  const isBeginning = (event: Event) => event.kind === 'bound' && event.isRebound
  for (const [first, event] of events.entries()) {
    if (!isBeginning(event) || event.kind !== 'bound') continue
    const next = events.findIndex((one, i) => i > first && (isBeginning(one) || one.kind === 'archived'))
    const end = next < 0 ? events.length : next
    const ending = events[next]
    const template = revisions.get(event.template) as Template
    const reason = ending === undefined ? null : ending.kind === 'archived' ? 'resource_archived' : 'rule_removed'
    for (const rule of template.rules)
      tenures.push({ rule, template, from: event.at, first, end, endsAt: ending?.at ?? null, reason })
  }
  return tenures
}

/** Facts for the judgement of rules after the first `count` events. */
export class Past {
  readonly #facts: ResourceFacts
  readonly #template: Template
  readonly #cache = new Map<number, NaiveFacts>()
  readonly #truths = new Map<DecisionNode, Map<string, NaiveTruth>>()
  readonly #changes = new Map<DecisionNode, Map<string, boolean>>()

  constructor(facts: ResourceFacts, template: Template) {
    this.#facts = facts
    this.#template = template
  }

  after(count: number): NaiveFacts {
    const known = this.#cache.get(count)
    if (known !== undefined) return known
    const { events } = this.#facts
    const bound = events.findLastIndex((event, i) => i < count && event.kind === 'bound')
    const facts = bound === count - 1 ? this.#anew(bound, count) : this.#grown(count)
    this.#cache.set(count, facts)
    return facts
  }

  #anew(bound: number, count: number): NaiveFacts {
    const { events } = this.#facts
    const { signalIds, answers } = events[bound] as Extract<Event, { kind: 'bound' }>
    const observations = events.slice(0, count).flatMap(event => observationOf(event, signalIds))
    return { signals: this.#template.signals, observations, answers: answers as Record<string, number> }
  }

  /** Returns the facts after `count` events, from the facts after one event fewer. */
  #grown(count: number): NaiveFacts {
    const { events } = this.#facts
    const before = this.after(count - 1)
    const binding = events.findLast((event, i) => i < count && event.kind === 'bound') as Extract<Event, { kind: 'bound' }>
    return { ...before, observations: [...before.observations, ...observationOf(events[count - 1] as Event, binding.signalIds)] }
  }

  truth(decision: DecisionNode, count: number, at: number, silenceAt: number): NaiveTruth {
    const key = `${count} ${at} ${silenceAt}`
    const truths = this.#truths.get(decision) ?? new Map<string, NaiveTruth>()
    this.#truths.set(decision, truths)
    const known = truths.get(key)
    if (known !== undefined) return known
    const truth = naiveTruth(decision, this.after(count), at, silenceAt)
    truths.set(key, truth)
    return truth
  }

  /** Returns whether time alone changes the input of a decision at this instant. */
  isChangedBy(decision: DecisionNode, count: number, at: number): boolean {
    const key = `${count} ${at}`
    const changes = this.#changes.get(decision) ?? new Map<string, boolean>()
    this.#changes.set(decision, changes)
    const known = changes.get(key)
    if (known !== undefined) return known
    const [before, after] = [at - 1, at].map(now => naiveExplanation(decision, this.after(count), now, now))
    changes.set(key, before !== after)
    return before !== after
  }
}

/** Returns the Observation of the event under the present key of its signal; empty if the signal does not exist. */
function observationOf(event: Event, signalIds: Readonly<Record<string, string>>): NaiveObservation[] {
  if (event.kind !== 'observed') return []
  const signal = Object.keys(signalIds).find(key => signalIds[key] === event.observation.signalId)
  return signal === undefined ? [] : [{ ...event.observation, signal }]
}

/** Returns the steps until `until`, including those due at that instant. `held` is in the order of time. */
export function stepsOf(
  facts: ResourceFacts,
  tenure: Tenure,
  past: Past,
  held: readonly Held[],
  until: number,
  withOthers = false,
): Step[] {
  const { events } = facts
  const { rule, first, end } = tenure
  const last = Math.min(until, tenure.endsAt ?? until)
  const own = candidates(past.after(end), rule, held)
  const others = new Set(withOthers ? judgedOfOthers(facts, tenure, past, held).filter(at => !own.includes(at)) : [])
  const times = [...own, ...others].filter(at => at > tenure.from && at <= last).sort((one, other) => one - other)
  const steps: Step[] = []
  let count = first
  const judge = (at: number, by: Step['by'], isJudged = false) => {
    const silenceAt = silenceTo(held, at)
    const says = past.truth(rule.decision, count, at, silenceAt)
    const isProvisional = silenceAt < at && past.truth(rule.decision, count, at, at) !== says
    const truth = isProvisional ? 'unknown' : says
    steps.push({ at, knownAt: at, by, isJudged, truth, isProvisional, ...waitsOf(rule, past.after(count)) })
  }
  for (const at of times) {
    while (count < end && (events[count] as Event).at < at) take()
    judge(at, 'time', others.has(at))
  }
  while (count < end) take()
  return steps

  function take(): void {
    count += 1
    const event = events[count - 1] as Event
    judge(event.at, 'input', isRead(event, past.after(count)))
  }
}

/** Returns whether an event leads to a new judgement of the rules. */
function isRead(event: Event, { signals, observations }: NaiveFacts): boolean {
  if (event.kind === 'bound') return !event.isDeclared
  const { identity } = (event as Extract<Event, { kind: 'observed' }>).observation
  const observed = observations.findLast(one => one.identity === identity)
  return signals.some(({ key }) => key === observed?.signal)
}

/**
 * Returns the same steps, but a silence that was noticed late counts from the instant at which it began. If the rule was judged between
 * that instant and the notice, the silence counts from the last of these judgements.
 */
export function ofOwnInstants(steps: readonly Step[]): Step[] {
  const moved: Step[] = []
  for (const step of steps) {
    let { at } = step
    if (step.by === 'time' && !step.isProvisional && moved.at(-1)?.isProvisional === true) {
      while (moved.at(-1)?.isProvisional === true && moved.at(-1)?.isJudged === false) at = (moved.pop() as Step).at
      const before = moved.at(-1)
      if (before?.isProvisional === true) at = before.at
    }
    moved.push({ ...step, at })
  }
  return moved
}

/** Returns the status that a reader gets at `at`, after the first `count` events. */
export function statusAt(past: Past, rule: TemplateRule, count: number, at: number, silenceAt: number) {
  const facts = past.after(count)
  const isHeard = facts.observations.some(({ signal }) => namedIn(rule.decision).signals.has(signal))
  const truth = past.truth(rule.decision, count, at, silenceAt)
  if (truth === 'unknown') return isHeard ? 'no_data' : null
  return truth === 'true' ? 'problem' : 'ok'
}

export const silenceTo = (held: readonly Held[], at: number): number =>
  Math.min(at, ...held.filter(one => at >= one.from && at < one.until).map(one => one.to))

/**
 * Returns the instants at which time alone changes the input of another rule while silence is held back. All rules are judged at these
 * instants.
 */
function judgedOfOthers({ events }: ResourceFacts, { rule, template, first, end }: Tenure, past: Past, held: readonly Held[]) {
  const rules = template.rules.filter(({ key }) => key !== rule.key)
  return rules.flatMap(other =>
    candidates(past.after(end), other, []).filter(at => {
      if (!held.some(one => at >= one.from && at < one.until)) return false
      const count = events.findIndex((event, i) => i >= first && i < end && event.at >= at)
      return past.isChangedBy(other.decision, count < 0 ? end : count, at)
    }),
  )
}

/** Returns every instant at which time alone could change the rule's status. */
function candidates({ observations, signals }: NaiveFacts, { decision }: TemplateRule, held: readonly Held[]): number[] {
  const instants = new Set<number>(held.flatMap(({ from, until }) => [from, until]))
  const { signals: read, seconds } = namedIn(decision)
  for (const { signal, atUs } of observations) {
    if (!read.has(signal)) continue
    const { everySeconds } = signals.find(({ key }) => key === signal) ?? { everySeconds: null }
    const windows = [...seconds, ...(typeof everySeconds === 'number' ? [3 * everySeconds] : [])]
    for (const window of windows) instants.add(Math.floor(atUs / 1_000) + window * 1_000 + 1)
  }
  return [...instants].sort((one, other) => one - other)
}

const everything = (node: unknown): Record<string, unknown>[] =>
  typeof node !== 'object' || node === null ? [] : [node as Record<string, unknown>, ...Object.values(node).flatMap(everything)]

const known = new WeakMap<object, { signals: Set<string>; seconds: Set<number> }>()

/** Returns the signals and windows in a decision. */
function namedIn(decision: DecisionNode): { signals: Set<string>; seconds: Set<number> } {
  const before = known.get(decision)
  if (before !== undefined) return before
  const nodes = everything(decision)
  const signals = new Set(nodes.flatMap(({ signal }) => (typeof signal === 'string' ? [signal] : [])))
  const seconds = new Set(nodes.flatMap(({ within_seconds }) => (typeof within_seconds === 'number' ? [within_seconds] : [])))
  known.set(decision, { signals, seconds })
  return { signals, seconds }
}

function waitsOf({ wait }: TemplateRule, { answers }: NaiveFacts): Pick<Step, 'confirmAfterMs' | 'closeAfterMs'> {
  const msOf = (seconds: typeof wait.confirmAfter) =>
    1_000 * (typeof seconds === 'number' ? seconds : (answers[seconds.meta] as number))
  return { confirmAfterMs: msOf(wait.confirmAfter), closeAfterMs: msOf(wait.recoverAfter) }
}
