// Reading of a location before its first report. Pure.
import type { Reading } from '#shared/contracts/subjects/subject.ts'

/** `at`: instant at which the location was added. */
export const neverReported = (at: number): Reading => ({
  addedAt: at,
  slotAt: null,
  at: null,
  ok: false,
  error: null,
  statusCode: null,
  totalMs: null,
})
