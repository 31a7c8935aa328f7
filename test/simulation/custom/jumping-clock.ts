// Clock that runs while events happen and jumps over the time between them. While only recurring timers of the keepers run (leases,
// presence, scans), wall time jumps to the next deadline or planned action. During a jump these timers and the monotonic clock stand still,
// as on a machine that sleeps. Only the gateways go on: keepers that hear of no gateway would count the jump as an outage (ADR 35).

import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

interface Timer {
  at: number
  order: number
  delayMs: number
  isChore: boolean
  /** True for a timer of a gateway, which also runs within a jump. */
  isOfGateway: boolean
  run: () => void
}

const choreDelays: ReadonlySet<number> = new Set([
  limits.keeper.leaseRenewMs,
  limits.keeper.balanceMs,
  limits.presence.beatMs,
  limits.keeper.expireMs,
  limits.stream.purgeMs,
  limits.rollUp.lookMs,
  limits.notifier.scanMs,
  limits.operator.lookMs,
])
/**
 * Longest part of a jump, ms. After each part the gateways are heard: a keeper counts a longer time without them as an outage (ADR 22). It is
 * shorter than that time by a little, because the clock of a keeper may run fast by 1 % while it catches up.
 */
const unheardMs = 0.95 * (limits.keeper.deafMs - limits.keeper.listenMs)
/** Largest CPU time, in ms, that a wait for requests over the network may use. A longer wait fails the simulation. */
const networkMs = 30_000
/**
 * After an event the clock runs this long without a jump, so that the consequences of the event happen: a commit's outbox is cleared within
 * a second.
 */
const aftermathMs = 2_000

export class JumpingClock implements Clock {
  readonly #timers = new Set<Timer>()
  readonly #startAt: number
  #elapsed = 0
  #jumped = 0
  #order = 0
  /** Timer whose callback runs now. */
  #ringing: Timer | null = null
  /** True while a keeper starts and sets its recurring timers. */
  #isStarting = false
  /** Instant of the monotonic clock before which there is no jump. */
  #livesUntil = 0

  /** Returns whether a request is under way on a real network. Meanwhile no virtual time passes. */
  isSending: () => boolean = () => false

  constructor(startAt: number) {
    this.#startAt = startAt
  }

  readonly now = (): number => Math.floor(this.#startAt + this.#elapsed)

  readonly monotonic = (): number => this.#elapsed - this.#jumped

  /** Milliseconds of a clock that cannot be set and does not stand still in a jump. */
  readonly passed = (): number => this.#elapsed

  readonly schedule = (delayMs: number, run: () => void): Cancel => this.#add(delayMs, run, false)

  /** The same clock for gateways: their timers also run within a jump. */
  readonly ofGateways: Clock = {
    now: this.now,
    monotonic: this.monotonic,
    schedule: (delayMs, run) => this.#add(delayMs, run, true),
  }

  #add(delayMs: number, run: () => void, isOfGateway: boolean): Cancel {
    const at = this.#elapsed + Math.max(0, delayMs)
    const recurs = this.#isStarting || (this.#ringing?.isChore === true && this.#ringing.delayMs === delayMs)
    const timer = { at, order: this.#order++, delayMs, isChore: recurs && choreDelays.has(delayMs), isOfGateway, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Runs through `ms` without a jump. */
  async live(ms: number): Promise<void> {
    this.stayFor(ms)
    await this.passUntil(this.now() + ms)
  }

  /** Runs through the start of a process. Later jumps ignore the recurring timers that the process sets meanwhile. */
  async liveThroughStart(ms: number): Promise<void> {
    this.#isStarting = true
    await this.live(ms)
    this.#isStarting = false
  }

  /** Moves on to an instant of wall time. */
  async passUntil(instant: number): Promise<void> {
    const until = instant - this.#startAt
    await this.#settle()
    for (;;) {
      const timer = this.#earliest(() => true)
      const at = Math.min(timer?.at ?? until, until)
      if (this.monotonic() >= this.#livesUntil) await this.#jump(until)
      else if (timer === null || timer.at > until) {
        this.#elapsed = Math.max(this.#elapsed, at)
        break
      } else await this.#run(timer)
      if (this.#elapsed >= until && !this.#isAnyDue()) break
    }
    await this.#settle()
  }

  async #run(timer: Timer): Promise<void> {
    this.#elapsed = Math.max(this.#elapsed, timer.at)
    if (!timer.isChore) this.stayFor(aftermathMs)
    await this.#ring(timer)
  }

  async #ring(timer: Timer): Promise<void> {
    this.#timers.delete(timer)
    this.#ringing = timer
    timer.run()
    await this.#settle()
    this.#ringing = null
  }

  /** Jumps to the next timer that is not one of the keepers' recurring timers, at most to `until`. */
  async #jump(until: number): Promise<void> {
    for (;;) {
      const next = this.#earliest(timer => !timer.isChore)
      const by = Math.min(next?.at ?? until, until, this.#elapsed + unheardMs) - this.#elapsed
      if (by <= 0) break
      this.#elapsed += by
      this.#jumped += by
      for (const timer of this.#timers) if (timer.isChore) timer.at += by
      for (const timer of [...this.#timers]) if (timer.isChore && timer.isOfGateway) await this.#ring(timer)
    }
    this.stayFor(aftermathMs)
  }

  /** Prevents jumps for `ms`. */
  stayFor(ms: number): void {
    this.#livesUntil = Math.max(this.#livesUntil, this.monotonic() + ms)
  }

  #isAnyDue(): boolean {
    return this.#earliest(timer => timer.at <= this.#elapsed) !== null
  }

  #earliest(fits: (timer: Timer) => boolean): Timer | null {
    let first: Timer | null = null
    for (const timer of this.#timers) {
      if (!fits(timer)) continue
      if (first === null || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }

  /** Waits until all microtasks have run, which is before the next turn of the event loop. Also waits for requests over the network. */
  async #settle(): Promise<void> {
    let sinceMs: number | null = null
    for (;;) {
      await new Promise<void>(resolve => setImmediate(resolve))
      if (!this.isSending()) return
      sinceMs ??= usedMs()
      if (usedMs() - sinceMs > networkMs) throw new Error('a request over the network does not end')
    }
  }
}

/** CPU time of this process, ms. A turn of the event loop uses some; load by other processes adds none. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
