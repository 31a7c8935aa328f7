// Bounds of what is kept of the answers to failed checks (docs/reference/v3.md, 5.10).
import { day, minute, second } from '#shared/time/time-units.ts'

export const answerLimits = {
  /** Characters of the status line, number of headers and their bytes, bytes of the body. */
  lineCharacters: 200,
  headers: 32,
  headerBytes: 2 * 1024,
  bodyBytes: 2 * 1024,
  /** Largest number of bytes of a kept answer as JSON, so that a result has at most 12 KiB. */
  bytes: 11 * 1024,
  /** Longest time for which a failed check goes on reading an answer that is kept, ms. */
  readMs: second,
  /** Least time between two kept answers of a monitor from one location, ms. */
  everyMs: minute,
  /** Time for which an answer waits for an incident, ms, and number of locations whose answers are kept with one. */
  waitMs: day,
  locations: 8,
} as const
