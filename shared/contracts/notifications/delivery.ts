// A delivery, which sends one alert to one destination, the log row of each attempt, and test messages.

import { type Static, Type } from 'typebox'
import { Id, type Stored } from '#shared/contracts/common.ts'
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { DestinationType } from '#shared/contracts/notifications/destination.ts'

export interface DeliverySnapshot {
  machine: 'delivery'
  version: number
  value: 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed'
  context: DeliveryContext
}

export interface DeliveryContext {
  attempts: number
  /** Instant of the next attempt, or end of the sender's claim; null: terminal. */
  deadlineAt: number | null
  giveUpAt: number
  lastError: string | null
}

/** id: `<alert>.<destination>`. */
export interface DeliveryDocument extends Stored {
  writer: string
  alertId: string
  workspaceId: string
  destinationId: string
  incidentId: string
  alertKind: AlertKind
  /** Number of the alert within its incident. */
  number: number
  /** Name of the subject for people, for the log. */
  subjectName: string
  /** Instant at which the alert was decided, ms since the epoch. */
  decidedAt: number
  /** True for a reminder, which is not sent after its incident was acknowledged or has ended. Absent: no reminder. */
  reminder?: true
  /** 1 until the delivery is terminal (an indexed column). */
  open: 0 | 1
  /** Deadline of the snapshot (an indexed column). */
  dueAt: number | null
  snapshot: DeliverySnapshot
  /** Id of the notifier that sends the delivery, while its claim lasts. */
  claimedBy: string | null
  /** Exact body, built with the delivery and never changed; null: the body could not be built. */
  body: string | null
  /** Content type of the body; absent: JSON. */
  contentType?: 'application/json' | 'text/plain'
  /** Remark about the body; absent or null: none. */
  note?: string | null
  /** Value of the header `webhook-signature`, signed when the body was built; null or absent: the destination had no secret then. */
  signature?: string | null
  idempotencyKey: string
  createdAt: number
  expireAt: number
}

/** Occasion of a message, in the words of generation 3. */
export type DeliveryEvent = AlertKind | 'reminder' | 'test'

/** One attempt, or one held message, without the URL. id: `<delivery>.<attempt>`, `<delivery>.kept` or `<alert>.kept`. */
export interface DeliveryLogDocument extends Stored {
  /** Integer id that generation 2 shows; unique. */
  number: number
  workspaceId: string
  /** Null: no destination was chosen. */
  destinationId: string | null
  /** Integer id that generation 2 shows; null: no destination was chosen, or it is deleted. */
  destinationNumber: number | null
  /** Name of the destination at that time; null in the same cases as the number. */
  destinationName: string | null
  destinationType: DestinationType | null
  alertKind: AlertKind
  event: DeliveryEvent
  /** `held`: not sent, for the reason in `reason`. */
  status: 'delivered' | 'failed' | 'held'
  /** Null if delivered, else `http_NNN`, `unreachable`, `not_sent` or a SkipReason. */
  reason: string | null
  /** 1: the log of generation 2 shows the row, because it is an attempt of a kind that generation 2 has (an indexed column). */
  shownInV2: 0 | 1
  payload: string
  /** Empty: delivered. */
  error: string
  /** Remark about the payload, such as the fallback to the built-in body; absent or null: none. */
  note?: string | null
  incidentId: string | null
  at: number
  expireAt: number
}

/**
 * Request for a test message (reference/messages 1.9). `destinationId`: internal id, not the number. A disabled destination can be tested
 * too.
 */
export const TestMessage = Type.Object({ destinationId: Id })
export type TestMessage = Static<typeof TestMessage>

/** `error`: the same text as in the delivery log, a reason followed by the truncated response of the destination, without its address. */
export type TestMessageResult = { delivered: true } | { delivered: false; error: string }
