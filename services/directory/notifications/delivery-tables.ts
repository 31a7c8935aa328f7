// Delivery tables (reference/messages 4): each table lists the destinations of one subject, and the kinds of messages that a destination
// receives. Readers ignore rows of deleted destinations, so the deletion of a destination need not change the tables.
import { isOfV2 } from '#shared/channels/registry.ts'
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

/**
 * Replaces all rows of a table that generation 2 shows. Refuses the request if any row names a destination that generation 2 does not show.
 */
export const putDeliveryTable: AskAnswerer<'put-delivery-table'> = async (
  { store, clock },
  { workspaceId, subjectId, selections: sent },
) => {
  const destinations = await destinationsOf(store, workspaceId)
  const shown = destinations.filter(({ type }) => isOfV2(type))
  const hidden = new Set(destinations.filter(({ type }) => !isOfV2(type)).map(({ id }) => id))
  const idOf = new Map(shown.map(({ number, id }) => [number, id]))
  const rows = sent.map(({ number, alertKinds }): DeliverySelection => {
    const destinationId = idOf.get(number)
    if (destinationId === undefined) throw numberNotFound('destinations', number)
    return { destinationId, alertKinds: [...new Set(alertKinds)] }
  })
  let selections = rows
  await changeGuarded(store, 'deliveryTables', subjectId, present => {
    const kept = (present?.selections ?? []).filter(({ destinationId }) => hidden.has(destinationId))
    selections = [...rows, ...kept]
    if (present === null && selections.length === 0) return null
    return { id: subjectId, rev: 0, workspaceId, selections, updatedAt: clock.now() }
  })
  return tableView(selections, destinations)
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

/** Rows of destinations that generation 2 does not show are left out, but they still decide who gets messages. */
function tableView(rows: readonly DeliverySelection[], destinations: readonly DestinationDocument[]): DeliveryTableView {
  const byId = new Map(destinations.map(destination => [destination.id, destination]))
  const living = rows.flatMap(({ destinationId, alertKinds }) => {
    const destination = byId.get(destinationId)
    return destination ? [{ destination, alertKinds }] : []
  })
  const selections = living
    .filter(({ destination }) => isOfV2(destination.type))
    .map(({ destination: { number, name }, alertKinds }) => ({ number, name, alertKinds }))
  const usual = defaultDestination(destinations)
  const hasUsual = living.length === 0 && usual !== undefined
  return {
    selections,
    defaultNumber: usual !== undefined && isOfV2(usual.type) ? usual.number : null,
    fallback: selections.length > 0 ? '' : hasUsual ? 'workspace_default' : 'silence',
  }
}
