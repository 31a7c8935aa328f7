// Table of all monitors of the location, and agenda with the slots of those monitors that this prober checks. Owns both.
// Opens no connection.

import { kindWord } from '#shared/checks/abilities.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { ProberMetrics } from './metrics.ts'
import { createMonitor, groupOf, type Monitor, type SignalEntry, slotName } from './monitor.ts'
import type { Runner } from './runner.ts'
import { type Agenda, createAgenda, phaseOf, slotAfter } from './schedule.ts'

export interface FleetOptions {
  clock: Clock
  /** Returns the present instant on bus time, whole ms. */
  busNow(): number
  /** Returns true if this prober makes the checks of a kind of the subject. `kind`: word of the kind. */
  owns(subjectHash: number, kind: string): boolean
  runner: Pick<Runner, 'runDue' | 'runExtra'>
  metrics: Pick<ProberMetrics, 'skipped'>
}

type Origin = Pick<Monitor, 'writtenAt' | 'isPaged'>

/** No monitor is due before `start`, because the live probers of the location are unknown until then. */
export class Fleet {
  readonly #options: FleetOptions
  /** By subject, or by subject and signal where an entry has several checks. */
  readonly #monitors = new Map<string, Monitor>()
  /** Keys of the monitors of a subject whose entry has several checks. */
  readonly #listed = new Map<string, readonly string[]>()
  readonly #agenda: Agenda<Monitor>
  #started = false
  #owned = 0
  /** Instant from which slots may have been missed, for entries of the time before the start that arrive after it. */
  #missedSince = Number.POSITIVE_INFINITY

  constructor(options: FleetOptions) {
    this.#options = options
    this.#agenda = createAgenda<Monitor>(options.clock, options.busNow, this.#onDue)
  }

  /** Returns the number of monitors that this prober checks. */
  owned(): number {
    return this.#owned
  }

  /** Returns the number of checks per second that this prober's monitors need. Iterates over all monitors of the location. */
  checksPerSecond(): number {
    let sum = 0
    for (const monitor of this.#monitors.values()) if (monitor.mine) sum += 1_000 / monitor.entry.intervalMs
    return sum
  }

  /** Returns the number of checks per second that the monitors of each group need. Iterates over all monitors of the location. */
  demands(): Map<string, number> {
    const demands = new Map<string, number>()
    for (const monitor of this.#monitors.values()) {
      if (!monitor.mine) continue
      const group = groupOf(monitor)
      demands.set(group, (demands.get(group) ?? 0) + 1_000 / monitor.entry.intervalMs)
    }
    return demands
  }

  /**
   * `missedSince`: instant on bus time from which the location's other probers may have missed slots. It counts also for monitors that
   * become known later, until `complete` is called.
   */
  start(missedSince: number): void {
    this.#started = true
    this.#missedSince = missedSince
    for (const monitor of this.#monitors.values()) {
      if (this.#owns(monitor)) this.#enlist(monitor, missedSince)
    }
  }

  /** Called when all monitors of the location's past are known. */
  complete(): void {
    this.#missedSince = Number.POSITIVE_INFINITY
  }

  stop = (): void => {
    this.#agenda.stop()
  }

  /** Handles a new, changed or repeated entry. `writtenAt`: instant of the entry on bus time. `isPaged`: it came in a page. */
  assign = (subjectId: string, entry: CheckEntry, writtenAt: number, isPaged = false): void => {
    if (this.#listed.has(subjectId)) this.unassign(subjectId)
    this.#assign(subjectId, subjectId, entry, { writtenAt, isPaged })
  }

  /** Handles an entry with several checks. Checks that it lacks are removed. */
  assignAll = (subjectId: string, entries: readonly SignalEntry[], writtenAt: number, isPaged = false): void => {
    const keys = entries.map(({ signal }) => `${subjectId} ${signal}`)
    for (const key of this.#listed.get(subjectId) ?? [subjectId]) if (!keys.includes(key)) this.#remove(key)
    this.#listed.set(subjectId, keys)
    for (const [i, entry] of entries.entries()) this.#assign(keys[i] as string, subjectId, entry, { writtenAt, isPaged })
  }

  #assign(key: string, subjectId: string, entry: CheckEntry | SignalEntry, { writtenAt, isPaged }: Origin): void {
    const known = this.#monitors.get(key)
    if (known !== undefined && entry.rev === known.entry.rev) known.isPaged = isPaged
    if (known !== undefined && entry.rev <= known.entry.rev) return
    const monitor = known ?? createMonitor(subjectId, entry)
    this.#monitors.set(key, monitor)
    monitor.entry = entry
    monitor.writtenAt = writtenAt
    monitor.isPaged = isPaged
    monitor.phaseMs = phaseOf(slotName(subjectId, entry), entry.intervalMs)
    if (this.#started && this.#owns(monitor)) this.#enlist(monitor, known === undefined ? this.#missedSince : undefined)
    else this.#release(monitor)
  }

  /**
   * Handles an entry that cannot be read. The monitor is checked on if it has the same revision: a keeper of a newer version has only
   * rewritten its entry. With another revision its settings are unknown.
   */
  keepOrUnassign = (subjectId: string, rev: number | null): void => {
    const [first = subjectId] = this.#listed.get(subjectId) ?? []
    if (this.#monitors.get(first)?.entry.rev !== rev) this.unassign(subjectId)
  }

  unassign = (subjectId: string): void => {
    for (const key of this.#listed.get(subjectId) ?? [subjectId]) this.#remove(key)
    this.#listed.delete(subjectId)
  }

  #remove(key: string): void {
    const monitor = this.#monitors.get(key)
    if (monitor === undefined) return
    this.#monitors.delete(key)
    monitor.removed = true
    this.#release(monitor)
  }

  /**
   * Decides again which monitors this prober checks. A monitor that this prober takes over is checked at once if it had a slot since
   * `missedSince`.
   */
  rebalance = (missedSince: number | null): void => {
    if (!this.#started) return
    for (const monitor of this.#monitors.values()) {
      if (!this.#owns(monitor)) this.#release(monitor)
      else if (!monitor.mine) this.#win(monitor, missedSince)
    }
  }

  /** Schedules every monitor again for its next slot, because bus time has jumped. */
  rebase = (): void => {
    for (const monitor of this.#monitors.values()) {
      monitor.ranAt = Number.NEGATIVE_INFINITY
      if (monitor.mine) this.#agenda.put(monitor, this.#nextSlot(monitor))
    }
    this.#agenda.rearm()
  }

  /**
   * Schedules a monitor. The monitor is checked at once if its latest slot may have been missed, or if its entry is younger than one
   * interval. The first check after a new entry has the instant of the entry as its slot, because all probers know this instant. This slot
   * is at least 1 ms after the slot of the monitor's latest check.
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

  /**
   * Returns the instant of the entry, or the present instant if it is earlier. The entry's instant is in the future if the bus's clock was
   * set back. A slot at that instant would block all slots before it.
   */
  #writtenAt(monitor: Monitor): number {
    return Math.min(monitor.writtenAt, this.#options.busNow())
  }

  #take(monitor: Monitor): void {
    if (!monitor.mine) this.#owned++
    monitor.mine = true
    this.#agenda.put(monitor, this.#nextSlot(monitor))
  }

  #release(monitor: Monitor): void {
    if (monitor.mine) this.#owned--
    monitor.mine = false
    this.#agenda.remove(monitor)
  }

  /** Runs the check of a monitor's latest slot. Counts earlier slots that were missed while the process was paused. */
  #onDue = (monitor: Monitor, now: number): void => {
    const { intervalMs } = monitor.entry
    const nextAt = slotAfter(now, intervalMs, monitor.phaseMs)
    const slotAt = nextAt - intervalMs
    const missed = Math.round((slotAt - monitor.dueAt) / intervalMs)
    if (missed > 0) this.#options.metrics.skipped.inc(missed)
    this.#agenda.put(monitor, nextAt)
    this.#options.runner.runDue(monitor, slotAt, now - slotAt)
  }

  #owns({ hash, entry }: Monitor): boolean {
    return this.#options.owns(hash, kindWord(entry))
  }

  #nextSlot(monitor: Monitor): number {
    return slotAfter(this.#options.busNow(), monitor.entry.intervalMs, monitor.phaseMs)
  }
}
