// Stored Incident with its messages, and the facts of the outside world about the Incident: the data for checks of its deliveries.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DeliveryDocument, DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { calm, expectedOf, pastOf } from '../expected.ts'
import type { ExpectedIncident } from '../incidents.ts'
import type { Resource } from '../resource.ts'
import { stepsOf, type Tenure, tenuresOf } from '../truths.ts'
import type { Course, Dispatched } from './expected-rows.ts'
import type { PostState } from './post.ts'

export interface StoredIncident {
  incident: IncidentDocument
  alerts: AlertDocument[]
  deliveries: DeliveryDocument[]
  rows: DeliveryLogDocument[]
  course: Course
}

export async function storedIncidentsOf(resource: Resource): Promise<StoredIncident[]> {
  const { facts, house } = resource
  const { store } = house.keepers
  const limit = 10_000
  const incidents = await store.find('incidents', { where: { subjectId: facts.id }, limit })
  const alerts = await store.find('alerts', { where: { subjectId: facts.id }, sort: [['number', 'asc']], limit })
  const where = { incidentId: { in: incidents.map(({ id }) => id) } }
  const deliveries = incidents.length === 0 ? [] : await store.find('deliveries', { where, limit })
  const rows = incidents.length === 0 ? [] : await store.find('deliveryLog', { where, limit })
  const expected = expectedOf(resource, calm, house.keepers.now()).incidents
  const tenures = tenuresOf(facts, house.revisions)
  return incidents.map(incident => {
    const isOfIt = ({ incidentId }: { incidentId: string | null }) => incidentId === incident.id
    const own = { alerts: alerts.filter(isOfIt), deliveries: deliveries.filter(isOfIt), rows: rows.filter(isOfIt) }
    const tenure = tenures.findLast(({ rule, from }) => rule.key === incident.rule.key && from <= incident.troubleSince)
    if (tenure === undefined) throw new Error(`${incident.id} is of no rule`)
    return { incident, ...own, course: courseOf(resource, { tenure, expected }, incident, own) }
  })
}

function courseOf(
  resource: Resource,
  { tenure, expected }: { tenure: Tenure; expected: readonly ExpectedIncident[] },
  { troubleSince, closedAt, open }: IncidentDocument,
  { alerts, deliveries, rows }: Omit<StoredIncident, 'incident' | 'course'>,
): Course {
  const { facts, house } = resource
  const { rule, template, endsAt, reason } = tenure
  const naming = house.namings.get(`${template.key}@${template.version} ${rule.key}`)!
  const messages = alerts.map((alert): Dispatched => {
    const { id, kind, reminder: isReminder, held, decidedAt } = alert
    const made = deliveries.filter(({ alertId }) => alertId === id).map(({ createdAt }) => createdAt)
    const kept = rows.filter(row => row.id.startsWith(`${id}.`) && row.status === 'held').map(row => row.at)
    const at = Math.min(...(made.length > 0 ? made : kept.length > 0 ? kept : [decidedAt]))
    return { id, kind, isReminder, isHeld: held !== null, resourceId: facts.id, naming, at, decidedAt }
  })
  const recoveredAt = alerts.find(({ kind }) => kind === 'recovery')?.decidedAt ?? null
  const isOfIt = (one: ExpectedIncident) => one.rule === rule.key && one.openedAt === troubleSince && one.closedAt === closedAt
  const known = expected.find(isOfIt)
  const endedAt = open === 1 ? null : (known?.endedAt ?? recoveredAt ?? endsAt)
  const isOpenAt = (at: number) => at >= troubleSince && (endedAt === null || at <= endedAt)
  const past = pastOf(resource, template.key, template.version)
  return {
    messages,
    stateAt: at => house.post.statesBetween(at, at).at(-1) as PostState,
    fareAt: (destination, at) => house.receivers.fareAt(destination, at),
    endedAt,
    archivedAt: recoveredAt === null && open === 0 && reason === 'resource_archived' ? endsAt : null,
    acknowledgedAt: facts.acknowledgements.find(one => one.rule === rule.key && isOpenAt(one.at))?.at ?? null,
    isFailingAt: at =>
      stepsOf(facts, tenure, past, [], at).findLast(step => step.at <= at && step.truth !== 'unknown')?.truth === 'true',
    isMutedAt: at => facts.windows.some(({ from, until }) => at >= from && at < until),
  }
}
