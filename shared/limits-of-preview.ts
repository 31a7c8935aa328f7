// Limits of previews (v3 3.11).
import { day, second } from '#shared/time-units.ts'

export const previewLimits = {
  /** From the first Observation to `at`. */
  spanMs: 400 * day,
  /** JSON of all incidents of an answer. With the evidence of the rules it stays below the 2 MiB of a message on the bus. */
  incidentBytes: 1.5 * 1024 ** 2,
  /** A keeper works on one at a time; others are busy, and asked again. */
  atOnce: 1,
  /** Work in one turn of the event loop: a report waits so long at most. */
  sliceMs: 4,
  /** A keeper's answer, less than the 10 s of a gateway. The largest preview takes 2 to 3 s of a core. */
  answerMs: 9 * second,
} as const
