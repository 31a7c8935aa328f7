// Which deliveries of the same incident to the same destination are still open: a later message waits for them.
import type { DeliveryDocument } from '#shared/contracts/delivery.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'

type Place = Pick<DeliveryDocument, 'incidentId' | 'destinationId' | 'number'>
export type OpenSibling = Pick<DeliveryDocument, 'id' | 'incidentId' | 'destinationId' | 'number'>

/** Open deliveries of these incidents, by number. One read has them all: an incident gets a message every few hours. */
export async function openSiblings(store: Store, incidentIds: Iterable<string>): Promise<OpenSibling[]> {
  const ids = [...new Set(incidentIds)]
  if (ids.length === 0) return []
  return store.find('deliveries', {
    where: { incidentId: { in: ids }, open: 1 },
    sort: [['number', 'asc']],
    limit: limits.store.findMax,
    select: ['incidentId', 'destinationId', 'number'],
  })
}

export const isHeld = (place: Place, siblings: readonly OpenSibling[]): boolean =>
  siblings.some(
    other => other.number < place.number && other.incidentId === place.incidentId && other.destinationId === place.destinationId,
  )
