// Reads what a round of alerts is decided from: delivery tables, destinations, which subjects are gone, and how openings went.
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Routing } from '#shared/notifications/choose-destinations.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

const pageSize = limits.store.findMax

/**
 * Reads everything that speaks for and against sending each of these alerts. Tables are read before destinations: otherwise a row of a
 * destination that was made in between would look as if it named a deleted one.
 */
export async function readRouting(store: Store, alerts: readonly AlertDocument[]): Promise<(alert: AlertDocument) => Routing> {
  const subjectIds = [...new Set(alerts.map(({ subjectId }) => subjectId))]
  const [tables, isGone, overtaken, opened] = await Promise.all([
    store.get('deliveryTables', subjectIds),
    goneAlerts(store, alerts, subjectIds),
    overtakenIncidents(store, incidentsOf(alerts, 'opened')),
    openedDestinations(store, incidentsOf(alerts, 'recovery')),
  ])
  const destinations = await destinationsOf(store, [...new Set(alerts.map(({ workspaceId }) => workspaceId))])
  const selections = new Map(tables.flatMap(table => (table === null ? [] : [[table.id, table.selections] as const])))
  return alert => ({
    destinations: destinations.get(alert.workspaceId) ?? [],
    selections: selections.get(alert.subjectId) ?? [],
    subjectGone: isGone(alert),
    isOvertaken: overtaken.has(alert.incidentId),
    openedAt: opened.get(alert.incidentId) ?? nowhere,
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

/**
 * Returns true for alerts of a deleted subject: a deleted one is a tombstone for days, and later it is missing. Of an archived Resource it
 * returns true for the alerts that the archive closed or is about to close; an earlier end is still sent.
 */
async function goneAlerts(
  store: Store,
  alerts: readonly AlertDocument[],
  subjectIds: readonly string[],
): Promise<(alert: AlertDocument) => boolean> {
  const where = { id: { in: subjectIds } }
  const found = await store.find('subjects', { where, limit: subjectIds.length, select: ['archivedAt', 'deletedAt'] })
  const deleted = new Set(found.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id))
  const archived = new Set(found.filter(({ archivedAt }) => archivedAt !== null).map(({ id }) => id))
  const ofArchived = alerts.filter(({ subjectId }) => archived.has(subjectId)).map(({ incidentId }) => incidentId)
  const incidents = ofArchived.length === 0 ? [] : await store.get('incidents', [...new Set(ofArchived)])
  const ended = incidents.filter(incident => incident !== null).filter(isEnded)
  const endedBefore = new Set(ended.map(({ id }) => id))
  return ({ subjectId, incidentId }) => deleted.has(subjectId) || (archived.has(subjectId) && !endedBefore.has(incidentId))
}

const isEnded = ({ open, closedReason }: IncidentDocument): boolean => open === 0 && closedReason !== 'resource_archived'

/** Those whose Resource was archived while they were open. */
export async function archivedIncidents(store: Store, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (ids.size === 0) return nowhere
  const incidents = (await store.get('incidents', [...ids])).filter(incident => incident !== null)
  return new Set(incidents.filter(({ closedReason }) => closedReason === 'resource_archived').map(({ id }) => id))
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
