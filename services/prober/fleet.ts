// The monitors of the location, and which of them this prober runs when. Owns the table and the agenda; opens no connection.

import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { ProberMetrics } from './metrics.ts'
import { createMonitor, type Monitor } from './monitor.ts'
import type { Runner } from './runner.ts'
import { type Agenda, createAgenda, phaseOf, slotAfter } from './schedule.ts'

export interface FleetOptions {
  clock: Clock
  /** The present instant on bus time, whole ms. */
  busNow(): number
  /** True where this prober runs the subject. */
  owns(subjectHash: number): boolean
  runner: Pick<Runner, 'runDue' | 'runExtra'>
  metrics: Pick<ProberMetrics, 'skipped'>
  /** Its monitors may ask for another number of checks; called for each that comes, changes or goes. */
  onLoad(): void
}

/** Nothing is due before `start`: until then the members of the location are not known. */
export class Fleet {
  readonly #options: FleetOptions
  readonly #monitors = new Map<string, Monitor>()
  readonly #agenda: Agenda<Monitor>
  #started = false
  #owned = 0

  constructor(options: FleetOptions) {
    this.#options = options
    this.#agenda = createAgenda<Monitor>(options.clock, options.busNow, this.#onDue)
  }

  /** Monitors that this prober runs. */
  owned(): number {
    return this.#owned
  }

  /** Checks of the present assignments per second. Walks over all of them. */
  checksPerSecond(): number {
    let sum = 0
    for (const monitor of this.#monitors.values()) if (monitor.mine) sum += 1_000 / monitor.entry.intervalMs
    return sum
  }

  /** `missedSince`: since when (on bus time) the others of the location may have left to this prober what it runs from now on. */
  start(missedSince: number): void {
    this.#started = true
    for (const monitor of this.#monitors.values()) {
      if (this.#options.owns(monitor.hash)) this.#enlist(monitor, missedSince)
    }
  }

  stop(): void {
    this.#agenda.stop()
  }

  /** A new, changed or repeated entry of the location; `writtenAt` is the bus's time of it. */
  assign = (subjectId: string, entry: CheckEntry, writtenAt: number): void => {
    const known = this.#monitors.get(subjectId)
    if (known !== undefined && entry.rev <= known.entry.rev) return
    const monitor = known ?? createMonitor(subjectId, entry)
    this.#monitors.set(subjectId, monitor)
    monitor.entry = entry
    monitor.writtenAt = writtenAt
    monitor.phaseMs = phaseOf(subjectId, entry.intervalMs)
    if (this.#started && this.#options.owns(monitor.hash)) this.#enlist(monitor)
  }

  unassign = (subjectId: string): void => {
    const monitor = this.#monitors.get(subjectId)
    if (monitor === undefined) return
    this.#monitors.delete(subjectId)
    monitor.removed = true
    this.#release(monitor)
  }

  /** Decides anew who runs what; what was won and had a slot since `missedSince` is checked at once, as its latest slot. */
  rebalance = (missedSince: number | null): void => {
    if (!this.#started) return
    for (const monitor of this.#monitors.values()) {
      if (!this.#options.owns(monitor.hash)) this.#release(monitor)
      else if (!monitor.mine) this.#win(monitor, missedSince)
    }
  }

  /** Bus time jumped: every monitor waits for its next slot on the new time. */
  rebase = (): void => {
    for (const monitor of this.#monitors.values()) {
      monitor.ranAt = Number.NEGATIVE_INFINITY
      if (monitor.mine) this.#agenda.put(monitor, this.#nextSlot(monitor))
    }
    this.#agenda.rearm()
  }

  /**
   * An entry younger than its interval is checked at once. Its slot is the instant at which it was written, which is the same
   * for every prober that sees it, or right behind a slot at which its predecessor was still checked; one that stood longer has
   * had its checks and waits for its slot, unless nobody ran the latest.
   */
  #enlist(monitor: Monitor, missedSince = Number.POSITIVE_INFINITY): void {
    this.#take(monitor)
    const { runner, busNow } = this.#options
    const latest = monitor.dueAt - monitor.entry.intervalMs
    const writtenAt = this.#writtenAt(monitor)
    if (latest >= missedSince) runner.runExtra(monitor, Math.max(latest, writtenAt))
    else if (busNow() - writtenAt < monitor.entry.intervalMs) runner.runExtra(monitor, Math.max(writtenAt, monitor.ranAt + 1))
  }

  #win(monitor: Monitor, missedSince: number | null): void {
    this.#take(monitor)
    const latest = Math.max(monitor.dueAt - monitor.entry.intervalMs, this.#writtenAt(monitor))
    if (missedSince !== null && latest >= missedSince) this.#options.runner.runExtra(monitor, latest)
  }

  /** Never ahead, as it would be where the bus's clock was set back: a slot that has not come yet would keep all before it from being run. */
  #writtenAt(monitor: Monitor): number {
    return Math.min(monitor.writtenAt, this.#options.busNow())
  }

  #take(monitor: Monitor): void {
    if (!monitor.mine) this.#owned++
    monitor.mine = true
    this.#options.onLoad()
    this.#agenda.put(monitor, this.#nextSlot(monitor))
  }

  #release(monitor: Monitor): void {
    if (monitor.mine) {
      this.#owned--
      this.#options.onLoad()
    }
    monitor.mine = false
    this.#agenda.remove(monitor)
  }

  /** A process that was paused runs the latest slot of each monitor and counts the ones before. */
  #onDue = (monitor: Monitor, now: number): void => {
    const { intervalMs } = monitor.entry
    const nextAt = slotAfter(now, intervalMs, monitor.phaseMs)
    const slotAt = nextAt - intervalMs
    const missed = Math.round((slotAt - monitor.dueAt) / intervalMs)
    if (missed > 0) this.#options.metrics.skipped.inc(missed)
    this.#agenda.put(monitor, nextAt)
    this.#options.runner.runDue(monitor, slotAt, now - slotAt)
  }

  #nextSlot(monitor: Monitor): number {
    return slotAfter(this.#options.busNow(), monitor.entry.intervalMs, monitor.phaseMs)
  }
}
