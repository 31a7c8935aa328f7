// Acknowledgement of an incident (reference/incidents 6). The responses for website monitors and custom subjects differ only in their ids.

import { type TProperties, Type } from 'typebox'
import type { IncidentView } from '#shared/contracts/ask/ask-subjects.ts'
import type { AcknowledgementView } from '#shared/contracts/subjects/subject-views.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { requireNoBody } from '../body/json-body.ts'
import { Answered, Instant, Kind, OrNull, type Source, writerOf } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import { type Call, pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { type ClassicCall, type ClassicRefusal, editor, route } from '../v2/classic-route.ts'
import { accessDenied } from '../v2/refusals.ts'
import { commandId } from './command-id.ts'

interface Family<Subject, Ids extends TProperties> extends Pick<Route, 'path' | 'query'> {
  /** Name of the response's schema. */
  name: string
  ids: Ids
  refusals: readonly ClassicRefusal[]
  /** Returns the subject of the path, which the caller may read. */
  findSubject(context: GatewayContext, call: ClassicCall): Promise<Subject>
  /** Returns the values for the fields `ids` of the response, by field name in camel case. */
  idsOf(subject: Subject, acknowledgement: AcknowledgementView): Source<Ids>
}

/**
 * Records who acknowledged and when. A repeated request returns the first acknowledgement. Checks run in this order: an incident of another
 * subject is refused (`Incident not found`), then a caller who is a viewer, then a request with a body, then a closed incident (`Incident
 * is closed`).
 */
export function acknowledgeRoute<Subject extends { id: string }, Ids extends TProperties>(family: Family<Subject, Ids>): Route {
  const result = acknowledgementResult(family.name, family.ids)
  const write = writerOf(result)
  return route('POST', family.path, {
    summary: 'Says that somebody looks after an incident: its reminders stop, its status does not change.',
    more: 'Takes no body. A repeat answers who was first, with `recorded` false.',
    needs: editor,
    find: async (context, call) => {
      const subject = await family.findSubject(context, call)
      const incident = await findIncident(context, call, subject.id)
      return { workspaceId: incident.workspaceId, subject, incident }
    },
    ...(family.query === undefined ? {} : { query: family.query }),
    result,
    refusals: [
      ...(['2001 This request takes no body', '2002 Incident not found', '2004 Incident is closed'] as const),
      accessDenied,
      ...family.refusals,
    ],
    handler: async (context, call) => {
      const { subject, incident } = call.found
      await requireNoBody(call.request, call.reply)
      const view = incident.open ? await acknowledgeOpen(context, call, incident) : answerClosed(incident)
      return write({ ...view, ...family.idsOf(subject, view), incidentId: context.incidentIds.encode(view.incidentId) })
    },
  })
}

const acknowledgementResult = (name: string, ids: TProperties) =>
  Answered(name, {
    incident_id: Type.String(),
    ...ids,
    status: Type.Enum(['problem', 'pending', 'recovering', 'no_data', 'ok']),
    acknowledged: Type.Literal(true),
    acknowledged_at: Instant,
    acknowledged_by: Type.String(),
    recorded: Type.Boolean({ description: 'Whether this call wrote the acknowledgement.' }),
    trouble_since: Instant,
    confirmed_at: OrNull(Instant),
    well_since: OrNull(Instant),
    closed_at: OrNull(Instant),
    kind: Kind('incident_acknowledgement'),
  })

async function findIncident(context: GatewayContext, call: Call, subjectId: string): Promise<IncidentView> {
  const decoded = context.incidentIds.decode(pathPart(call, 'incident'))
  if (decoded === null || decoded.subjectId !== subjectId) throw notFound()
  const incident = await context.directory.ask('get-incident', { incidentId: decoded.incidentId }, call.traceId)
  if (incident === null) throw notFound()
  return incident
}

/** Acknowledges an open incident. If the incident closes between the lookup and the command, returns the state after the close. */
async function acknowledgeOpen(context: GatewayContext, call: Call, incident: IncidentView): Promise<AcknowledgementView> {
  const { displayName: by } = call.request.identity
  const command = { kind: 'acknowledge-incident', id: commandId(), incidentId: incident.id, by, via: 'api' } as const
  try {
    return await context.keeper.send(incident.subjectId, command, call.traceId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
  const now = await context.directory.ask('get-incident', { incidentId: incident.id }, call.traceId)
  if (now === null) throw notFound()
  if (now.open) throw refusal('unavailable', 'The incident is changing', 'Try again')
  return answerClosed(now)
}

function answerClosed(incident: IncidentView): AcknowledgementView {
  const { acknowledgedAt, acknowledgedBy } = incident
  if (acknowledgedAt === null || acknowledgedBy === null) {
    throw refusal('invalid_state', 'Incident is closed', 'Only an open incident can be acknowledged')
  }
  return { ...incident, incidentId: incident.id, status: 'ok', acknowledgedAt, acknowledgedBy, recorded: false }
}

const notFound = () => refusal('not_found', 'Incident not found', 'The incident does not exist or belongs to something else')
