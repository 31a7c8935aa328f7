// Limits of the intake of Observations, of generation 2's and of Resources.
import { hour, second } from '#shared/time-units.ts'

export const intakeLimits = {
  /** An observation this far in the future is a wrong clock's; older than `late`, it is kept and never judged (spec D 1). */
  clockSkewMs: 60 * second,
  lateMs: 24 * hour,
  /** Sets of labels, the newest of each signal cited, that a saved rule looks at to find what its inputs read now. */
  seriesPerSubject: 10_000,
  /** Numbers of a baseline at most, the newest ones: one read of the store, and a few milliseconds to sort (v3 4.5). */
  baselineNumbers: 10_000,
} as const
