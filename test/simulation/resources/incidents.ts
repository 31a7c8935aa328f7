// Incidents and messages of one rule, computed from its statuses over time as sections 4 to 6 and 10 of docs/reference/v3.md define them.
// The computation sums up the time in which the rule could decide, and searches the steps due at each instant. It has no state machine and
// no deadline.
import { naiveFlapping, naiveFlappingEnd } from '../../judging/naive-flapping.ts'
import type { Step } from './truths.ts'

export interface ExpectedIncident {
  rule: string
  openedAt: number
  confirmedAt: number | null
  closedAt: number | null
  reason: 'recovered' | 'rule_removed' | 'resource_archived' | null
  /** Instant at which the recovery delay ended; null: the incident is open, or a command closed it. */
  endedAt: number | null
  /**
   * Uncertainty of the confirmation's instant, ms. When a change shortens the confirmation delay, the shorter delay may already have ended
   * before the change.
   */
  slackMs: number
}

export interface ExpectedMessage {
  rule: string
  kind: string
  at: number
  slackMs: number
}

/** Next step of an incident that time alone causes (v3 5.7). */
export interface ExpectedNext {
  what: 'confirm' | 'close' | 'remind'
  at: number
}

export interface IncidentsContext {
  rule: string
  /** Count of changes that confirms; null: the rule does not count them. */
  flapping: { changes: number; withinSeconds: number } | null
  windows: readonly { from: number; until: number }[]
  /** Instants at which the rule's open incident was acknowledged. */
  acknowledgedAt: readonly number[]
  /** Times without a keeper. Reminders due in these times are skipped. */
  away: readonly { from: number; until: number }[]
  until: number
  endsAt: number | null
  reason: ExpectedIncident['reason']
}

interface Open extends ExpectedIncident {
  /** Time in problem, and time in ok since the problem, ms. Neither grows while the rule cannot decide. */
  badMs: number
  wellMs: number
  wellSince: number | null
  isOpeningTold: boolean
  isProblemTold: boolean
  takenAt: number | null
  /** Instant up to which reminders have been sent or skipped. */
  remindedTo: number
}

const reminderMs = 4 * 3_600_000

export function incidentsOf(
  steps: readonly Step[],
  around: IncidentsContext,
): { incidents: ExpectedIncident[]; messages: ExpectedMessage[]; next: ExpectedNext | null; changes: readonly number[] } {
  const life = new RuleLife(around)
  for (const [i, step] of steps.entries()) life.live(step, steps[i + 1] ?? null)
  const next = life.next(steps.at(-1))
  life.end()
  return { incidents: life.incidents, messages: life.messages, next, changes: life.changes }
}

class RuleLife {
  readonly incidents: ExpectedIncident[] = []
  readonly messages: ExpectedMessage[] = []
  /** Instants of all changes of the result, ms. */
  readonly changes: number[] = []
  readonly #around: IncidentsContext
  #open: Open | null = null

  constructor(around: IncidentsContext) {
    this.#around = around
  }

  /** Applies a step and the time up to the next step. A step that is due at the exact instant of an input comes before the input. */
  live(step: Step, next: Step | null): void {
    const { until, endsAt } = this.#around
    const to = next?.at ?? endsAt ?? until
    const isDueIncluded = next === null || next.by === 'input'
    const isDue = (at: number) => at < to || (at === to && isDueIncluded)
    this.#judge(step)
    if (this.#open === null) return
    if (step.truth === 'true') this.#suffer(step, to, isDue)
    if (step.truth === 'false') this.#recover(step, to, isDue)
    this.#remind(step, isDue)
  }

  /** Returns the next step after `until` that time alone causes; null: none. */
  next(last: Step | undefined): ExpectedNext | null {
    const open = this.#open
    const { until, windows } = this.#around
    if (open === null || last === undefined) return null
    if (open.wellSince !== null)
      return last.truth === 'false'
        ? { what: 'close', at: Math.max(until + last.closeAfterMs - open.wellMs, this.#flapsUntil(until)) }
        : null
    if (open.confirmedAt === null)
      return last.truth === 'true' ? { what: 'confirm', at: until + last.confirmAfterMs - open.badMs } : null
    this.#take(until)
    if (open.takenAt !== null) return null
    const mutedTo = windows.find(({ from, until: end }) => until >= from && until < end)?.until ?? 0
    // When a change shortens the confirmation delay, the shorter delay may already have ended before the change. The Incident is then
    // confirmed as of the end of the shorter delay (v3 5.2).
    let at = open.confirmedAt - open.slackMs + reminderMs
    while (at <= until || at < mutedTo) at += reminderMs
    return { what: 'remind', at }
  }

  end(): void {
    const { endsAt, reason } = this.#around
    if (this.#open === null) return
    if (endsAt !== null) Object.assign(this.#open, { closedAt: endsAt, endedAt: endsAt, reason })
    this.incidents.push(this.#open)
  }

  #judge({ at, knownAt, truth, confirmAfterMs }: Step): void {
    const open = this.#open
    const isWell = open === null || open.wellSince !== null
    const isChange = isWell ? truth === 'true' : truth === 'false'
    if (isChange) this.changes.push(at)
    if (truth === 'true' && open === null) this.#begin({ at, knownAt, confirmAfterMs })
    else if (truth === 'true' && open !== null && open.wellSince !== null)
      Object.assign(open, { wellSince: null, wellMs: 0, badMs: 0, remindedTo: at })
    if (truth === 'false' && open !== null) open.wellSince ??= at
    if (truth === 'false' && open !== null) open.badMs = 0
    if (isChange) this.#flap({ at, knownAt, confirmAfterMs })
  }

  /** Confirms the open incident if the change at `at` makes the rule flap. A rule without a confirmation delay is confirmed anyway. */
  #flap({ at, knownAt, confirmAfterMs }: Pick<Step, 'at' | 'knownAt' | 'confirmAfterMs'>): void {
    const { flapping } = this.#around
    const open = this.#open as Open
    const isAtOnce = confirmAfterMs === 0 && open.wellSince === null
    if (flapping === null || open.confirmedAt !== null || isAtOnce || !naiveFlapping(this.changes, at, flapping)) return
    Object.assign(open, { confirmedAt: at, remindedTo: at, isProblemTold: !this.#isMuted(knownAt) })
    this.#tell(open.isProblemTold ? 'problem' : 'held problem', at)
  }

  #flapsUntil(at: number): number {
    const { flapping } = this.#around
    return flapping === null ? at : naiveFlappingEnd(this.changes, at, flapping)
  }

  #begin({ at, knownAt, confirmAfterMs }: Pick<Step, 'at' | 'knownAt' | 'confirmAfterMs'>): void {
    const { rule } = this.#around
    const isHeld = this.#isMuted(knownAt)
    const isTold = confirmAfterMs > 0
    this.#open = {
      ...{ rule, openedAt: at, confirmedAt: null, closedAt: null, reason: null, endedAt: null, slackMs: 0 },
      ...{ badMs: 0, wellMs: 0, wellSince: null, isOpeningTold: isTold && !isHeld, isProblemTold: false, takenAt: null },
      remindedTo: at,
    }
    if (isTold) this.#tell(isHeld ? 'held opened' : 'opened', at)
  }

  #suffer(step: Step, to: number, isDue: (at: number) => boolean): void {
    const open = this.#open as Open
    if (open.confirmedAt === null) {
      const leftMs = step.confirmAfterMs - open.badMs
      const at = step.at + Math.max(0, leftMs)
      if (isDue(at) || at === step.at) {
        open.confirmedAt = at
        open.slackMs = Math.max(0, -leftMs)
        open.remindedTo = at
        // The message about a silence that was held back is sent only when silence counts again.
        const isHeld = this.#isMuted(Math.max(at, step.knownAt))
        open.isProblemTold = !isHeld
        this.#tell(isHeld ? 'held problem' : 'problem', at)
      }
    }
    open.badMs += to - step.at
  }

  #recover(step: Step, to: number, isDue: (at: number) => boolean): void {
    const open = this.#open as Open
    const at = Math.max(step.at + Math.max(0, step.closeAfterMs - open.wellMs), this.#flapsUntil(step.at))
    open.wellMs += to - step.at
    if (!isDue(at) && at !== step.at) return
    this.#take(at)
    Object.assign(open, { closedAt: open.wellSince, endedAt: at, reason: 'recovered' })
    if (open.confirmedAt !== null || open.isOpeningTold) this.#tell('recovery', at)
    this.incidents.push(open)
    this.#open = null
  }

  /** Sends reminders even while the rule cannot decide, unless the last decided status was ok. */
  #remind({ at: from, truth }: Step, isDue: (at: number) => boolean): void {
    const open = this.#open
    if (open === null || open.confirmedAt === null || (truth !== 'true' && open.wellSince !== null)) return
    for (let at = open.confirmedAt + reminderMs; isDue(at); at += reminderMs) {
      if (at <= open.remindedTo || at < from) continue
      open.remindedTo = at
      this.#take(at)
      if (open.takenAt !== null || this.#isMuted(at) || this.#around.away.some(one => at >= one.from && at < one.until)) continue
      this.#tell(open.isProblemTold ? 'reminder' : 'problem', at)
      open.isProblemTold = true
    }
  }

  /** Records the first acknowledgement of the open incident, if it came at `at` or before. */
  #take(at: number): void {
    const open = this.#open as Open
    open.takenAt ??= this.#around.acknowledgedAt.find(one => one >= open.openedAt && one <= at) ?? null
  }

  #tell(kind: string, at: number): void {
    const slackMs = this.#open?.slackMs ?? 0
    if (at <= this.#around.until) this.messages.push({ rule: this.#around.rule, kind, at, slackMs })
  }

  readonly #isMuted = (at: number): boolean => this.#around.windows.some(({ from, until }) => at >= from && at < until)
}
