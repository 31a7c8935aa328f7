// Judgement of how long a check took, of every kind that has a bound for it. Pure.
import { checkField } from './check-field.ts'

/** Bound of the rule that tells people of slow answers. A check that is slower has not failed. */
export const slowMs = checkField({
  key: 'slow_ms',
  type: 'integer',
  label: 'Tell when it is slower for five minutes',
  section: 'judging',
  hint: 'Milliseconds. 60000: never, as a check ends before.',
  default: 60_000,
  min: 1,
  max: 60_000,
})

/** Returns the fault of a check that passed otherwise, as a sentence; null: it was fast enough. Both in ms. */
export function slowness(maxMs: number, totalMs: number): string | null {
  const ms = Math.round(totalMs)
  return ms > maxMs ? `answer took ${ms} ms, more than ${maxMs}` : null
}
