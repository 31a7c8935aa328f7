// Which deliveries of the same incident to the same destination are still open: a later message waits for them, but never for an opening.
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'

const pageSize = limits.store.findMax

type Place = Pick<DeliveryDocument, 'incidentId' | 'destinationId' | 'number'>
export type OpenSibling = Pick<DeliveryDocument, 'id' | 'incidentId' | 'destinationId' | 'number' | 'alertKind'>

/** Open deliveries of these incidents, by number. One read nearly always has them all; of more, each is read: order hangs on every one. */
export async function openSiblings(store: Store, incidentIds: Iterable<string>): Promise<OpenSibling[]> {
  const ids = [...new Set(incidentIds)]
  const found: OpenSibling[] = []
  for (let after: Query['after']; ids.length > 0; ) {
    const page = await store.find('deliveries', {
      where: { incidentId: { in: ids }, open: 1 },
      sort: [['number', 'asc']],
      limit: pageSize,
      select: ['incidentId', 'destinationId', 'number', 'alertKind'],
      ...(after ? { after } : {}),
    })
    found.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) break
    after = { values: [last.number], id: last.id }
  }
  return found
}

export const isHeld = (place: Place, siblings: readonly OpenSibling[]): boolean =>
  siblings.some(
    other =>
      other.number < place.number &&
      other.alertKind !== 'opened' &&
      other.incidentId === place.incidentId &&
      other.destinationId === place.destinationId,
  )
