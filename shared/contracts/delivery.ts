// A delivery: one alert on its way to one destination, and the log row of each attempt.
import type { AlertKind } from '#shared/contracts/alert.ts'
import type { Stored } from '#shared/contracts/common.ts'
import type { DestinationType } from '#shared/contracts/destination.ts'

export interface DeliverySnapshot {
  machine: 'delivery'
  version: number
  value: 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed'
  context: DeliveryContext
}

export interface DeliveryContext {
  attempts: number
  /** When it is tried next, or when the claim of the one who sends it ends; null when terminal. */
  deadlineAt: number | null
  giveUpAt: number
  lastError: string | null
}

/** id is `<alert>.<destination>`. */
export interface DeliveryDocument extends Stored {
  writer: string
  alertId: string
  workspaceId: string
  destinationId: string
  incidentId: string
  alertKind: AlertKind
  /** The alert's number within its incident. */
  number: number
  /** As people know the subject, for the log; absent in older ones. */
  subjectName?: string
  /** When its alert was decided, ms since the epoch; absent in older ones. */
  decidedAt?: number
  /** It reminds: once its incident was acknowledged or has ended, it is sent no more. Absent: it does not. */
  reminder?: true
  /** 1 while it is not terminal (an indexed column). */
  open: 0 | 1
  /** The snapshot's deadline (an indexed column). */
  dueAt: number | null
  snapshot: DeliverySnapshot
  /** The notifier that is sending it, while its claim lasts. */
  claimedBy: string | null
  /** The exact body, frozen when the delivery is made; null where none could be. Older ones freeze it at their first attempt. */
  body: string | null
  /** What the body is, frozen with it; absent: JSON. */
  contentType?: 'application/json' | 'text/plain'
  /** What is remarkable about the body; absent or null: nothing. */
  note?: string | null
  /** The `webhook-signature` header over that body, frozen with it; null or absent: the destination had no secret. */
  signature?: string | null
  idempotencyKey: string
  createdAt: number
  expireAt: number
}

/** The occasion of a message, as generation 3 names it. */
export type DeliveryEvent = AlertKind | 'reminder' | 'test'

/**
 * One attempt, or one message that was kept back. Never carries the URL. id is `<delivery>.<attempt>`, of what was kept back
 * `<delivery>.kept` or `<alert>.kept`.
 */
export interface DeliveryLogDocument extends Stored {
  /** The integer id that generation 2 shows; unique. */
  number: number
  workspaceId: string
  /** Null if no destination was chosen. */
  destinationId: string | null
  /** The integer id that generation 2 shows; null if the destination is gone or none was chosen. */
  destinationNumber: number | null
  /** As it was called then; null as above. */
  destinationName: string | null
  destinationType: DestinationType | null
  alertKind: AlertKind
  event: DeliveryEvent
  /** `held`: kept back, for `reason`. */
  status: 'delivered' | 'failed' | 'held'
  /** Null if delivered, else `http_NNN`, `unreachable`, `not_sent` or an UntoldReason. */
  reason: string | null
  /** 1: generation 2's log shows it, an attempt of a kind that generation 2 knows (an indexed column). */
  shownInV2: 0 | 1
  payload: string
  /** Empty when delivered. */
  error: string
  /** What is remarkable about the payload (it fell back to the built-in body); absent: nothing. */
  note?: string | null
  incidentId: string | null
  at: number
  expireAt: number
}
