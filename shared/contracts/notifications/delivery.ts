// Deliveries (one alert on its way to one destination), the log rows of their attempts, and test messages.

import { type Static, Type } from 'typebox'
import { Id, type Stored } from '#shared/contracts/common.ts'
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryStatus } from '#shared/contracts/notifications/delivery-status.ts'
import type { SettingValue } from '#shared/contracts/notifications/destination.ts'

export interface DeliverySnapshot {
  machine: 'delivery'
  version: number
  value: 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed'
  context: DeliveryContext
}

export interface DeliveryContext {
  attempts: number
  /** Instant of the next attempt, or of the end of the running claim. Null: the delivery is in a terminal state. */
  deadlineAt: number | null
  giveUpAt: number
  lastError: string | null
}

/** id: `<alert>.<destination>`; of a digest `digest.<destination>.<instant>`. */
export interface DeliveryDocument extends Stored {
  writer: string
  alertId: string
  workspaceId: string
  destinationId: string
  incidentId: string
  alertKind: AlertKind
  /** Number of the alert within its incident. */
  number: number
  /** Name of the subject, which the delivery log shows. */
  subjectName: string
  /** Instant at which the alert was decided, ms since the epoch. */
  decidedAt: number
  /**
   * True for a reminder. A reminder is no longer sent when its incident was acknowledged or has ended. Absent: the message is no reminder.
   */
  reminder?: true
  /**
   * Present: the delivery is a step of an escalation. It is due at an instant of its own. Its message is made then, so until then `body` is
   * null and `decidedAt` is that instant.
   */
  step?: DeliveryStep
  /** True: what the message opens over there stays open until it is ended. Absent: it opens nothing. */
  opens?: true
  /** True: an attempt was made that may have arrived. Kept only of messages that open something. Absent: none. */
  reached?: true
  /**
   * How the message opened something over there, by its latest attempt: what it opened is ended in the same way. Absent: it opens nothing, or
   * an older program sent it.
   */
  openedWith?: OpenedWith
  /**
   * Present: the message is told by the digest of this instant, ms since the epoch, or waits for it. Absent: it goes out alone.
   */
  gathered?: number
  /**
   * Present: the delivery is a digest, and `number` is the instant at which it is due. Ids of the alerts that it tells; null: it was not
   * claimed yet.
   */
  members?: string[] | null
  /** 1 until the delivery is in a terminal state, then 0 (an indexed column). */
  open: 0 | 1
  /** Copy of the snapshot's deadline, as an indexed column. */
  dueAt: number | null
  snapshot: DeliverySnapshot
  /** Id of the notifier that has claimed the delivery in order to send it; null: no notifier has claimed it. */
  claimedBy: string | null
  /** True: the claim also ends when its notifier is absent from the bus (ADR 48). Absent: it ends only at the deadline. */
  whilePresent?: true
  /**
   * Body of the message, built when the delivery is created and never changed. Null: the body could not be built, or is not built yet
   * (`step`).
   */
  body: string | null
  /** Content type of the body; absent: JSON. */
  contentType?: BodyType
  /** The rest of the request, with slots (shared/channels/slots.ts). Absent: a POST to the destination's `url`. */
  request?: RequestFrame
  /** Remark about the body; absent or null: none. */
  note?: string | null
  /**
   * Value of the header `webhook-signature`, computed when the body was built. Null or absent: the destination had no secret at that time.
   */
  signature?: string | null
  idempotencyKey: string
  createdAt: number
  expireAt: number
}

export interface OpenedWith {
  /** Settings that say at which service, by key. */
  place: Readonly<Record<string, SettingValue>>
  /** Hashes of the secrets, by key. */
  secrets: Readonly<Record<string, string>>
}

export type BodyType = 'application/json' | 'text/plain' | 'application/x-www-form-urlencoded'

export interface DeliveryStep {
  /** Instant from which the step's minutes count, ms since the epoch. */
  from: number
  /** Id of the destination that passes the message on; absent: a route names the step's destination itself. */
  via?: string
}

/** Place of a secret or an address in a request: each attempt fills it with the setting's value of that instant. */
export interface Slot {
  /** Key of the setting. */
  slot: string
  /**
   * Form of the value there: inside a JSON text, in a form, as one part of a URL, or as its beginning without a last slash. Absent: the value
   * itself.
   */
  as?: 'json' | 'form' | 'part' | 'base'
  /** Key of another setting: both are the user and the password of basic authentication. */
  password?: string
  /** Added to the query of the value, which is a URL. */
  query?: Readonly<Record<string, string>>
  /** Of a value in a form: the name of its member by a beginning of the value, the first that fits. */
  names?: Readonly<Record<string, string>>
}

/** A text with slots. */
export type Slotted = string | readonly (string | Slot)[]

/** A request but for its body. */
/** `GET`: without a body. */
export const requestMethods = ['POST', 'PUT', 'PATCH', 'GET'] as const
export type RequestMethod = (typeof requestMethods)[number]

export interface RequestFrame {
  method: RequestMethod
  url: Slotted
  /** Names in lower case. */
  headers: Readonly<Record<string, Slotted>>
  /** A setting with lines of further headers, `Name: value`. */
  headerLines?: Slot
  /** The body, if it has slots; absent: the delivery's `body`. */
  slottedBody?: Slotted
  /** True: it has a slot for the token of an acknowledge link, which each attempt makes. Absent: it has none. */
  acknowledges?: true
  /** Present: it is a mail with the body as text, to the settings `to`, by the mail server of `url`. */
  mail?: MailFrame
}

/** What a mail has beside its text. */
export interface MailFrame {
  subject: string
  html: Slotted
  /** Id of the incident, as the API shows it: mails about it are one thread. */
  incident: string
}

/** Occasion of a message, as generation 3 names it. */
export type DeliveryEvent = AlertKind | 'reminder' | 'digest' | 'test'

/**
 * One row of the delivery log: an attempt, or a held message. Never contains the URL. id: `<delivery>.<attempt>`, `<delivery>.kept` or
 * `<alert>.kept`.
 */
export interface DeliveryLogDocument extends Stored {
  /** Integer id that generation 2 shows; unique. */
  number: number
  workspaceId: string
  /** Internal id of the destination; null: no destination was chosen. */
  destinationId: string | null
  /** Integer id of the destination in generation 2. Null: no destination was chosen, or the destination is deleted. */
  destinationNumber: number | null
  /** Name of the destination at the time of the attempt; null in the same cases as `destinationNumber`. */
  destinationName: string | null
  destinationType: string | null
  alertKind: AlertKind
  event: DeliveryEvent
  /** `held`: the message was not sent; `reason` says why. */
  status: DeliveryStatus
  /** Reason why the message was not delivered: `http_NNN`, `unreachable`, `not_sent` or a SkipReason. Null if it was delivered. */
  reason: string | null
  /**
   * 1 if the log of generation 2 shows the row (an indexed column). That log shows attempts to send messages of the kinds that generation 2
   * has.
   */
  shownInV2: 0 | 1
  payload: string
  /** Empty: delivered. */
  error: string
  /** Remark about the payload, such as the fallback to the built-in body; absent or null: none. */
  note?: string | null
  incidentId: string | null
  /** The monitor of the incident; null: the row is about no incident. Absent: an earlier version wrote the row. */
  subjectId?: string | null
  at: number
  expireAt: number
}

/**
 * Request for a test message (reference/messages 1.9). `destinationId`: internal id of the destination, not its number. A disabled
 * destination can be tested too.
 */
export const TestMessage = Type.Object({ destinationId: Id })
export type TestMessage = Static<typeof TestMessage>

/**
 * `accepted`: the far end took the message, and does not say whether it arrived; absent: it arrived. `error`: same text as in the delivery log, a reason followed by the beginning of the response. Never contains the address of the
 * destination.
 */
export type TestMessageResult = { delivered: true; accepted?: true } | { delivered: false; error: string }
