// Stored observations: results of checks, and pushed observations, which senders report. Results of checks are by far the most numerous
// documents. So their rows omit everything that the id of the row already contains.
import type { Stored } from '#shared/contracts/common.ts'
import type { CheckPhases } from '#shared/contracts/observations/check.ts'
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { RejectReason } from '#shared/contracts/subjects/subject-views.ts'

/**
 * id: `checkObservationId(subject, location, slot)`. Times in whole ms. A stored row is never replaced: the first result of a slot stays.
 */
export interface CheckObservationDocument extends Omit<CheckPhases, 'totalMs'> {
  id: string
  /** Value of the check, rounded: the total time, or what its kind finds instead. Null: this check has none. */
  totalMs: number | null
  /** 1: passed, 0: failed. */
  ok: 0 | 1
  /** End of the check, ms after its slot. */
  delayMs: number
  statusCode: number | null
  error: string | null
}

/**
 * A pushed observation. id: `pushedObservationId(subject, signal, labels, instant)`. So an observation that is sent again replaces the
 * stored row. An accepted observation is deleted when its instant is older than its signal's retention.
 */
export interface PushedObservationDocument {
  id: string
  /** Microseconds since the epoch. */
  receivedAtUs: number
  /** 1: ok, 0: problem, 2: no data. */
  ok: 0 | 1 | 2
  value: number | null
  /** Error text of the sender; null: none was sent. */
  error: string | null
  /** Labels as JSON, an object of texts; null: the observation has no labels. */
  labels: string | null
  /** Reason why the observation is never judged; null: accepted. */
  rejectReason: Exclude<RejectReason, 'accepted'> | null
  /**
   * Expiry of an observation that was not accepted, ms since the epoch. The expiry does not depend on the observation's instant, because a
   * sender may send any instant. Null: accepted.
   */
  expireAt: number | null
  /** The sender's own id of the observation; null: none was sent. `sentId`, `body` and `source` are null in rows of generation 2. */
  sentId: string | null
  /** A JSON object as text. */
  body: string | null
  /** Route by which the observation arrived. */
  source: 'api' | 'address' | 'ping' | null
}

/**
 * Pointer from the id that a sender gave an Observation to the Observation's row. id: `observationIdKey(subject, sent id)`. The pointer is
 * written before the row. If the keeper crashes between the two writes, the sender may send the report again. The repeated report then gets
 * the instant in the pointer, even if the keeper had chosen this instant. The pointer is deleted immediately before the row.
 */
export interface ObservationIdDocument {
  id: string
  signalKey: string
  /** Microseconds since the epoch. */
  atUs: number
  /** 1: the Observation created its signal. */
  createdSignal: 0 | 1
}

/**
 * The newest accepted observation of one signal with one label set. id: `<subject>.<signal key>.<labels hash>`. A keeper first writes the
 * observation's row, then replaces this document by compare-and-set on `rev`, then writes the subject's document. If an observation changes
 * nothing in this document, the document is not written.
 */
export interface SeriesDocument extends Stored {
  /**
   * Id of the write that stored this revision. If a write gets no response, the keeper reads the document again and recognises its own
   * write by this id.
   */
  writer: string
  subjectId: string
  signalKey: string
  labels: Record<string, string>
  observedAtUs: number
  status: 'ok' | 'problem' | 'no_data'
  value: number | null
  error: string
  /** Recent Observations of a Resource's signal, newest first. Absent for a signal that rules of generation 2 read. */
  heard?: HeardSignal
  /** Template revision whose rules determined which Observations `heard` contains. Set if `heard` is set. */
  template?: string | null
  /**
   * Number of the observation among the accepted observations of the subject. If two observations have the same instant, the one with the
   * higher number counts.
   */
  number: number
  /** Instant at which the observation was judged, ms. The stored document of the subject may contain an earlier judgement. */
  judgedAt: number
  /** Revision of the subject's document when the observation was judged. That revision does not contain the observation yet. */
  subjectRev: number
  expireAt: number
}
