// Acknowledging an incident, the same for website monitors and custom subjects (spec A, Rules per route 7; spec B): the caller has
// found the subject that the path names; what comes after it in the order of the checks is looked at here.
import type { IncidentView } from '#shared/contracts/ask-subjects.ts'
import type { AcknowledgementView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import type { IncidentIds } from '#shared/incident-ids.ts'
import { requireEditor } from './access.ts'
import type { Call } from './answer.ts'
import { commandId } from './command-id.ts'
import type { GatewayContext } from './context.ts'
import { timestamp, timestampOrNull } from './instants.ts'
import { requireNoBody } from './json-body.ts'

export interface AcknowledgeTarget {
  /** Of the subject in the path, which the caller may read. */
  subjectId: string
  /** As it stands in the path. */
  publicIncidentId: string
}

/**
 * Records who and when; a repeat answers the first person's. Throws, in this order: not_found `Incident not found` for an id that is
 * not one of this subject's, access_denied for a viewer, validation where there is any body, invalid_state `Incident is closed`.
 */
export async function acknowledgeIncident(
  context: GatewayContext,
  call: Call,
  target: AcknowledgeTarget,
): Promise<AcknowledgementView> {
  const incident = await findIncident(context, call, target)
  requireEditor(call.request.identity, incident.workspaceId)
  await requireNoBody(call.request, call.reply)
  return incident.open ? acknowledgeOpen(context, call, incident) : answerClosed(incident)
}

async function findIncident(context: GatewayContext, call: Call, target: AcknowledgeTarget): Promise<IncidentView> {
  const decoded = context.incidentIds.decode(target.publicIncidentId)
  if (decoded === null || decoded.subjectId !== target.subjectId) throw notFound()
  const incident = await context.directory.ask('get-incident', { incidentId: decoded.incidentId }, call.traceId)
  if (incident === null) throw notFound()
  return incident
}

/** It may close between our look and the keeper's: then it is answered as what it has become. */
async function acknowledgeOpen(context: GatewayContext, call: Call, incident: IncidentView): Promise<AcknowledgementView> {
  const by = call.request.identity.displayName
  const command = {
    kind: 'acknowledge-incident',
    id: commandId(),
    incidentId: incident.id,
    by,
    via: 'api',
  } as const
  try {
    return await context.keeper.send(incident.subjectId, command, call.traceId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
  const now = await context.directory.ask('get-incident', { incidentId: incident.id }, call.traceId)
  if (now === null) throw notFound()
  if (now.open) throw new AppError('unavailable', 'The incident is changing', { details: 'Try again' })
  return answerClosed(now)
}

function answerClosed(incident: IncidentView): AcknowledgementView {
  const { acknowledgedAt, acknowledgedBy } = incident
  if (acknowledgedAt === null || acknowledgedBy === null) {
    throw new AppError('invalid_state', 'Incident is closed', { details: 'Only an open incident can be acknowledged' })
  }
  const { id, ruleSlug, troubleSince, confirmedAt, wellSince, closedAt } = incident
  return {
    incidentId: id,
    ruleSlug,
    status: 'ok',
    acknowledgedAt,
    acknowledgedBy,
    recorded: false,
    troubleSince,
    confirmedAt,
    wellSince,
    closedAt,
  }
}

/** The fields that only one of the two families has. */
type FamilyFields = { monitor_id: string } | { subject_id: string; rule_id: string }

/** Kind `incident_acknowledgement`: the other family's fields are absent, not empty. */
export const acknowledgementObject = (view: AcknowledgementView, ids: IncidentIds, family: FamilyFields) => ({
  incident_id: ids.encode(view.incidentId),
  ...family,
  status: view.status,
  acknowledged: true,
  acknowledged_at: timestamp(view.acknowledgedAt),
  acknowledged_by: view.acknowledgedBy,
  recorded: view.recorded,
  trouble_since: timestamp(view.troubleSince),
  confirmed_at: timestampOrNull(view.confirmedAt),
  well_since: timestampOrNull(view.wellSince),
  closed_at: timestampOrNull(view.closedAt),
  kind: 'incident_acknowledgement',
})

const notFound = (): AppError =>
  new AppError('not_found', 'Incident not found', { details: 'The incident does not exist or belongs to something else' })
