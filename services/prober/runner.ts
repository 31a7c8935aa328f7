// Runs checks. Owns the checks under way, at most so many, and what is left out beyond it; never keeps a due check waiting
// (what cannot run at its slot is shed or skipped, and counted).

import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import { Check, type CheckOutcome, type CheckSurroundings, impossible } from './check.ts'
import type { ProberMetrics } from './metrics.ts'
import type { Monitor } from './monitor.ts'
import type { Report } from './report.ts'
import type { Shedding } from './shedding.ts'
import { compileTarget } from './target.ts'

export interface RunnerOptions {
  surroundings: CheckSurroundings
  userAgent: string
  shedding: Shedding
  metrics: ProberMetrics
  logger: Logger
  onReport(report: Report): void
  /** Checks at once; tests shorten it. */
  inFlightMax?: number
}

export interface Runner {
  /** Runs the monitor's check of this slot, or counts why not. `lateMs`: how long ago the slot was. */
  runDue(monitor: Monitor, slotAt: number, lateMs: number): void
  /** Runs a check that the grid does not ask for (a new monitor, a take-over) as soon as there is room for it. */
  runExtra(monitor: Monitor, slotAt: number): void
  inFlight(): number
  /** Waits for what runs, at most `graceMs`, and abandons the rest. */
  stop(graceMs: number): Promise<void>
}

export function createRunner(options: RunnerOptions): Runner {
  const { surroundings, shedding, metrics } = options
  const { clock } = surroundings
  const inFlightMax = options.inFlightMax ?? limits.check.inFlight
  const extraMax = Math.min(limits.shedding.extraInFlight, inFlightMax)
  const running = new Set<Monitor>()
  const extras = new Set<Monitor>()
  let extrasRunning = 0
  let stopped = false
  let onIdle: (() => void) | null = null

  return {
    runDue,
    runExtra: (monitor, slotAt) => {
      monitor.extraAt = slotAt
      extras.add(monitor)
      runExtras()
    },
    inFlight: () => running.size,
    stop: async graceMs => {
      stopped = true
      if (running.size > 0) await new Promise<void>(resolve => void waitForIdle(resolve, graceMs))
      for (const monitor of running) monitor.check?.abandon()
      running.clear()
    },
  }

  function runDue(monitor: Monitor, slotAt: number, lateMs: number): void {
    shedding.noteLateness(lateMs)
    metrics.lateness.observe(lateMs / 1_000)
    if (stopped || slotAt <= monitor.ranAt) return
    if (monitor.check !== null) return metrics.skipped.inc()
    const full = running.size >= inFlightMax
    if (full || isShed(monitor)) {
      metrics.shed.inc()
      return shedding.noteShed(full)
    }
    // The newer slot says all that the waiting one would have said.
    monitor.extraAt = null
    start(monitor, slotAt, false)
  }

  /** Each monitor gathers the share that is let through, and runs when that makes a whole check. */
  function isShed(monitor: Monitor): boolean {
    const share = shedding.share()
    if (share === 0) return false
    monitor.credit += 1 - share
    if (monitor.credit < 1) return true
    monitor.credit -= 1
    return false
  }

  /** At most one waits per monitor. One whose monitor is busy stays, and is looked at again when a check ends. */
  function runExtras(): void {
    for (const monitor of extras) {
      if (stopped || extrasRunning >= extraMax || running.size >= inFlightMax) return
      if (monitor.check !== null) continue
      extras.delete(monitor)
      const slotAt = monitor.extraAt
      monitor.extraAt = null
      if (slotAt !== null && monitor.mine && slotAt > monitor.ranAt) start(monitor, slotAt, true)
    }
  }

  function start(monitor: Monitor, slotAt: number, extra: boolean): void {
    const { rev } = monitor.entry
    monitor.ranAt = slotAt
    monitor.target ??= compileTarget(monitor.entry, options.userAgent)
    if (monitor.target === null) return report(monitor, rev, slotAt, impossible)
    const check = new Check(monitor.target, surroundings, outcome => {
      running.delete(monitor)
      monitor.check = null
      if (extra) extrasRunning--
      report(monitor, rev, slotAt, outcome)
      if (extras.size > 0) runExtras()
      if (running.size === 0) onIdle?.()
    })
    monitor.check = check
    running.add(monitor)
    if (extra) extrasRunning++
    check.start()
  }

  /** A monitor that was removed meanwhile has nobody to report to. */
  function report(monitor: Monitor, rev: number, slotAt: number, outcome: CheckOutcome): void {
    if (outcome.ok) metrics.passed.inc()
    else metrics.failed.inc()
    metrics.duration.observe(outcome.phases.totalMs / 1_000)
    if (!monitor.removed) options.onReport({ subjectId: monitor.subjectId, rev, slotAt, endedAt: clock.now(), outcome })
    if (options.logger.isLevelEnabled('trace')) options.logger.trace({ subject: monitor.subjectId, slotAt, outcome }, 'checked')
  }

  function waitForIdle(resolve: () => void, graceMs: number): void {
    const cancel = clock.after(graceMs, resolve)
    onIdle = () => {
      cancel()
      resolve()
    }
  }
}
