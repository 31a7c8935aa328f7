// Retries of work that fails for a while. Pauses on an injected clock. The caller decides which errors are retried.
import { pause } from '#shared/async/pause.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Retries {
  clock: Pick<Clock, 'monotonic' | 'schedule'>
  /** Maximum number of attempts; default: unlimited. */
  attempts?: number
  /** Time for all attempts, ms; default: unlimited. A pause never extends beyond this time. */
  withinMs?: number
  /** Returns the pause after a failed attempt, ms. `failures` counts failed attempts from 1. */
  pauseMs(failures: number, error: unknown): number
  /** Returns true if another attempt may succeed. */
  mayPass(error: unknown): boolean
  /** Called before each pause. */
  onRetry?(error: unknown): void
}

/**
 * Returns the result of the first attempt that succeeds. `leftMs`: time left for all attempts, 0 if it has run out. If `mayPass` returns
 * false for an attempt's error, or if a bound is reached, throws this error. `attempt` must be work that may be done twice. A caller that
 * wants to stop lets the next attempt throw an error for which `mayPass` returns false. A running pause still runs to its end.
 */
export async function retry<T>(attempt: (leftMs: number) => Promise<T>, retries: Retries): Promise<T> {
  const { clock, attempts = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY } = retries
  const endsAt = clock.monotonic() + withinMs
  const leftMs = () => Math.max(0, endsAt - clock.monotonic())
  for (let failures = 1; ; failures++) {
    try {
      return await attempt(leftMs())
    } catch (error) {
      if (failures >= attempts || leftMs() === 0 || !retries.mayPass(error)) throw error
      retries.onRetry?.(error)
      await pause(clock, Math.min(retries.pauseMs(failures, error), leftMs()))
    }
  }
}

/** Pauses of `firstMs`, doubled after each failure up to `mostMs`. */
export const doubled =
  (firstMs: number, mostMs = Number.POSITIVE_INFINITY) =>
  (failures: number): number =>
    Math.min(mostMs, firstMs * 2 ** (failures - 1))
