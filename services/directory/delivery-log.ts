// Reads of the delivery log. Notifiers alone write it.
import type { AskRequest } from '#shared/contracts/ask.ts'
import type { DeliveryEntry, DeliveryView } from '#shared/contracts/ask-notifications.ts'
import type { DeliveryLogDocument } from '#shared/contracts/delivery.ts'
import type { Page } from '#shared/contracts/page.ts'
import type { DirectoryContext } from './context.ts'
import { readPage } from './page.ts'

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
