// /v2/subjects/{subject}/incidents: open incidents, confirmed or not (reference/incidents 5.2), and their acknowledgement
// (reference/incidents 6). Incident history is not available here.
import { Type } from 'typebox'
import { allPages } from '#shared/async/pages.ts'
import type { IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { timestamp, timestampOrNull } from '../../body/instants.ts'
import { Answered, Instant, Kind, OrNull } from '../../body/result-schema.ts'
import type { Route } from '../../http/route.ts'
import { acknowledgeRoute } from '../../subjects/acknowledge.ts'
import { member, route } from '../classic-route.ts'
import { findCustomSubject, ofSubject, subjectQuery } from './find-subject.ts'

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

const listIncidents = route({
  method: 'GET',
  path: '/subjects/:subject/incidents',
  summary: 'The open incidents of a subject, the newest trouble first.',
  needs: member,
  find: findCustomSubject,
  query: subjectQuery,
  result: Type.Array(SubjectIncident),
  refusals: ofSubject,
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
  idsOf: ({ slug }, { ruleSlug }) => ({ subject_id: slug, rule_id: ruleSlug }),
})

export const subjectIncidentRoutes: readonly Route[] = [listIncidents, acknowledge]

/** Newest trouble first, ties by the rule's slug. */
function newestFirst(one: IncidentView, other: IncidentView): number {
  if (one.troubleSince !== other.troubleSince) return other.troubleSince - one.troubleSince
  return one.ruleSlug < other.ruleSlug ? -1 : one.ruleSlug > other.ruleSlug ? 1 : 0
}

const incidentObject = (incident: IncidentView, subjectSlug: string, ids: IncidentIds) => ({
  id: ids.encode(incident.id),
  subject_id: subjectSlug,
  rule_id: incident.ruleSlug,
  rule_name: incident.ruleName,
  status: incident.status,
  trouble_since: timestamp(incident.troubleSince),
  confirmed_at: timestampOrNull(incident.confirmedAt),
  well_since: timestampOrNull(incident.wellSince),
  acknowledged: incident.acknowledgedAt !== null,
  acknowledged_at: timestampOrNull(incident.acknowledgedAt),
  acknowledged_by: incident.acknowledgedBy ?? '',
  kind: 'subject_incident',
})
