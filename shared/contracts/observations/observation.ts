// Stored observations of checks and of senders (pushed). Checks have the most rows of all, so their rows repeat nothing that the id
// contains.
import type { Stored } from '#shared/contracts/common.ts'
import type { CheckPhases } from '#shared/contracts/observations/check.ts'
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { RejectReason } from '#shared/contracts/subjects/subject-views.ts'

/** id: `checkObservationId(subject, location, slot)`. Times in whole ms. Never replaced: the first result of a slot stays. */
export interface CheckObservationDocument extends CheckPhases {
  id: string
  /** 1: passed, 0: failed. */
  ok: 0 | 1
  /** End of the check, ms after its slot. */
  delayMs: number
  statusCode: number | null
  error: string | null
}

/**
 * A pushed observation. id: `pushedObservationId(subject, signal, labels, instant)`, so that an observation that is sent again replaces its
 * first copy. An accepted observation is deleted when its instant leaves the retention of its signal.
 */
export interface PushedObservationDocument {
  id: string
  /** Microseconds since the epoch. */
  receivedAtUs: number
  /** 1: ok, 0: problem, 2: no data. */
  ok: 0 | 1 | 2
  value: number | null
  /** Null: none was sent. */
  error: string | null
  /** Labels as JSON, an object of texts; null: none. */
  labels: string | null
  /** Reason why the observation is never judged; null: accepted. */
  rejectReason: Exclude<RejectReason, 'accepted'> | null
  /** Expiry of an observation that was not accepted, ms since the epoch, because its own instant may be arbitrary. Null: accepted. */
  expireAt: number | null
  /** The sender's own id of the observation; null: none was sent. `sentId`, `body` and `source` are null in rows of generation 2. */
  sentId: string | null
  /** A JSON object as text. */
  body: string | null
  /** Route by which the observation arrived. */
  source: 'api' | 'address' | null
}

/**
 * Pointer from a sender's id to the row of its Observation. id: `observationIdKey(subject, sent id)`. The pointer is written before the
 * row, so that a report that is sent again after a crash gets the same instant, even if the keeper chose the instant. It is deleted right
 * before the row.
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
 * The newest accepted observation of one signal with one label set. id: `<subject>.<signal key>.<labels hash>`. A keeper replaces
 * this document by compare-and-set on `rev`, after it writes the observation's row and before it writes the subject's document. An
 * observation that changes nothing in this document causes no write of it.
 */
export interface SeriesDocument extends Stored {
  /** Id of the write of this revision, by which a retry recognises its own write after an unknown outcome. */
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
  /** Template revision whose rules chose the Observations in `heard`. Set with `heard`. */
  template?: string | null
  /** Position among the accepted observations of its subject: at equal instants the higher number counts. */
  number: number
  /** Instant at which the observation was judged, ms; the document of the subject may have been judged earlier. */
  judgedAt: number
  /** Revision of the subject's document at the judgement; that revision does not contain the observation yet. */
  subjectRev: number
  expireAt: number
}
