// The status of a Template's rule over time, recomputed from the acknowledged events alone at every instant at which it could change.
// Slow and plain: no state is carried from one instant to the next. Rules: docs/reference/v3.md, section 4.
import type { DecisionNode, Template, TemplateRule } from '#shared/contracts/template.ts'
import { type NaiveFacts, type NaiveObservation, type NaiveTruth, naiveTruth } from '../../judging/naive-decision.ts'
import type { Event, ResourceFacts } from './facts.ts'
import type { Revisions } from './templates.ts'

/** A time in which silence is held back: it counts up to `to` only (v3 4.11). */
export interface Held {
  from: number
  until: number
  to: number
}

export interface Step {
  at: number
  /** An input belongs behind everything that was due by its instant. */
  by: 'time' | 'input'
  /** The Resource was judged at this instant, whatever was held back: a report on a signal that no rule reads judges nothing. */
  isJudged: boolean
  /** True: a problem; unknown: nothing may move. */
  truth: NaiveTruth
  /** It would be another truth if silence counted that is held back: nothing may move. */
  isProvisional: boolean
  confirmAfterMs: number
  closeAfterMs: number
}

/** A time in which a Resource has one rule: from its making or a rebind to the next one. */
export interface Tenure {
  rule: TemplateRule
  template: Template
  from: number
  /** Indices of its events: the binding, and the one behind the last. */
  first: number
  end: number
  /** How it ends; null: it goes on. */
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

/** The facts that a rule is judged by after the first `count` events. */
export class Past {
  readonly #facts: ResourceFacts
  readonly #template: Template
  readonly #cache = new Map<number, NaiveFacts>()
  readonly #truths = new Map<DecisionNode, Map<string, NaiveTruth>>()

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

  /** One event further on. */
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
}

/** Under the key that its signal has now, if it has one. */
function observationOf(event: Event, signalIds: Readonly<Record<string, string>>): NaiveObservation[] {
  if (event.kind !== 'observed') return []
  const signal = Object.keys(signalIds).find(key => signalIds[key] === event.observation.signalId)
  return signal === undefined ? [] : [{ ...event.observation, signal }]
}

/** Steps until `until`, those due at that instant included; `held` in the order of time. */
export function stepsOf(facts: ResourceFacts, tenure: Tenure, past: Past, held: readonly Held[], until: number): Step[] {
  const { events } = facts
  const { rule, first, end } = tenure
  const last = Math.min(until, tenure.endsAt ?? until)
  const times = candidates(past.after(end), rule, held).filter(at => at > tenure.from && at <= last)
  const steps: Step[] = []
  let count = first
  const judge = (at: number, by: Step['by'], isJudged = false) => {
    const silenceAt = silenceTo(held, at)
    const says = past.truth(rule.decision, count, at, silenceAt)
    const isProvisional = silenceAt < at && past.truth(rule.decision, count, at, at) !== says
    const truth = isProvisional ? 'unknown' : says
    steps.push({ at, by, isJudged, truth, isProvisional, ...waitsOf(rule, past.after(count)) })
  }
  for (const at of times) {
    while (count < end && (events[count] as Event).at < at) take()
    judge(at, 'time')
  }
  while (count < end) take()
  return steps

  function take(): void {
    count += 1
    const event = events[count - 1] as Event
    judge(event.at, 'input', isRead(event, past.after(count)))
  }
}

/** Whether the rules are judged anew, of the facts after an event. */
function isRead(event: Event, { signals, observations }: NaiveFacts): boolean {
  if (event.kind === 'bound') return !event.isDeclared
  const { identity } = (event as Extract<Event, { kind: 'observed' }>).observation
  const observed = observations.findLast(one => one.identity === identity)
  return signals.some(({ key }) => key === observed?.signal)
}

/** The same, but that a silence which is heard after all has been there since its own instant, or since what was judged last. */
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

/** The status that a reader is given at `at`, after the first `count` events. */
export function statusAt(past: Past, rule: TemplateRule, count: number, at: number, silenceAt: number) {
  const facts = past.after(count)
  const isHeard = facts.observations.some(({ signal }) => signalsIn(rule.decision).has(signal))
  const truth = past.truth(rule.decision, count, at, silenceAt)
  if (truth === 'unknown') return isHeard ? 'no_data' : null
  return truth === 'true' ? 'problem' : 'ok'
}

export const silenceTo = (held: readonly Held[], at: number): number =>
  Math.min(at, ...held.filter(one => at >= one.from && at < one.until).map(one => one.to))

/** Every instant at which time alone could change what the rule says. */
function candidates({ observations, signals }: NaiveFacts, { decision }: TemplateRule, held: readonly Held[]): number[] {
  const instants = new Set<number>(held.flatMap(({ from, until }) => [from, until]))
  const read = signalsIn(decision)
  for (const { signal, atUs } of observations) {
    if (!read.has(signal)) continue
    const { everySeconds } = signals.find(({ key }) => key === signal) ?? { everySeconds: null }
    const windows = [...secondsIn(decision), ...(everySeconds === null ? [] : [3 * everySeconds])]
    for (const seconds of windows) instants.add(Math.floor(atUs / 1_000) + seconds * 1_000 + 1)
  }
  return [...instants].sort((one, other) => one - other)
}

const everything = (node: unknown): Record<string, unknown>[] =>
  typeof node !== 'object' || node === null ? [] : [node as Record<string, unknown>, ...Object.values(node).flatMap(everything)]

const signalsIn = (decision: DecisionNode): Set<string> =>
  new Set(everything(decision).flatMap(({ signal }) => (typeof signal === 'string' ? [signal] : [])))

const secondsIn = (decision: DecisionNode): Set<number> =>
  new Set(everything(decision).flatMap(({ within_seconds }) => (typeof within_seconds === 'number' ? [within_seconds] : [])))

function waitsOf({ wait }: TemplateRule, { answers }: NaiveFacts): Pick<Step, 'confirmAfterMs' | 'closeAfterMs'> {
  const msOf = (seconds: typeof wait.confirmAfter) =>
    1_000 * (typeof seconds === 'number' ? seconds : (answers[seconds.meta] as number))
  return { confirmAfterMs: msOf(wait.confirmAfter), closeAfterMs: msOf(wait.recoverAfter) }
}
