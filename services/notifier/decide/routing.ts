// Reads the facts that decide the destinations of a round of alerts: delivery tables, destinations, deleted subjects, and deliveries of
// first messages.

import { changesMessages, findChannel, staysOpen } from '#shared/channels/registry.ts'
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfEnd, type Routing } from '#shared/notifications/choose-destinations.ts'
import { toldIn } from '#shared/notifications/told-in.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

/**
 * Returns a function that returns the facts for the routing of an alert. Delivery tables are read before destinations. In the opposite
 * order, a destination created between the two reads would look deleted.
 */
export async function readRouting(store: Store, alerts: readonly AlertDocument[]): Promise<(alert: AlertDocument) => Routing> {
  const subjectIds = [...new Set(alerts.map(({ subjectId }) => subjectId))]
  const [tables, isGone, overtaken] = await Promise.all([
    store.get('deliveryTables', subjectIds),
    goneAlerts(store, alerts, subjectIds),
    overtakenIncidents(store, incidentsOf(alerts, 'opened')),
  ])
  const destinations = await destinationsOf(store, [...new Set(alerts.map(({ workspaceId }) => workspaceId))])
  const told = await readTold(store, alerts, destinations)
  const selections = new Map(tables.flatMap(table => (table === null ? [] : [[table.id, table.selections] as const])))
  return alert => ({
    destinations: destinations.get(alert.workspaceId) ?? [],
    selections: selections.get(alert.subjectId) ?? [],
    subjectGone: isGone(alert),
    isOvertaken: overtaken.has(alert.incidentId),
    ...toldIn(told.get(alert.incidentId) ?? []),
  })
}

const incidentsOf = (alerts: readonly AlertDocument[], kind: AlertKind): string[] => [
  ...new Set(alerts.filter(alert => alert.kind === kind).map(({ incidentId }) => incidentId)),
]

/** Returns the ids of incidents that were confirmed or closed. Leaves out incidents that are not stored yet. */
export async function overtakenIncidents(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const incidents = await presentIncidents(store, ids)
  return new Set(incidents.filter(({ confirmedAt, open }) => confirmedAt !== null || open === 0).map(({ id }) => id))
}

/**
 * Reads the deliveries of first messages, by incident: of all recoveries, because a destination that got the opening also gets the closing,
 * and of other later messages only in workspaces with escalations, or with destinations where a later message changes or ends an earlier
 * one.
 */
async function readTold(
  store: Store,
  alerts: readonly AlertDocument[],
  destinations: ReadonlyMap<string, readonly DestinationDocument[]>,
): Promise<Map<string, DeliveryDocument[]>> {
  const follows = (type: string) => staysOpen(type) || changesMessages(type) || findChannel(type)?.stepsOf !== undefined
  const escalates = ({ workspaceId, facts: { routing = null } }: AlertDocument) =>
    (routing !== null && 'routes' in routing && routing.routes.some(({ afterMinutes }) => afterMinutes !== undefined)) ||
    (destinations.get(workspaceId) ?? []).some(({ type }) => follows(type))
  const isLater = ({ kind, reminder }: AlertDocument) => reminder || isOfEnd(kind)
  const asked = alerts.filter(alert => alert.kind === 'recovery' || (isLater(alert) && escalates(alert)))
  const kinds = alerts.some(escalates) ? ['opened', 'problem', 'no_data'] : ['opened']
  const incidentIds = [...new Set(asked.map(({ incidentId }) => incidentId))]
  if (incidentIds.length === 0) return new Map()
  const found: DeliveryDocument[] = []
  const query: Query = {
    where: { incidentId: { in: incidentIds }, alertKind: { in: kinds } },
    sort: [['number', 'asc']],
    limit: limits.notifier.batch,
  }
  for await (const page of pagesOf(query, next => store.find('deliveries', next))) found.push(...page)
  return Map.groupBy(found, ({ incidentId }) => incidentId)
}

/**
 * Returns a test for alerts that must not be sent: the subject was deleted, or the incident was closed because its Resource was archived.
 * Alerts of an incident that ended before the archiving are sent.
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
  const incidents = await presentIncidents(store, [...new Set(ofArchived)])
  const endedBefore = new Set(incidents.filter(isEnded).map(({ id }) => id))
  return ({ subjectId, incidentId }) => deleted.has(subjectId) || (archived.has(subjectId) && !endedBefore.has(incidentId))
}

const isEnded = ({ open, closedReason }: IncidentDocument): boolean => open === 0 && closedReason !== 'resource_archived'

/** Returns the incidents that were open when their Resource was archived. */
export async function archivedIncidents(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const incidents = await presentIncidents(store, ids)
  return new Set(incidents.filter(({ closedReason }) => closedReason === 'resource_archived').map(({ id }) => id))
}

export const presentIncidents = async (store: Store, ids: readonly string[]): Promise<IncidentDocument[]> =>
  ids.length === 0 ? [] : (await store.get('incidents', ids)).filter(incident => incident !== null)

async function destinationsOf(store: Store, workspaceIds: readonly string[]): Promise<Map<string, DestinationDocument[]>> {
  const found: DestinationDocument[] = []
  const query: Query = { where: { workspaceId: { in: workspaceIds } }, limit: limits.store.findMax }
  for await (const page of pagesOf(query, next => store.find('destinations', next))) found.push(...page)
  return Map.groupBy(found, ({ workspaceId }) => workspaceId)
}
