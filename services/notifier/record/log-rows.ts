// Rows of the delivery log. Each attempt has a row, and each message that is not sent has a row. Pure. Reference: docs/reference/v3.md,
// 10.3.

import type { DeliveryEffect } from '#machines/delivery.ts'
import { isOfV2 } from '#shared/channels/registry.ts'
import type { AlertDocument, SkipReason } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument, DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Decision } from '#shared/notifications/choose-destinations.ts'
import type { Step } from './delivery-document.ts'
import { eventOf, eventOfDelivery } from './event-of.ts'

/** A row before its writer numbers it. */
export type LogRow = Omit<DeliveryLogDocument, 'number' | 'subjectId'>

type Destination = Pick<DestinationDocument, 'id' | 'number' | 'name' | 'type'>

/** Returns the word with which an error begins: `http_503`, `unreachable`, `not_sent`, or the reason why the message was not sent. */
export const reasonOf = (error: string): string | null => (error === '' ? null : (error.split(':', 1)[0] as string))

/** Returns the error of a row with the remark about the message's body. A delivered message has no error. */
export const withNote = (error: string, note: string | null | undefined): string =>
  error === '' || !note ? error : `${error}; ${note}`

/** Returns the destination's fields of a row. `destination` undefined: the destination was deleted; null: no destination was chosen. */
export const placeOf = (destination: Destination | null | undefined, id: string | null = null) => ({
  destinationId: destination?.id ?? id,
  destinationNumber: destination?.number ?? null,
  destinationName: destination?.name ?? null,
  destinationType: destination?.type ?? null,
})

const isShownInV2 = ({ alertKind: kind, members }: DeliveryDocument, { type }: Pick<DestinationDocument, 'type'>): 0 | 1 =>
  members === undefined && kind !== 'opened' && kind !== 'acknowledged' && kind !== 'withdrawn' && isOfV2(type) ? 1 : 0

type Attempted = Extract<DeliveryEffect, { type: 'logAttempt' }>

/** Returns a row for each attempt. A row contains the destination's name at that time and the exact body, but never the address. */
export function attemptRows({ document, effects }: Step, destination: DestinationDocument): LogRow[] {
  const attempts = effects.filter((effect): effect is Attempted => effect.type === 'logAttempt')
  return attempts.map(({ params: { attempt, status, error, at } }) => ({
    id: `${document.id}.${attempt}`,
    ...aboutDelivery(document),
    ...placeOf(destination),
    status,
    reason: reasonOf(error),
    shownInV2: isShownInV2(document, destination),
    payload: document.body ?? '',
    error: withNote(error, document.note),
    note: document.note ?? null,
    at,
    expireAt: at + limits.notifier.logMs,
  }))
}

/**
 * Returns rows of deliveries that end without an attempt, but for digests that have nothing to tell. The status of a row is `held` if the message was no longer needed, else `failed`.
 */
export const endedRows = (steps: readonly Step[], at: number): LogRow[] =>
  steps
    .filter(({ document }) => document.members?.length !== 0)
    .filter(({ document, effects }) => document.open === 0 && !effects.some(({ type }) => type === 'logAttempt'))
    .map(({ document, isNeedless, destination }) => ({
      id: `${document.id}.kept`,
      ...aboutDelivery(document),
      ...placeOf(destination, document.destinationId),
      status: isNeedless ? 'held' : 'failed',
      reason: reasonOf(document.snapshot.context.lastError ?? ''),
      ...unsent(document.snapshot.context.lastError ?? '', at),
    }))

/**
 * Returns a `held` row for each chosen destination that does not get the message. If there is none, returns one row whose
 * reason is the value of `nobody`, or no row if `nobody` is null.
 */
export function keptRows(
  alert: AlertDocument,
  { leftOut, nobody }: Decision,
  destinations: readonly Destination[],
  at: number,
): LogRow[] {
  const kept = (reason: SkipReason, destination: Destination | null): LogRow => ({
    id: `${alert.id}${destination === null ? '' : `.${destination.id}`}.kept`,
    rev: 1,
    workspaceId: alert.workspaceId,
    incidentId: alert.incidentId,
    alertKind: alert.kind,
    event: eventOf(alert),
    ...placeOf(destination),
    status: 'held',
    reason,
    ...unsent(reason, at),
  })
  const asked = leftOut.filter(({ reason }) => reason !== 'not_routed')
  if (asked.length === 0) return nobody === null ? [] : [kept(nobody, null)]
  return asked.map(({ destinationId, reason }) => kept(reason, destinations.find(({ id }) => id === destinationId) ?? null))
}

const unsent = (error: string, at: number) => ({
  shownInV2: 0 as const,
  payload: '',
  error,
  note: null,
  at,
  expireAt: at + limits.notifier.logMs,
})

const aboutDelivery = (document: DeliveryDocument) => ({
  rev: 1,
  workspaceId: document.workspaceId,
  incidentId: document.members === undefined ? document.incidentId : null,
  alertKind: document.alertKind,
  event: eventOfDelivery(document),
})
