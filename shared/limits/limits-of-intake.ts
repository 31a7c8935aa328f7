// Limits for accepting Observations, those of generation 2 and those of Resources.
import { hour, second } from '#shared/time/time-units.ts'

export const intakeLimits = {
  /** An observation further in the future than this, or older than `lateMs`, is stored but never judged (reference/custom-subjects 4.6). */
  clockSkewMs: 60 * second,
  lateMs: 24 * hour,
  /** Label sets that are read when a rule is saved, to find the present readings of its inputs: the newest ones of each cited signal. */
  seriesPerSubject: 10_000,
  /** Maximum of numbers in a baseline, the newest ones: one read of the store, and a few milliseconds to sort (v3 4.5). */
  baselineNumbers: 10_000,
  /** Time after a repeated sender's id in which rounds read ids before they write, because a round that meets one steps again. */
  sentIdReadsMs: 10 * second,
} as const
