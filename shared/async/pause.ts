// A pause on an injected clock.
import type { Clock } from '#shared/time/clock.ts'

/** Resolves after `ms`; at once if `ms` is 0 or less. */
export const pause = (clock: Pick<Clock, 'schedule'>, ms: number): Promise<void> =>
  ms <= 0 ? Promise.resolve() : new Promise(resolve => void clock.schedule(ms, resolve))
