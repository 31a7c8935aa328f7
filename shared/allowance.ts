// So much a second, and so much at once: what somebody may ask of us. Whoever asks for more waits for their share.
import type { Clock } from '#shared/clock.ts'

export interface Allowance {
  /**
   * Takes `amount` and returns after how many ms it is there: 0, or as long as what was taken before needs. Takes nothing and returns
   * null if that is more than `mostMs`.
   */
  take(amount: number, mostMs: number): number | null
}

/** Starts full. */
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
