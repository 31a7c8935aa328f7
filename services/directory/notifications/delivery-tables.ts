// Delivery tables (reference/messages 4): each table lists the destinations of one subject, and the kinds of messages that a destination
// receives. Readers ignore rows of deleted destinations, so the deletion of a destination need not change the tables.
import type { DeliveryTableView } from '#shared/contracts/ask/ask-notifications.ts'
import type {
  DeliverySelection,
  DeliveryTableDocument,
  DestinationDocument,
} from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination } from '#shared/notifications/choose-destinations.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { destinationsOf } from './destination-default.ts'
import { numberNotFound } from './named.ts'

export const getDeliveryTable: AskAnswerer<'get-delivery-table'> = async ({ store }, { workspaceId, subjectId }) => {
  const [table = null] = await store.get('deliveryTables', [subjectId])
  return tableView(table?.selections ?? [], await destinationsOf(store, workspaceId))
}

/** Replaces all rows of a table. Refuses the request if any row names a destination that the workspace does not have. */
export const putDeliveryTable: AskAnswerer<'put-delivery-table'> = async (
  { store, clock },
  { workspaceId, subjectId, selections },
) => {
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
 * Removes the tables of deleted subjects, and removes rows of deleted destinations from the workspace's other tables. Readers ignore rows
 * that remain, so only a limited number of tables is read.
 */
export async function sweepTables(store: Store, workspaceId: string): Promise<void> {
  const query = { where: { workspaceId }, limit: limits.deliveryTable.sweepPage }
  let pages = 0
  for await (const tables of pagesOf(query, next => store.find('deliveryTables', next))) {
    if (tables.length > 0) await sweepPage(store, workspaceId, tables)
    if (++pages === limits.deliveryTable.sweepPages) return
  }
}

/**
 * Reads the destinations after the tables. If destinations were read first, a destination created between the two reads would seem deleted,
 * and its rows would be removed.
 */
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
