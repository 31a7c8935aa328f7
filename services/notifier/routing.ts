// Reads what a round of alerts is decided from: delivery tables, destinations, and which subjects are gone.
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { Routing } from './decide.ts'

const pageSize = limits.store.findMax

/**
 * What speaks for and against telling each of these alerts. Tables are read before destinations: a row of a destination that was made
 * in between would otherwise look as if it named one that is gone.
 */
export async function readRouting(store: Store, alerts: readonly AlertDocument[]): Promise<(alert: AlertDocument) => Routing> {
  const subjectIds = [...new Set(alerts.map(({ subjectId }) => subjectId))]
  const [tables, gone] = await Promise.all([store.get('deliveryTables', subjectIds), goneOf(store, subjectIds)])
  const destinations = await destinationsOf(store, [...new Set(alerts.map(({ workspaceId }) => workspaceId))])
  const selections = new Map(tables.flatMap(table => (table === null ? [] : [[table.id, table.selections] as const])))
  return ({ workspaceId, subjectId }) => ({
    destinations: destinations.get(workspaceId) ?? [],
    selections: selections.get(subjectId) ?? [],
    subjectGone: gone.has(subjectId),
  })
}

/** A deleted subject is a tombstone for days; one that is not there at all says nothing. */
async function goneOf(store: Store, subjectIds: readonly string[]): Promise<Set<string>> {
  const where = { id: { in: subjectIds }, deletedAt: { gt: 0 } }
  const found = await store.find('subjects', { where, limit: subjectIds.length, select: ['deletedAt'] })
  return new Set(found.map(({ id }) => id))
}

async function destinationsOf(store: Store, workspaceIds: readonly string[]): Promise<Map<string, DestinationDocument[]>> {
  const where = { workspaceId: { in: workspaceIds } }
  const byWorkspace = new Map<string, DestinationDocument[]>()
  for (let page: DestinationDocument[] = []; ; ) {
    const last = page.at(-1)
    page = await store.find('destinations', { where, limit: pageSize, ...(last ? { after: { values: [], id: last.id } } : {}) })
    for (const destination of page) {
      const known = byWorkspace.get(destination.workspaceId)
      if (known) known.push(destination)
      else byWorkspace.set(destination.workspaceId, [destination])
    }
    if (page.length < pageSize) return byWorkspace
  }
}
