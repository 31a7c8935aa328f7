// Documents of deliveries: their first and next revisions, and the names of deliveries in log lines. Pure, except that each revision gets a
// random mark of its writer.

import { createHash } from 'node:crypto'
import type { DeliveryEffect, DeliveryEvent } from '#machines/delivery.ts'
import { advanceDelivery, isTerminal, openDelivery } from '#machines/delivery-snapshot.ts'
import { isWithToken } from '#shared/channels/acknowledge-slot.ts'
import { subjectOf } from '#shared/channels/message/words.ts'
import type { Configured } from '#shared/channels/port.ts'
import { carried } from '#shared/channels/posted.ts'
import { channelOf } from '#shared/channels/registry.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument, DeliverySnapshot, DeliveryStep } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import type { NotifierContext } from '../context.ts'
import { messageTo } from '../send/message.ts'
import type { MadeMessage } from '../send/message-maker.ts'
import type { Message } from '../send/sender.ts'
import { signatureOf } from '../send/signature.ts'
import { eventOfDelivery } from './event-of.ts'
import { placeIn } from './openings.ts'

/** A document to write, and the machine's effects to carry out after the write. */
export interface Step {
  document: DeliveryDocument
  effects: DeliveryEffect[]
  /** Destination, for the names in log lines; absent: the destination was deleted. */
  destination?: Pick<DestinationDocument, 'id' | 'name' | 'number' | 'type'> | undefined
  /** True if the delivery ends unsent because its message is no longer needed; this is no failure. */
  isNeedless?: true
}

interface More {
  /** Time of the machine, ms since the epoch, which the signature states; absent: `at`. */
  createdAt?: number
  /** The step of an escalation whose message the delivery is, and its instant; absent: the delivery is due at once. */
  step?: (DeliveryStep & { dueAt: number }) | undefined
  /** Whether an alert stays open over there until it is ended; absent: it does not. */
  opens?: boolean
}

/** Returns a new delivery with rev 1. `at`: present instant, ms since the epoch. */
export function newDelivery(
  alert: AlertDocument,
  destinationId: string,
  at: number,
  options: Writer,
  { createdAt = at, step, opens = false }: More = {},
): DeliveryDocument {
  const id = `${alert.id}.${destinationId}`
  const { giveUpMs, giveUpMsLeast } = limits.notifier
  const decidedAt = step?.dueAt ?? alert.decidedAt
  const snapshot = openDelivery({ at: step?.dueAt ?? at, giveUpAt: Math.max(decidedAt + giveUpMs, at + giveUpMsLeast) })
  return {
    ...firstRevision(id, snapshot, options),
    alertId: alert.id,
    workspaceId: alert.workspaceId,
    destinationId,
    incidentId: alert.incidentId,
    alertKind: alert.kind,
    subjectName: subjectOf(alert),
    number: alert.number,
    decidedAt,
    ...(alert.reminder ? { reminder: true as const } : {}),
    ...(step === undefined ? {} : { step: withoutDue(step) }),
    ...(opens ? { opens } : {}),
    createdAt,
    expireAt: at + (opens ? limits.notifier.openingMs : limits.notifier.deliveryMs),
  }
}

/** Returns the members that every new delivery has. */
export const firstRevision = (id: string, snapshot: DeliverySnapshot, { notifierId, incidentSalt }: Writer) => ({
  ...{ id, rev: 1, writer: writerMark(notifierId), ...columnsOf(snapshot), claimedBy: null, body: null },
  idempotencyKey: idempotencyKeyOf(id, incidentSalt),
})

const withoutDue = ({ from, via }: DeliveryStep): DeliveryStep => ({ from, ...(via === undefined ? {} : { via }) })

/**
 * Returns the delivery with its final message. Retries send the message unchanged, even if name, template or secrets of the destination
 * change. A message whose body an attempt completes is signed then.
 */
export function withMessage(document: DeliveryDocument, made: MadeMessage, destination: DestinationDocument): DeliveryDocument {
  const { note, request } = made
  const { body, contentType, ...frame } = request
  const { idempotencyKey: id, createdAt: madeAt } = document
  const isSigned = channelOf(destination.type).isSigned && !isWithToken(request)
  const signature = isSigned ? signatureOf(destination.secrets, { id, madeAt, body }) : null
  const openedWith = document.opens ? { openedWith: { place: placeIn(destination), secrets: {} } } : {}
  return { ...document, body, contentType, request: frame, note, signature, ...openedWith }
}

type Receiver = Configured & Pick<DestinationDocument, 'secrets'>

/**
 * Returns the message of a delivery. It is the same at every attempt, but for its secrets and addresses, which are the present ones. `token`:
 * of its acknowledge link; absent: it has none.
 */
export function messageOf(document: DeliveryDocument, destination: Receiver, token?: string): Message {
  const { body, contentType = 'application/json', request, idempotencyKey, createdAt, signature = null } = document
  const payload = { contentType, body: body ?? '' }
  const marks = { idempotencyKey, madeAt: createdAt, signature }
  const event = eventOfDelivery(document)
  const channel = channelOf(destination.type)
  const whole = { ...carried(payload), ...request }
  if (token === undefined) return messageTo(channel, destination, whole, marks, { event })
  const message = messageTo(channel, destination, whole, marks, { event, token })
  const signed = { id: idempotencyKey, madeAt: createdAt, body: message.body }
  return message.marks === null
    ? message
    : { ...message, marks: { ...message.marks, signature: signatureOf(destination.secrets, signed) } }
}

export type Writer = { notifierId: string; incidentSalt: string }

/**
 * Returns the revision after these events; null: the delivery's state does not accept one of the events. `claimedBy` is set only in the
 * state `sending`.
 */
export function nextRevision(document: DeliveryDocument, events: readonly DeliveryEvent[], notifierId: string): Step | null {
  const moved = applied(document.snapshot, events)
  if (moved === null) return null
  const claimedBy = moved.snapshot.value === 'sending' ? notifierId : null
  return {
    document: { ...lasting(document, notifierId), ...columnsOf(moved.snapshot), claimedBy },
    effects: moved.effects,
  }
}

/** Returns the next revision, the same except that its claim ends only at its deadline. */
export function lasting({ whilePresent: _, ...document }: DeliveryDocument, notifierId: string): DeliveryDocument {
  return { ...document, rev: document.rev + 1, writer: writerMark(notifierId) }
}

/** Returns the step; if it claims the delivery, the claim also ends when its notifier is absent from the bus. */
export const whilePresent = <S extends Step>(step: S): S =>
  step.document.claimedBy === null ? step : { ...step, document: { ...step.document, whilePresent: true } }

/** Returns the document with the mark of an attempt that may have arrived, if it opens something. */
export const asReached = (document: DeliveryDocument): DeliveryDocument =>
  document.opens ? { ...document, reached: true } : document

/** Like `nextRevision`, for a document that is not stored yet and keeps rev 1. */
export function beforeFirstPut(document: DeliveryDocument, events: readonly DeliveryEvent[], notifierId: string): Step {
  const next = nextRevision(document, events, notifierId)
  return next === null ? { document, effects: [] } : { ...next, document: { ...next.document, rev: 1 } }
}

function applied(from: DeliverySnapshot, events: readonly DeliveryEvent[]) {
  let snapshot = from
  const effects: DeliveryEffect[] = []
  for (const event of events) {
    const next = advanceDelivery(snapshot, event)
    if (next.snapshot === snapshot) return null
    snapshot = next.snapshot
    effects.push(...next.effects)
  }
  return { snapshot, effects }
}

const columnsOf = (snapshot: DeliverySnapshot) => ({
  snapshot,
  open: isTerminal(snapshot) ? (0 as const) : (1 as const),
  dueAt: snapshot.context.deadlineAt,
})

const writerMark = (notifierId: string) => `${notifierId}.${randomId(8)}`

/**
 * Returns the idempotency key of a delivery. Every notifier computes the same key from the delivery's id. The key is a hash, because
 * receivers see it.
 */
const idempotencyKeyOf = (deliveryId: string, salt: string) =>
  `msg_${createHash('sha256').update(`${salt}:${deliveryId}`).digest('base64url').slice(0, 27)}`

type Destination = Pick<DestinationDocument, 'name' | 'number'>

/** Returns a function that returns the fields of a log line about a delivery: names for people, and ids of the API. */
export function createLogNames({ options }: Pick<NotifierContext, 'options'>) {
  const { encode } = createIncidentIds(options.incidentSalt)
  return (document: DeliveryDocument, destination: Destination | undefined) => {
    const { id, alertKind, subjectName, incidentId, destinationId, members } = document
    const about =
      members === undefined
        ? { kind: alertKind, subject: subjectName, incident: encode(incidentId) }
        : { kind: eventOfDelivery(document), messages: members?.length ?? 0 }
    return {
      ...about,
      destination: destination?.name ?? null,
      destinationId: destination?.number ?? destinationId,
      deliveryId: id,
    }
  }
}
