// A check without what it asks: its bound, its timers and its one end. Owns its timers, and releases them in every case. Never throws.
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { CheckContext, CheckOutcome, RunningCheck } from './checker.ts'
import { clean } from './sentences.ts'

export type Done = (outcome: CheckOutcome) => void

/** `done` is called exactly once, possibly before `start` returns. It is not called after `abandon`. */
export abstract class BoundedCheck<Options extends { timeout_seconds: number }> implements RunningCheck {
  protected readonly options: Options
  protected readonly context: CheckContext
  /** Bound of the whole check: its timeout, or its interval if that is shorter. */
  protected readonly totalMs: number
  protected isSettled = false
  /** Time until the name was resolved, of checks that resolve one. */
  protected dnsMs: number | null = null
  readonly #done: Done
  readonly #startedAt: number
  readonly #cancels: Cancel[] = []

  constructor(options: Options, { intervalMs }: CheckEntry, context: CheckContext, done: Done) {
    this.options = options
    this.context = context
    this.totalMs = Math.min(options.timeout_seconds * 1_000, intervalMs)
    this.#done = done
    this.#startedAt = context.clock.monotonic()
  }

  abstract start(): void

  /** Releases everything that the check holds beside its timers. */
  protected abstract release(): void

  abandon(): void {
    this.#end()
  }

  /** Calls `run` after `delayMs`, unless the check ends or the returned function is called before. */
  protected after(delayMs: number, run: () => void): Cancel {
    if (this.isSettled) return () => undefined
    const cancel = this.context.clock.schedule(delayMs, run)
    this.#cancels.push(cancel)
    return cancel
  }

  /** Ends the check, the first time. `fault`: reason of the failure, a sentence; null: the check passed. */
  protected settle(fault: string | null, more: Pick<CheckOutcome, 'value' | 'cannot' | 'details'>): void {
    if (this.isSettled) return
    this.#end()
    const phases = { dnsMs: this.dnsMs, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: this.elapsed() }
    this.#done({ ok: fault === null, error: fault === null ? null : clean(fault), statusCode: null, phases, ...more })
  }

  /** Returns the time since the start, ms with two decimals. */
  protected elapsed(): number {
    return this.since(this.#startedAt)
  }

  /** Returns the time since an instant of the monotonic clock, ms with two decimals. */
  protected since(instant: number): number {
    return Math.round((this.context.clock.monotonic() - instant) * 100) / 100
  }

  #end(): void {
    this.isSettled = true
    for (const cancel of this.#cancels) cancel()
    this.release()
  }
}
