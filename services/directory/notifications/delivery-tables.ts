// Delivery tables (reference/messages 4): the destinations of a subject, and the kinds of messages for each. A row whose destination is
// gone counts as none, so that deleting a destination is one write whatever else happens at the same time.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { DeliveryTableView } from '#shared/contracts/ask/ask-notifications.ts'
import type {
  DeliverySelection,
  DeliveryTableDocument,
  DestinationDocument,
} from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination } from '#shared/notifications/choose-destinations.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { destinationsOf } from './destination-default.ts'
import { numberNotFound } from './named.ts'

export async function getDeliveryTable(
  { store }: DirectoryContext,
  { workspaceId, subjectId }: AskRequest<'get-delivery-table'>,
): Promise<DeliveryTableView> {
  const [table = null] = await store.get('deliveryTables', [subjectId])
  return tableView(table?.selections ?? [], await destinationsOf(store, workspaceId))
}

/** Replaces all rows. One row that names no destination of the workspace refuses them all. */
export async function putDeliveryTable(
  { store, clock }: DirectoryContext,
  { workspaceId, subjectId, selections }: AskRequest<'put-delivery-table'>,
): Promise<DeliveryTableView> {
  const destinations = await destinationsOf(store, workspaceId)
  const idOf = new Map(destinations.map(({ number, id }) => [number, id]))
  const rows = selections.map(({ number, alertKinds }): DeliverySelection => {
    const destinationId = idOf.get(number)
    if (destinationId === undefined) throw numberNotFound('destinations', number)
    return { destinationId, alertKinds: [...new Set(alertKinds)] }
  })
  await changeGuarded(store, 'deliveryTables', subjectId, present =>
    present === null && rows.length === 0
      ? null
      : { id: subjectId, rev: 0, workspaceId, selections: rows, updatedAt: clock.now() },
  )
  return tableView(rows, destinations)
}

/**
 * Takes out of the workspace's tables what names a destination that is gone, and removes tables that are empty then or whose subject
 * is gone. Tidiness alone: bounded, and what it leaves or cannot reach reads as if it were done.
 */
export async function sweepTables(store: Store, workspaceId: string): Promise<void> {
  let after: Query['after']
  for (let page = 0; page < limits.deliveryTable.sweepPages; page++) {
    const query = { where: { workspaceId }, limit: limits.deliveryTable.sweepPage, ...(after ? { after } : {}) }
    const tables = await store.find('deliveryTables', query)
    if (tables.length > 0) await sweepPage(store, workspaceId, tables)
    const last = tables.at(-1)
    if (last === undefined || tables.length < limits.deliveryTable.sweepPage) return
    after = { values: [], id: last.id }
  }
}

/** Destinations are read after their tables: a row of one that was made in between would otherwise look as if it named one that is gone. */
async function sweepPage(store: Store, workspaceId: string, tables: readonly DeliveryTableDocument[]): Promise<void> {
  const living = new Set((await destinationsOf(store, workspaceId)).map(({ id }) => id))
  const ids = tables.map(({ id }) => id)
  const subjects = await store.find('subjects', { where: { id: { in: ids }, deletedAt: null }, limit: ids.length, select: [] })
  const watched = new Set(subjects.map(({ id }) => id))
  const changed = tables.flatMap(table => {
    const selections = table.selections.filter(({ destinationId }) => living.has(destinationId))
    return watched.has(table.id) && selections.length < table.selections.length
      ? [{ ...table, rev: table.rev + 1, selections }]
      : []
  })
  if (changed.length > 0) await store.replace('deliveryTables', changed)
  const orphans = ids.filter(id => !watched.has(id))
  if (orphans.length > 0) await store.delete('deliveryTables', orphans)
}

function tableView(rows: readonly DeliverySelection[], destinations: readonly DestinationDocument[]): DeliveryTableView {
  const byId = new Map(destinations.map(destination => [destination.id, destination]))
  return {
    selections: rows.flatMap(({ destinationId, alertKinds }) => {
      const destination = byId.get(destinationId)
      return destination ? [{ number: destination.number, name: destination.name, alertKinds }] : []
    }),
    defaultNumber: defaultDestination(destinations)?.number ?? null,
  }
}
