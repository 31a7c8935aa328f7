// What a checkpoint keeps beside the place in the stream. Freshness is what a keeper's memory knows of a subject beyond its document: reports
// that changed nothing but how fresh a reading is; in arrays without names, because there is one for nearly every monitor.

/**
 * location id, slot, end of the check, passed (1) or failed (0), status code, total ms, error, and 1 if a sender reported it: the newest
 * report of a location.
 */
export type FreshReading = readonly [
  locationId: string,
  slotAt: number,
  at: number,
  ok: 0 | 1,
  statusCode: number | null,
  totalMs: number | null,
  error: string | null,
  isPushed?: 1,
]

/** `rev` is that of the document to which it was newer; `judgedAt` and `dueAt` hold for that one only. */
export type Freshness = readonly [
  subjectId: string,
  rev: number,
  judgedAt: number,
  dueAt: number | null,
  readings: readonly FreshReading[],
]
