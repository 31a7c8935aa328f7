// Rate limit: an amount for each second, and an amount for one burst. A caller that exceeds the limit waits.
import type { Clock } from '#shared/time/clock.ts'

export interface Allowance {
  /**
   * Reserves `amount` and returns the milliseconds until the caller may use it. Returns null and reserves nothing if the caller would
   * wait longer than `mostMs`.
   */
  take(amount: number, mostMs: number): number | null
}

/** Returns an allowance whose first burst is available at once. */
export function createAllowance(clock: Pick<Clock, 'monotonic'>, perSecond: number, atOnce: number): Allowance {
  let left = atOnce
  let countedAt = clock.monotonic()
  return {
    take: (amount, mostMs) => {
      const now = clock.monotonic()
      left = Math.min(atOnce, left + ((now - countedAt) / 1_000) * perSecond)
      countedAt = now
      const waitMs = Math.max(0, ((amount - left) / perSecond) * 1_000)
      if (waitMs > mostMs) return null
      left -= amount
      return waitMs
    },
  }
}
