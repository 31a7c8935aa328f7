// GET /v2/incidents: open incidents of website monitors (reference/incidents 5.1).
import { Type } from 'typebox'
import { pages } from '#shared/async/pages.ts'
import type { IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { Answered, Instant, Kind, OrNull, writerOf } from '../body/result-schema.ts'
import { requireMember } from '../callers/access.ts'
import { requireWorkspaceId } from '../callers/workspace-id.ts'
import { listOf } from '../http/streamed-list.ts'
import { isSubjectId } from '../subjects/subject-id.ts'
import { member, route, workspaceQuery } from './classic-route.ts'
import { accessDenied, missingWorkspace } from './refusals.ts'

const Names = Type.Array(Type.String())

const Incident = Answered('Incident', {
  id: Type.String(),
  monitor_id: Type.String(),
  monitor_name: Type.String(),
  status: Type.Enum(['problem', 'pending', 'recovering', 'no_data', 'ok']),
  trouble_since: Instant,
  confirmed_at: OrNull(Instant),
  well_since: OrNull(Instant),
  locations: Type.Object(
    { failing: Names, unknown: Names, ok: Names },
    { additionalProperties: false, description: 'The evidence: names of locations by what they report.' },
  ),
  kind: Kind('incident'),
})

/** Lists open incidents, newest first. If the filter names an id that belongs to no monitor of the workspace, the list is empty. */
export const listIncidents = route('GET', '/incidents', {
  summary: 'The open incidents of website monitors, the newest trouble first.',
  needs: member,
  find: async (_context, { request }) => {
    const workspaceId = requireWorkspaceId(request)
    requireMember(request.identity, workspaceId)
    return { workspaceId }
  },
  query: { ...workspaceQuery, monitor_id: { schema: Type.String(), meaning: 'Only those of this monitor.' } },
  result: Type.Array(Incident),
  refusals: [missingWorkspace, accessDenied],
  handler: async ({ directory, locationNames, incidentIds }, { found: { workspaceId }, query, traceId }) => {
    const { monitor_id: named = null } = query
    const subjectId = named === null ? null : String(named)
    if (subjectId !== null && !isSubjectId(subjectId)) return []
    const read = (after: string | null) => directory.ask('list-open-incidents', { workspaceId, subjectId, after }, traceId)
    const namerOf = (ids: Set<string>) => locationNames.namer(ids, traceId)
    return await listOf(incidentPages(pages(read), namerOf, incidentIds))
  },
})

type Namer = (ids: readonly string[]) => string[]

async function* incidentPages(
  found: AsyncIterable<IncidentView[]>,
  namerOf: (ids: Set<string>) => Promise<Namer>,
  incidentIds: IncidentIds,
): AsyncGenerator<object[]> {
  for await (const incidents of found) {
    const ofWebsites = incidents.filter(incident => isChecked(incident.subjectKind))
    const namesOf = await namerOf(new Set(ofWebsites.flatMap(({ failing, unknown, ok }) => [...failing, ...unknown, ...ok])))
    yield ofWebsites.map(incident => incidentObject(incident, incidentIds, namesOf))
  }
}

const write = writerOf(Incident)
const incidentObject = (incident: IncidentView, ids: IncidentIds, namesOf: Namer) =>
  write({
    ...incident,
    id: ids.encode(incident.id),
    monitorId: incident.subjectId,
    monitorName: incident.subjectName,
    locations: { failing: namesOf(incident.failing), unknown: namesOf(incident.unknown), ok: namesOf(incident.ok) },
  })
