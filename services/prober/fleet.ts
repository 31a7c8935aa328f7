// The monitors of the location, and which of them this prober runs when. Owns the table and the agenda; opens no connection.

import type { Clock } from '#shared/clock.ts'
import type { CheckEntry } from '#shared/contracts/check.ts'
import type { ProberMetrics } from './metrics.ts'
import { createMonitor, type Monitor } from './monitor.ts'
import type { Runner } from './runner.ts'
import { createAgenda, phaseOf, slotAfter } from './schedule.ts'

export interface FleetOptions {
  clock: Clock
  /** The present instant on bus time, whole ms. */
  busNow(): number
  /** True where this prober runs the subject. */
  owns(subjectHash: number): boolean
  runner: Pick<Runner, 'runDue' | 'runExtra'>
  metrics: Pick<ProberMetrics, 'skipped'>
}

export interface Fleet {
  /** A new, changed or repeated entry of the location. */
  assign(subjectId: string, entry: CheckEntry, writtenAt: number): void
  unassign(subjectId: string): void
  /** Decides anew who runs what; slots since `missedSince` of those won are caught up (the latest of each). */
  rebalance(missedSince: number | null): void
  /** Bus time jumped: every monitor waits for its next slot on the new time. */
  rebase(): void
  /** Monitors that this prober runs. */
  owned(): number
  stop(): void
}

/** Nothing is due before the first `rebalance`: until then the members of the location are not known. */
export function createFleet(options: FleetOptions): Fleet {
  const { busNow, runner } = options
  const monitors = new Map<string, Monitor>()
  const agenda = createAgenda<Monitor>(options.clock, busNow, onDue)
  const unstarted = new Map<string, number>()
  let started = false
  let owned = 0

  return {
    assign,
    unassign: subjectId => {
      const monitor = monitors.get(subjectId)
      if (monitor === undefined) return
      monitors.delete(subjectId)
      monitor.removed = true
      release(monitor)
    },
    rebalance: missedSince => {
      started = true
      for (const monitor of monitors.values()) {
        if (!options.owns(monitor.hash)) release(monitor)
        else if (!monitor.mine) win(monitor, missedSince)
      }
      unstarted.clear()
    },
    rebase: () => {
      for (const monitor of monitors.values()) {
        monitor.ranAt = Number.NEGATIVE_INFINITY
        if (monitor.mine) agenda.put(monitor, nextSlot(monitor, busNow()))
      }
      agenda.rearm()
    },
    owned: () => owned,
    stop: () => agenda.stop(),
  }

  function assign(subjectId: string, entry: CheckEntry, writtenAt: number): void {
    const known = monitors.get(subjectId)
    if (known !== undefined && entry.rev <= known.entry.rev) return
    const monitor = known ?? createMonitor(subjectId, entry)
    monitors.set(subjectId, monitor)
    monitor.entry = entry
    monitor.phaseMs = phaseOf(subjectId, entry.intervalMs)
    monitor.target = null
    if (!started) unstarted.set(subjectId, writtenAt)
    else if (options.owns(monitor.hash)) enlist(monitor, writtenAt)
  }

  function enlist(monitor: Monitor, writtenAt: number): void {
    if (!monitor.mine) owned++
    monitor.mine = true
    const now = busNow()
    agenda.put(monitor, nextSlot(monitor, now))
    // An entry younger than its interval is checked at once. Its slot is the instant at which it was written, which is the same
    // for every prober that sees it; one that stood longer has had its checks and waits for its slot.
    if (now - writtenAt < monitor.entry.intervalMs) runner.runExtra(monitor, writtenAt)
  }

  function win(monitor: Monitor, missedSince: number | null): void {
    const writtenAt = unstarted.get(monitor.subjectId)
    if (writtenAt !== undefined) return enlist(monitor, writtenAt)
    owned++
    monitor.mine = true
    const next = nextSlot(monitor, busNow())
    agenda.put(monitor, next)
    const latest = next - monitor.entry.intervalMs
    if (missedSince !== null && latest >= missedSince) runner.runExtra(monitor, latest)
  }

  function release(monitor: Monitor): void {
    if (monitor.mine) owned--
    monitor.mine = false
    agenda.remove(monitor)
  }

  /** A process that was paused runs the latest slot of each monitor and counts the ones before. */
  function onDue(monitor: Monitor, now: number): void {
    const next = nextSlot(monitor, now)
    const slotAt = next - monitor.entry.intervalMs
    const missed = Math.round((slotAt - monitor.dueAt) / monitor.entry.intervalMs)
    if (missed > 0) options.metrics.skipped.inc(missed)
    agenda.put(monitor, next)
    runner.runDue(monitor, slotAt, now - slotAt)
  }

  function nextSlot(monitor: Monitor, now: number): number {
    return slotAfter(now, monitor.entry.intervalMs, monitor.phaseMs)
  }
}
