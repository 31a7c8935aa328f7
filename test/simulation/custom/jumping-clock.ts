// A clock that lives where something happens and jumps over the rest: while only the keepers' own chores recur (leases, presence, looking
// around), wall time leaps to the next deadline or deed, and the chores and the monotonic clock stand still meanwhile, as on a machine
// that sleeps.
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

interface Timer {
  at: number
  order: number
  delayMs: number
  isChore: boolean
  run: () => void
}

const choreDelays: ReadonlySet<number> = new Set([
  limits.keeper.leaseRenewMs,
  limits.keeper.balanceMs,
  limits.presence.beatMs,
  limits.keeper.expireMs,
  limits.stream.purgeMs,
  limits.rollUp.lookMs,
])
/** What follows from something that happened is lived through: a commit's documents are cleared within a second. */
const aftermathMs = 2_000

export class JumpingClock implements Clock {
  readonly #timers = new Set<Timer>()
  readonly #startAt: number
  #elapsed = 0
  #jumped = 0
  #order = 0
  /** The timer whose doing this moment is. */
  #ringing: Timer | null = null
  /** A keeper starts, and sets up its chores. */
  #isStarting = false
  /** No jump before this much of the monotonic clock has passed. */
  #livesUntil = 0

  constructor(startAt: number) {
    this.#startAt = startAt
  }

  readonly now = (): number => Math.floor(this.#startAt + this.#elapsed)

  readonly monotonic = (): number => this.#elapsed - this.#jumped

  readonly after = (delayMs: number, run: () => void): Cancel => {
    const at = this.#elapsed + Math.max(0, delayMs)
    const recurs = this.#isStarting || (this.#ringing?.isChore === true && this.#ringing.delayMs === delayMs)
    const timer = { at, order: this.#order++, delayMs, isChore: recurs && choreDelays.has(delayMs), run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Lives through `ms` without a jump. */
  async live(ms: number): Promise<void> {
    this.stayFor(ms)
    await this.passUntil(this.now() + ms)
  }

  /** Lives through the start of a process: what it arms for later and always again are its chores. */
  async liveThroughStart(ms: number): Promise<void> {
    this.#isStarting = true
    await this.live(ms)
    this.#isStarting = false
  }

  /** Moves on to an instant of wall time. */
  async passUntil(instant: number): Promise<void> {
    const until = instant - this.#startAt
    await settle()
    for (;;) {
      const timer = this.#earliest(() => true)
      const at = Math.min(timer?.at ?? until, until)
      if (this.monotonic() >= this.#livesUntil) this.#jump(until)
      else if (timer === null || timer.at > until) {
        this.#elapsed = Math.max(this.#elapsed, at)
        break
      } else await this.#run(timer)
      if (this.#elapsed >= until && !this.#isAnyDue()) break
    }
    await settle()
  }

  async #run(timer: Timer): Promise<void> {
    this.#timers.delete(timer)
    this.#elapsed = Math.max(this.#elapsed, timer.at)
    if (!timer.isChore) this.stayFor(aftermathMs)
    this.#ringing = timer
    timer.run()
    await settle()
    this.#ringing = null
  }

  /** To the next thing that is no chore, at most to `until`. */
  #jump(until: number): void {
    const next = this.#earliest(timer => !timer.isChore)
    const to = Math.min(next?.at ?? until, until)
    const by = Math.max(0, to - this.#elapsed)
    this.#elapsed += by
    this.#jumped += by
    for (const timer of this.#timers) if (timer.isChore) timer.at += by
    this.stayFor(aftermathMs)
  }

  /** No jump for `ms`. */
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
}

/** All microtasks run before the next turn of the event loop, and nothing here waits for anything else. */
const settle = () => new Promise<void>(resolve => setImmediate(resolve))
