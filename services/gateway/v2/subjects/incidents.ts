// GET /v2/subjects/{subject}/incidents: what is open, confirmed or not (spec B, Subject incident). History is not served here.
import { allPages } from '#shared/all-pages.ts'
import type { IncidentView } from '#shared/contracts/ask-subjects.ts'
import type { IncidentIds } from '#shared/incident-ids.ts'
import type { Call } from '../../answer.ts'
import type { GatewayContext } from '../../context.ts'
import { timestamp, timestampOrNull } from '../../instants.ts'
import { findCustomSubject } from './find-subject.ts'

export async function listIncidents(context: GatewayContext, call: Call) {
  const { id: subjectId, slug, workspaceId } = await findCustomSubject(context, call)
  const incidents = await allPages(after =>
    context.directory.ask('list-open-incidents', { workspaceId, subjectId, after }, call.traceId),
  )
  return incidents.sort(newestFirst).map(incident => incidentObject(incident, slug, context.incidentIds))
}

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
