// Reads what a round of alerts is decided from: delivery tables, destinations, which subjects are gone, and how openings went.
import type { AlertDocument, AlertKind } from '#shared/contracts/alert.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { limits } from '#shared/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { Routing } from './decide.ts'

const pageSize = limits.store.findMax

/**
 * What speaks for and against telling each of these alerts. Tables are read before destinations: a row of a destination that was made
 * in between would otherwise look as if it named one that is gone.
 */
export async function readRouting(store: Store, alerts: readonly AlertDocument[]): Promise<(alert: AlertDocument) => Routing> {
  const subjectIds = [...new Set(alerts.map(({ subjectId }) => subjectId))]
  const [tables, gone, overtaken, opened] = await Promise.all([
    store.get('deliveryTables', subjectIds),
    goneOf(store, subjectIds),
    overtakenIncidents(store, incidentsOf(alerts, 'opened')),
    openedDestinations(store, incidentsOf(alerts, 'recovery')),
  ])
  const destinations = await destinationsOf(store, [...new Set(alerts.map(({ workspaceId }) => workspaceId))])
  const selections = new Map(tables.flatMap(table => (table === null ? [] : [[table.id, table.selections] as const])))
  return ({ workspaceId, subjectId, incidentId }) => ({
    destinations: destinations.get(workspaceId) ?? [],
    selections: selections.get(subjectId) ?? [],
    subjectGone: gone.has(subjectId),
    isOvertaken: overtaken.has(incidentId),
    openedAt: opened.get(incidentId) ?? nowhere,
  })
}

const nowhere: ReadonlySet<string> = new Set()

const incidentsOf = (alerts: readonly AlertDocument[], kind: AlertKind): string[] => [
  ...new Set(alerts.filter(alert => alert.kind === kind).map(({ incidentId }) => incidentId)),
]

/** Those that have been confirmed or closed; one that is not there yet is neither. */
export async function overtakenIncidents(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return nowhere
  const incidents = (await store.get('incidents', ids)).filter(incident => incident !== null)
  return new Set(incidents.filter(({ confirmedAt, open }) => confirmedAt !== null || open === 0).map(({ id }) => id))
}

/** Destinations by incident that got its opening; one that is being sent at this moment may get it. */
async function openedDestinations(store: Store, incidentIds: readonly string[]): Promise<Map<string, Set<string>>> {
  const opened = new Map<string, Set<string>>()
  if (incidentIds.length === 0) return opened
  const query: Query = {
    where: { incidentId: { in: incidentIds }, alertKind: 'opened' },
    sort: [['number', 'asc']],
    limit: limits.notifier.batch,
  }
  for await (const page of pagesOf(query, next => store.find('deliveries', next))) {
    for (const { incidentId, destinationId, snapshot } of page) {
      if (snapshot.value !== 'delivered' && snapshot.value !== 'sending') continue
      opened.set(incidentId, (opened.get(incidentId) ?? new Set()).add(destinationId))
    }
  }
  return opened
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
