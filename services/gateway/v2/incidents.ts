// GET /v2/incidents: open incidents of website monitors (spec A, Website incident).
import type { FastifyInstance } from 'fastify'
import { allPages } from '#shared/all-pages.ts'
import type { IncidentView } from '#shared/contracts/ask-subjects.ts'
import type { IncidentIds } from '#shared/incident-ids.ts'
import { requireMember } from '../access.ts'
import { answering, type Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { timestamp, timestampOrNull } from '../instants.ts'
import { queryText } from '../query.ts'
import { isSubjectId } from '../subject-id.ts'
import { requireWorkspaceId } from '../workspace-id.ts'

export function incidentRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  fastify.get(
    '/incidents',
    answering(context.clock, call => listIncidents(context, call)),
  )
}

/** Newest trouble first. A filter that names no monitor of the workspace finds nothing. */
async function listIncidents(context: GatewayContext, { request, traceId }: Call) {
  const workspaceId = requireWorkspaceId(request)
  requireMember(request.identity, workspaceId)
  const subjectId = queryText(request, 'monitor_id')
  if (subjectId !== null && !isSubjectId(subjectId)) return []
  const incidents = await allPages(after =>
    context.directory.ask('list-open-incidents', { workspaceId, subjectId, after }, traceId),
  )
  const ofWebsites = incidents.filter(incident => incident.subjectKind === 'website')
  const locationIds = new Set(ofWebsites.flatMap(({ failing, unknown, ok }) => [...failing, ...unknown, ...ok]))
  const namesOf = await context.locationNames.namer(locationIds, traceId)
  return ofWebsites.map(incident => incidentObject(incident, context.incidentIds, namesOf))
}

const incidentObject = (incident: IncidentView, ids: IncidentIds, namesOf: (ids: readonly string[]) => string[]) => ({
  id: ids.encode(incident.id),
  monitor_id: incident.subjectId,
  monitor_name: incident.subjectName,
  status: incident.status,
  trouble_since: timestamp(incident.troubleSince),
  confirmed_at: timestampOrNull(incident.confirmedAt),
  well_since: timestampOrNull(incident.wellSince),
  locations: { failing: namesOf(incident.failing), unknown: namesOf(incident.unknown), ok: namesOf(incident.ok) },
  kind: 'incident',
})
