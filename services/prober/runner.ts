// Runs checks. Owns the checks under way, at most so many, and what is left out beyond it; never keeps a due check waiting
// (what cannot run at its slot is shed or skipped, and counted).
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { Check, type CheckContext, type CheckOutcome, impossible } from './check.ts'
import type { ProberMetrics } from './metrics.ts'
import { type Monitor, noteOutcome } from './monitor.ts'
import type { Report } from './report.ts'
import type { Shedding } from './shedding.ts'
import { compileTarget } from './target.ts'

export interface RunnerOptions {
  context: CheckContext
  userAgent: string
  shedding: Pick<Shedding, 'share' | 'noteLateness' | 'noteShed'>
  metrics: Pick<ProberMetrics, 'passed' | 'failed' | 'shed' | 'skipped' | 'lateness' | 'duration'>
  logger: Logger
  onReport(report: Report): void
  /** Checks at once; tests shorten it. */
  inFlightMax?: number
}

export class Runner {
  readonly #options: RunnerOptions
  readonly #inFlightMax: number
  readonly #extraMax: number
  readonly #running = new Set<Monitor>()
  /** Monitors with a check outside of the grid, at most one each, in the order in which they asked. */
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

  /** Runs the monitor's check of this slot, or counts why not. `lateMs`: how long ago the slot was. */
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
    // The newer slot says all that the waiting one would have said.
    monitor.extraAt = null
    this.#start(monitor, slotAt, 'due')
  }

  /** Runs a check that the grid does not ask for (a new monitor, a take-over) as soon as there is room for it. */
  runExtra(monitor: Monitor, slotAt: number): void {
    monitor.extraAt = slotAt
    this.#extras.add(monitor)
    this.#runExtras()
  }

  /** Waits for what runs, at most `graceMs`, and abandons the rest. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    if (this.#running.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = this.#options.context.clock.schedule(graceMs, resolve)
      this.#onIdle = resolve
      await promise
      cancel()
    }
    for (const monitor of this.#running) monitor.check?.abandon()
    this.#running.clear()
  }

  /** Each monitor gathers the share that is let through, and runs when that makes a whole check. */
  #isShed(monitor: Monitor): boolean {
    const share = this.#options.shedding.share()
    if (share === 0) return false
    monitor.credit += 1 - share
    if (monitor.credit < 1) return true
    monitor.credit -= 1
    return false
  }

  /**
   * One whose monitor is busy stays, and is looked at again when a check ends. A check may end while it is started (its address is closed):
   * the loop goes on to the next by itself, because thousands of them, each started within the one before, would be too deep.
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
    const { context, userAgent } = this.#options
    const { rev } = monitor.entry
    monitor.ranAt = slotAt
    const target = compileTarget(monitor.entry, userAgent)
    if (target === null) {
      this.#report(monitor, rev, slotAt, impossible)
      return
    }
    const check = new Check(target, context, outcome => {
      this.#running.delete(monitor)
      monitor.check = null
      if (kind === 'extra') this.#extrasRunning--
      this.#report(monitor, rev, slotAt, outcome)
      if (this.#extras.size > 0) this.#runExtras()
      if (this.#running.size === 0) this.#onIdle?.()
    })
    monitor.check = check
    this.#running.add(monitor)
    if (kind === 'extra') this.#extrasRunning++
    check.start()
  }

  /** A monitor that was removed meanwhile has nobody to report to. */
  #report(monitor: Monitor, rev: number, slotAt: number, outcome: CheckOutcome): void {
    const { metrics, logger, context, onReport } = this.#options
    if (outcome.ok) metrics.passed.inc()
    else metrics.failed.inc()
    metrics.duration.observe(outcome.phases.totalMs / 1_000)
    const report = { subjectId: monitor.subjectId, rev, slotAt, endedAt: context.clock.now(), outcome }
    if (!monitor.removed) onReport({ ...report, isNews: noteOutcome(monitor, outcome.ok) })
    if (logger.isLevelEnabled('trace')) logger.trace({ subject: monitor.subjectId, slotAt, outcome }, 'checked')
  }
}
