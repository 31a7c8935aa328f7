// Rate limit: an amount a second, and an amount in one burst. A caller that exceeds the limit waits for its share.
import type { Clock } from '#shared/time/clock.ts'

export interface Allowance {
  /**
   * Reserves `amount` and returns the milliseconds until the amount is available: 0, or the time that earlier reservations need. Reserves
   * nothing and returns null if that time exceeds `mostMs`.
   */
  take(amount: number, mostMs: number): number | null
}

/** Returns an allowance with a full burst. */
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
