// A stored check observation. The most numerous thing stored, so it repeats nothing that its id already says.

/** id: `checkObservationId(subject, location, slot)`. Times in whole ms. Never replaced: the first result of a slot wins. */
export interface CheckObservationDocument {
  id: string
  /** 1 passed, 0 failed. */
  ok: 0 | 1
  /** When the check ended, as ms after its slot. */
  delayMs: number
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
  totalMs: number
  statusCode: number | null
  error: string | null
}
