// Reads of the delivery log. Notifiers alone write it.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { DeliveryEntry, DeliveryView, LoggedDelivery } from '#shared/contracts/ask/ask-notifications.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { endOfPrefix } from '#shared/text/ids.ts'
import type { DirectoryContext } from '../context.ts'
import { readPage } from '../documents/page.ts'

/** A page of attempts as generation 2 knows them, newest first. */
export function listDeliveries(
  { store }: DirectoryContext,
  { workspaceId, destinationNumber, failedOnly, limit, after }: AskRequest<'list-deliveries'>,
): Promise<Page<DeliveryView>> {
  return readPage(store, {
    collection: 'deliveryLog',
    where: {
      workspaceId,
      shownInV2: 1,
      ...(destinationNumber === null ? {} : { destinationNumber }),
      ...(failedOnly ? { status: 'failed' } : {}),
    },
    sort: ['number', 'desc'],
    after,
    max: limit,
    view: rows => rows.map(deliveryView),
  })
}

/** A page of what was sent about an incident and of what was kept back, newest first. Rule: docs/reference/v3.md, 10.3. */
export function listIncidentDeliveries(
  { store }: DirectoryContext,
  { workspaceId, incidentId, limit, after }: AskRequest<'list-incident-deliveries'>,
): Promise<Page<DeliveryEntry>> {
  return readPage(store, { ...newestFirst, where: { workspaceId, incidentId }, after, max: limit })
}

/** A page of what a destination was sent and of what was kept back from it, newest first. Rule: docs/reference/v3.md, 10.3. */
export function listDestinationDeliveries(
  { store }: DirectoryContext,
  { workspaceId, destinationId, limit, after }: AskRequest<'list-destination-deliveries'>,
): Promise<Page<DeliveryEntry>> {
  return readPage(store, { ...newestFirst, where: { workspaceId, destinationId }, after, max: limit })
}

/** A page of all rows, of one destination, of one monitor or with one outcome, newest first: each is a range of an index; the rest is passed over. */
export function listDeliveryLog(
  { store }: DirectoryContext,
  { workspaceId, status, destinationId, subjectId, limit, after }: AskRequest<'list-delivery-log'>,
): Promise<Page<LoggedDelivery>> {
  const isWanted = (row: DeliveryLogDocument) =>
    (status === null || row.status === status) && (destinationId === null || row.destinationId === destinationId)
  const prefix = `${subjectId}.`
  const range =
    subjectId !== null
      ? { incidentId: { gte: prefix, lt: endOfPrefix(prefix) } }
      : destinationId !== null
        ? { destinationId }
        : status === null
          ? {}
          : { status }
  return readPage(store, {
    collection: 'deliveryLog',
    where: { workspaceId, ...range },
    sort: [subjectId === null && destinationId === null ? 'number' : 'at', 'desc'],
    after,
    max: limit,
    view: rows => rows.map(row => (isWanted(row) ? loggedDelivery(row) : null)),
  })
}

const loggedDelivery = (row: DeliveryLogDocument): LoggedDelivery => {
  const { destinationId, payload, error, note = null } = row
  return { ...entryOf(row), destinationId, payload, error, note }
}

const entryOf = ({ at, destinationName, destinationType, event, status, reason, incidentId }: DeliveryLogDocument) => ({
  at,
  destinationName,
  destinationType,
  event,
  status,
  reason,
  incidentId,
})

const newestFirst = {
  collection: 'deliveryLog' as const,
  sort: ['at', 'desc'] as ['at', 'desc'],
  view: (rows: DeliveryLogDocument[]): DeliveryEntry[] => rows.map(entryOf),
}

/** Null for what generation 2 has no words for. */
function deliveryView(row: DeliveryLogDocument): DeliveryView | null {
  const { destinationNumber, destinationName, destinationType, alertKind, status } = row
  if (destinationNumber === null || destinationName === null || destinationType === null) return null
  if (alertKind === 'opened' || alertKind === 'acknowledged' || status === 'held') return null
  const { number, payload, error, at } = row
  return { number, destinationNumber, destinationName, destinationType, alertKind, status, payload, error, at }
}
