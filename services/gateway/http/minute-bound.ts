// Bound of what somebody may do in a minute, counted by name in this process.
import { type Allowance, createAllowance } from '#shared/async/allowance.ts'
import type { Clock } from '#shared/time/clock.ts'
import { minute, second } from '#shared/time/time-units.ts'

export interface MinuteBound {
  /** Counts one more by this name, unless there were `aMinute` in the last minute. Returns whether it was counted. */
  take(name: string, aMinute: number): boolean
}

/** `remembered`: largest number of names that are counted at once. */
export function createMinuteBound(clock: Pick<Clock, 'monotonic'>, remembered: number): MinuteBound {
  const allowances = new Map<string, Allowance>()
  return {
    take: (name, aMinute) => {
      const known = allowances.get(name) ?? createAllowance(clock, aMinute / (minute / second), aMinute)
      // The one that has not been used for the longest time goes first.
      allowances.delete(name)
      allowances.set(name, known)
      if (allowances.size > remembered) allowances.delete(allowances.keys().next().value ?? '')
      return known.take(1, 0) !== null
    },
  }
}
