// Stored observations: of checks, and of senders (pushed). Those of checks are the most numerous thing stored, so they repeat nothing
// that their id already says.
import type { Stored } from '#shared/contracts/common.ts'
import type { HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { RejectReason } from '#shared/contracts/subject-views.ts'

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

/**
 * What a sender reported. id: `pushedObservationId(subject, signal, labels, instant)`: its identity, so that sending it again replaces
 * it. An accepted one leaves when its instant is out of retention, with all others of its signal that are.
 */
export interface PushedObservationDocument {
  id: string
  /** Microseconds since the epoch. */
  receivedAtUs: number
  /** 1 ok, 0 problem, 2 no data. */
  ok: 0 | 1 | 2
  value: number | null
  /** Null: none was given. */
  error: string | null
  /** An object of texts as JSON; null: none. */
  labels: string | null
  /** Why it is never judged; null: it was accepted. */
  rejectReason: Exclude<RejectReason, 'accepted'> | null
  /** Of one that was not accepted, ms: its instant may be any. Else null. */
  expireAt: number | null
  /** The sender's own id of it; null: none was sent. Null in rows of generation 2, as are `body` and `source`. */
  sentId: string | null
  /** A JSON object as text. */
  body: string | null
  /** The door through which it came. */
  source: 'api' | 'address' | null
}

/**
 * Place of the Observation with a sender's id. id: `observationIdKey(subject, sent id)`. Written before the row, so that a report sent
 * again after a crash finds the place that it got first, even if the keeper stamped its instant.
 */
export interface ObservationIdDocument {
  id: string
  signalKey: string
  /** Microseconds since the epoch. */
  atUs: number
  /** 1: the Observation declared its signal. */
  createdSignal: 0 | 1
  /** Ms: when the row's instant is out of retention. */
  expireAt: number
}

/**
 * The newest accepted observation of one signal and one set of labels. id: `<subject>.<signal key>.<labels hash>`. Replaced by
 * compare-and-set on `rev`, right after the observation's row and before its subject's document, which is not written where the
 * observation says nothing new.
 */
export interface SeriesDocument extends Stored {
  /** Who wrote this revision, so that an unknown outcome is settled by asking again. */
  writer: string
  subjectId: string
  signalKey: string
  labels: Record<string, string>
  observedAtUs: number
  status: 'ok' | 'problem' | 'no_data'
  value: number | null
  error: string
  /** Of a Resource's signal: what it has heard, the newest first. Absent of a signal that generation 2's rules read. */
  heard?: HeardSignal
  /** With `heard`: the revision for whose rules it was heard. */
  template?: string | null
  /** Which of its subject's accepted observations it is: of two for one instant, the later of these counts. Absent in older ones. */
  number?: number
  /** When it was judged, ms: that subject's document may have been judged before. */
  judgedAt: number
  /** The revision of the subject's document at which it was judged: that very document does not have it yet. */
  subjectRev: number
  expireAt: number
}
