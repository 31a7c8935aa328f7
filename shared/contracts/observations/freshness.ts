// Freshness: readings in a keeper's memory that are newer than the subject's document. The checkpoint stores freshness together with the
// stream position. The reports with these readings changed only the age of a reading, so the subject's document was not written. To keep
// the checkpoint small, a record is an array without field names, because nearly every monitor has a record.

/**
 * The newest report of a source: a check at a location. Times in ms. `ok`: 1 if the check passed, 0 if it failed. `isPushed`: 1 if a sender, not a prober, sent
 * the report.
 */
export type FreshReading = readonly [
  source: string,
  slotAt: number,
  at: number,
  ok: 0 | 1,
  statusCode: number | null,
  totalMs: number | null,
  error: string | null,
  isPushed?: 1,
]

/**
 * Freshness of one subject. `rev`: revision of the subject's document to which the readings belong. `judgedAt` and `dueAt` are valid only
 * for this revision.
 */
export type Freshness = readonly [
  subjectId: string,
  rev: number,
  judgedAt: number,
  dueAt: number | null,
  readings: readonly FreshReading[],
]
