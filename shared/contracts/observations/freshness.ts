// Freshness: readings in a keeper's memory that are newer than the subject's document, stored in the checkpoint beside the stream position.
// They are reports that changed nothing but the age of a reading. Stored as arrays without field names, because nearly every monitor has
// one.

/** The newest report of a location. Times in ms; `ok`: 1 passed, 0 failed; `isPushed`: 1 if a sender reported it. */
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

/** `rev`: revision of the document that the readings are newer than. `judgedAt` and `dueAt` are valid only for that revision. */
export type Freshness = readonly [
  subjectId: string,
  rev: number,
  judgedAt: number,
  dueAt: number | null,
  readings: readonly FreshReading[],
]
