// Open deliveries of the same incident to the same destination. A message waits until these earlier deliveries have ended, but never for an
// opening.

import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

type Place = Pick<DeliveryDocument, 'incidentId' | 'destinationId' | 'number'>

export type OpenSibling = Pick<DeliveryDocument, 'id' | 'incidentId' | 'destinationId' | 'number' | 'alertKind'>

/** Returns all open deliveries of these incidents, sorted by number. */
export async function openSiblings(store: Store, incidentIds: Iterable<string>): Promise<OpenSibling[]> {
  const ids = [...new Set(incidentIds)]
  if (ids.length === 0) return []
  const found: OpenSibling[] = []
  const query: Query = {
    where: { incidentId: { in: ids }, open: 1 },
    sort: [['number', 'asc']],
    limit: limits.store.findMax,
    select: ['incidentId', 'destinationId', 'number', 'alertKind'],
  }
  for await (const page of pagesOf(query, next => store.find('deliveries', next))) found.push(...page)
  return found
}

/** Returns true if both deliveries have the same incident and the same destination, and `other` is not an opening. */
export const isInTurnWith = (place: Omit<Place, 'number'>, other: OpenSibling): boolean =>
  other.alertKind !== 'opened' && other.incidentId === place.incidentId && other.destinationId === place.destinationId

/** Returns whether the delivery must wait for an earlier message. */
export const isHeld = (place: Place, siblings: readonly OpenSibling[]): boolean =>
  siblings.some(other => other.number < place.number && isInTurnWith(place, other))
