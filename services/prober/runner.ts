// Runner of checks. Owns the running checks, whose number is bounded. A due check never waits. If it cannot run at its slot, it is counted
// as shed or skipped.
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { CheckContext, CheckOutcome } from './checks/checker.ts'
import { checkOf, keepsAnswers } from './checks/registry.ts'
import type { ProberMetrics } from './metrics.ts'
import { groupOf, keepsAnswer, type Monitor, noteAnswer, noteOutcome } from './monitor.ts'
import type { Report } from './report.ts'
import type { Shedding } from './shedding.ts'

export interface RunnerOptions {
  context: CheckContext
  shedding: Pick<Shedding, 'shareOf' | 'noteLateness' | 'noteShed'>
  metrics: Pick<ProberMetrics, 'passed' | 'failed' | 'shed' | 'skipped' | 'lateness' | 'duration'>
  logger: Logger
  onReport(report: Report): void
  /** Maximum number of concurrent checks. */
  inFlightMax?: number
  /** False: no answers of servers are kept. Absent: true. */
  answers?: boolean
}

export class Runner {
  readonly #options: RunnerOptions
  readonly #inFlightMax: number
  readonly #extraMax: number
  readonly #running = new Set<Monitor>()
  /** Monitors with a waiting check outside of the regular slots, in the order of the calls of `runExtra`. */
  readonly #extras = new Set<Monitor>()
  #extrasRunning = 0
  #isTakingExtras = false
  #stopped = false
  #onIdle: (() => void) | null = null

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#inFlightMax = options.inFlightMax ?? limits.check.inFlight
    this.#extraMax = Math.min(limits.shedding.extraInFlight, this.#inFlightMax)
  }

  inFlight(): number {
    return this.#running.size
  }

  /** Runs the check of a slot, or counts the check as skipped or shed. `lateMs`: time since the slot. */
  runDue(monitor: Monitor, slotAt: number, lateMs: number): void {
    const { shedding, metrics } = this.#options
    if (this.#stopped || slotAt <= monitor.ranAt) return
    shedding.noteLateness(lateMs)
    metrics.lateness.observe(lateMs / 1_000)
    if (monitor.check !== null) {
      metrics.skipped.inc()
      return
    }
    const full = this.#running.size >= this.#inFlightMax
    if (full || this.#isShed(monitor)) {
      metrics.shed.inc()
      shedding.noteShed(full)
      return
    }
    // The check of this newer slot replaces the waiting check.
    monitor.extraAt = null
    this.#start(monitor, slotAt, 'due')
  }

  /** Runs a check outside of the regular slots (of a new monitor, after a take-over) as soon as the bounds allow it. */
  runExtra(monitor: Monitor, slotAt: number): void {
    monitor.extraAt = slotAt
    this.#extras.add(monitor)
    this.#runExtras()
  }

  /** Waits for the running checks for `graceMs` at most, then abandons them. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    if (this.#running.size > 0) {
      const idle = new Promise<void>(resolve => {
        this.#onIdle = resolve
      })
      await waitAtMost(this.#options.context.clock, graceMs, idle)
    }
    for (const monitor of this.#running) monitor.check?.abandon()
    this.#running.clear()
  }

  /**
   * Returns true if this check is shed. Adds the share of checks that still run to the monitor's credit. When the credit reaches 1, the
   * check runs and the credit falls by 1.
   */
  #isShed(monitor: Monitor): boolean {
    const share = this.#options.shedding.shareOf(groupOf(monitor))
    if (share === 0) return false
    monitor.credit += 1 - share
    if (monitor.credit < 1) return true
    monitor.credit -= 1
    return false
  }

  /**
   * Starts waiting checks. A check whose monitor is busy waits until a check ends. A check may end during its start, for example if its
   * address is refused. Such an end must not start the loop again inside the loop, because thousands of nested calls would overflow the
   * stack.
   */
  #runExtras(): void {
    if (this.#isTakingExtras) return
    this.#isTakingExtras = true
    for (const monitor of this.#extras) {
      if (this.#stopped || this.#extrasRunning >= this.#extraMax || this.#running.size >= this.#inFlightMax) break
      if (monitor.check !== null) continue
      this.#extras.delete(monitor)
      const slotAt = monitor.extraAt
      monitor.extraAt = null
      if (slotAt !== null && monitor.mine && slotAt > monitor.ranAt) this.#start(monitor, slotAt, 'extra')
    }
    this.#isTakingExtras = false
  }

  #start(monitor: Monitor, slotAt: number, kind: 'due' | 'extra'): void {
    const { entry } = monitor
    monitor.ranAt = slotAt
    const check = checkOf(entry, this.#contextFor(monitor), outcome => {
      this.#running.delete(monitor)
      monitor.check = null
      if (kind === 'extra') this.#extrasRunning--
      this.#report(monitor, entry, slotAt, outcome)
      if (this.#extras.size > 0) this.#runExtras()
      if (this.#running.size === 0) this.#onIdle?.()
    })
    monitor.check = check
    this.#running.add(monitor)
    if (kind === 'extra') this.#extrasRunning++
    check.start()
  }

  /** Returns the context of a check, which says whether its answer would be kept. */
  #contextFor(monitor: Monitor): CheckContext {
    const { context, answers = true } = this.#options
    if (!answers || !keepsAnswers(monitor.entry)) return context
    return { ...context, keepsAnswer: error => keepsAnswer(monitor, error, context.clock.now()) }
  }

  /** Reports a result, unless the monitor was removed during the check. */
  #report(monitor: Monitor, entry: Monitor['entry'], slotAt: number, outcome: CheckOutcome): void {
    const { metrics, logger, context, onReport } = this.#options
    if (outcome.ok) metrics.passed.inc()
    else metrics.failed.inc()
    metrics.duration.observe(outcome.phases.totalMs / 1_000)
    const { subjectId, isPaged } = monitor
    const report = { subjectId, isPaged, rev: entry.rev, slotAt, endedAt: context.clock.now(), outcome }
    if (keepsAnswers(entry)) noteAnswer(monitor, outcome, report.endedAt)
    const isNews = noteOutcome(monitor, outcome.ok)
    if (!monitor.removed) onReport('signal' in entry ? { ...report, signal: entry.signal, isNews } : { ...report, isNews })
    if (logger.isLevelEnabled('trace')) logger.trace({ subject: monitor.subjectId, slotAt, outcome }, 'checked')
  }
}
