// Reads of the delivery log (spec D 2). Notifiers alone write it.
import type { AskRequest } from '#shared/contracts/ask.ts'
import type { DeliveryView } from '#shared/contracts/ask-notifications.ts'
import type { DeliveryLogDocument } from '#shared/contracts/delivery.ts'
import type { Page } from '#shared/contracts/page.ts'
import type { DirectoryContext } from './context.ts'
import { readPage } from './page.ts'

/** A page of attempts, newest first. */
export function listDeliveries(
  { store }: DirectoryContext,
  { workspaceId, destinationNumber, failedOnly, limit, after }: AskRequest<'list-deliveries'>,
): Promise<Page<DeliveryView>> {
  return readPage(store, {
    collection: 'deliveryLog',
    where: {
      workspaceId,
      ...(destinationNumber === null ? {} : { destinationNumber }),
      ...(failedOnly ? { status: 'failed' } : {}),
    },
    sort: ['number', 'desc'],
    after,
    max: limit,
    view: rows => rows.map(deliveryView),
  })
}

const deliveryView = (row: DeliveryLogDocument): DeliveryView => ({
  number: row.number,
  // Rows written before it was kept have none; they leave within 30 days.
  destinationNumber: row.destinationNumber ?? 0,
  destinationName: row.destinationName,
  destinationType: row.destinationType,
  alertKind: row.alertKind,
  status: row.status,
  payload: row.payload,
  error: row.error,
  at: row.at,
})
