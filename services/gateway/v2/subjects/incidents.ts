// /v2/subjects/{subject}/incidents: open incidents, confirmed or not (reference/incidents 5.2), and their acknowledgement
// (reference/incidents 6). Incident history is not available here.
import { Type } from 'typebox'
import { allPages } from '#shared/async/pages.ts'
import type { IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { Answered, Instant, Kind, OrNull, writerOf } from '../../body/result-schema.ts'
import type { Route } from '../../http/route.ts'
import { acknowledgeRoute } from '../../subjects/acknowledge.ts'
import { findCustomSubject, ofSubject, subjectQuery, subjectReadRoute } from './find-subject.ts'

const SubjectIncident = Answered('SubjectIncident', {
  id: Type.String(),
  subject_id: Type.String(),
  rule_id: Type.String(),
  rule_name: Type.String(),
  status: Type.Enum(['problem', 'pending', 'recovering', 'no_data', 'ok']),
  trouble_since: Instant,
  confirmed_at: OrNull(Instant),
  well_since: OrNull(Instant),
  acknowledged: Type.Boolean(),
  acknowledged_at: OrNull(Instant),
  acknowledged_by: Type.String({ description: 'Empty while nobody did.' }),
  kind: Kind('subject_incident'),
})

const listIncidents = subjectReadRoute('GET', '/subjects/:subject/incidents', {
  summary: 'The open incidents of a subject, the newest trouble first.',
  result: Type.Array(SubjectIncident),
  handler: async ({ directory, incidentIds }, { found: { id: subjectId, slug, workspaceId }, traceId }) => {
    const incidents = await allPages(after => directory.ask('list-open-incidents', { workspaceId, subjectId, after }, traceId))
    return incidents.sort(newestFirst).map(incident => incidentObject(incident, slug, incidentIds))
  },
})

const acknowledge = acknowledgeRoute({
  path: '/subjects/:subject/incidents/:incident/acknowledge',
  name: 'SubjectIncidentAcknowledgement',
  ids: { subject_id: Type.String(), rule_id: Type.String() },
  query: subjectQuery,
  refusals: ofSubject,
  findSubject: findCustomSubject,
  idsOf: ({ slug }, { ruleSlug }) => ({ subjectId: slug, ruleId: ruleSlug }),
})

export const subjectIncidentRoutes: readonly Route[] = [listIncidents, acknowledge]

/** Compares two incidents: the one whose trouble began later comes first. If both began at the same instant, the rule's slug decides. */
function newestFirst(one: IncidentView, other: IncidentView): number {
  if (one.troubleSince !== other.troubleSince) return other.troubleSince - one.troubleSince
  return one.ruleSlug < other.ruleSlug ? -1 : one.ruleSlug > other.ruleSlug ? 1 : 0
}

const write = writerOf(SubjectIncident)
const incidentObject = (incident: IncidentView, subjectSlug: string, ids: IncidentIds) =>
  write({
    ...incident,
    id: ids.encode(incident.id),
    subjectId: subjectSlug,
    ruleId: incident.ruleSlug,
    acknowledged: incident.acknowledgedAt !== null,
    acknowledgedBy: incident.acknowledgedBy ?? '',
  })
