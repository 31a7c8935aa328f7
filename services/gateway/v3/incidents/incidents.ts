// Routes for Incidents: lists, one Incident with its history, the deliveries of an Incident, and its acknowledgement. Reference:
// docs/reference/v3.md, sections 5 and 9, and 10.3.

import { Type } from 'typebox'
import { channelTypes } from '#shared/channels/registry.ts'
import type { DeliveryEntry } from '#shared/contracts/ask/ask-notifications.ts'
import type { AcknowledgedVia } from '#shared/contracts/incidents/incident.ts'
import type { IncidentNow, IncidentRecord, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import { deliveryStatuses } from '#shared/contracts/notifications/delivery-status.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { type Call, pathPart } from '../../http/answer.ts'
import { Paged } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import { route, type V3Call } from '../common.ts'
import { DeliveryReason, SentEvent } from '../destinations.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from '../paging.ts'
import { findResource } from '../resources/resources.ts'
import { incidentFilterRefusals, incidentFilters, listIncidents } from './incident-filters.ts'
import { IncidentItem, IncidentObject, incidentObject } from './incident-object.ts'
import { responsesRoute } from './responses.ts'

const all = '/workspaces/:workspace/incidents'
const one = `${all}/:incident`

async function findIncident(context: GatewayContext, call: V3Call): Promise<IncidentRecord> {
  const decoded = context.incidentIds.decode(pathPart(call, 'incident'))
  const found = decoded && (await readRecord(context, decoded.incidentId, call))
  if (found !== null) return found
  throw refusal('not_found', 'Incident not found', 'The workspace has no such Incident')
}

type Reading = Pick<V3Call, 'workspaceId' | 'traceId'>

const readRecord = ({ directory }: GatewayContext, incidentId: string, { workspaceId, traceId }: Reading) =>
  directory.ask('read-incident', { workspaceId, incidentId }, traceId)

const listed = {
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  query: { ...incidentFilters, ...pageQuery },
  result: Type.Array(IncidentItem),
  refusals: [...incidentFilterRefusals, '422 limit', '422 cursor'],
  more: 'A page with filters may be short, or empty, and have a next one.',
} as const

const list = route('GET', all, {
  ...listed,
  summary: 'Incidents of the workspace, newest first.',
  handler: (context, call) => listIncidents(context, call),
})

const listOfResource = route('GET', '/workspaces/:workspace/resources/:resource/incidents', {
  ...listed,
  summary: 'Incidents of one Resource, newest first.',
  find: findResource,
  handler: (context, call) => listIncidents(context, call, (call.found as ResourceView).id),
})

const detail = route('GET', one, {
  summary: 'One Incident with its history, as it stands now.',
  more: 'Reading it is audited.',
  needs: { role: 'viewer', scope: null },
  find: findIncident,
  result: IncidentObject,
  isAudited: true,
  handler: (context, call) => shown(context, call.found, call),
})

const IncidentDelivery = Answered('IncidentDelivery', {
  at: Instant,
  destination: OrNull(Type.String({ description: 'Its name at that time; null if none was chosen.', examples: ['On call'] })),
  type: OrNull(Type.Enum(channelTypes())),
  event: SentEvent,
  status: Type.Enum(deliveryStatuses),
  reason: OrNull(DeliveryReason),
})
const writeDelivery = writerOf(IncidentDelivery)

const deliveries = route('GET', `${one}/deliveries`, {
  summary: 'Attempts to send messages about the Incident and messages kept back, newest first.',
  more: 'Reading them is audited.',
  needs: { role: 'viewer', scope: null },
  find: findIncident,
  query: pageQuery,
  result: Type.Array(IncidentDelivery),
  refusals: ['422 limit', '422 cursor'],
  isAudited: true,
  handler: async ({ directory }, call) => {
    const { workspaceId, found, traceId } = call
    const asked = { workspaceId, incidentId: found.id, limit: limitOf(call), after: readCursor(call) }
    const { items, next } = await directory.ask('list-incident-deliveries', asked, traceId)
    return new Paged(items.map(deliveryObject), formatCursor(call, next))
  },
})

const deliveryObject = (entry: DeliveryEntry) =>
  writeDelivery({ ...entry, destination: entry.destinationName, type: entry.destinationType })

function doorOf({ letIn, headers }: Call['request']): AcknowledgedVia {
  if (letIn?.by === 'session') return 'ui'
  return mcpAgent.test(headers['user-agent'] ?? '') ? 'mcp' : 'api'
}

const acknowledge = route('POST', `${one}/acknowledge`, {
  summary: 'Takes the Incident on: its reminders stop, its state stays.',
  more: 'One that is closed or taken: 409.',
  needs: { role: 'viewer', scope: 'acknowledge' },
  find: findIncident,
  result: IncidentObject,
  refusals: ['409'],
  handler: async (context, call) => {
    const { found, request, traceId } = call
    if (!found.isOpen) throw isClosed()
    if (found.acknowledgement !== null) throw isTaken(found.acknowledgement.by)
    const via = doorOf(request)
    const { displayName: by } = request.identity
    const command = { kind: 'acknowledge-incident', id: commandId(), incidentId: found.id, by, via } as const
    const view = await context.keeper.send(found.resource.id, command, traceId).catch(orClosed)
    if (!view.recorded) throw isTaken(view.acknowledgedBy)
    return shown(context, found, call)
  },
})

const mcpAgent = /^watchkeeper-mcp\//

const isClosed = () => refusal('invalid_state', 'Incident is closed', 'The Incident is closed: only an open one can be taken on')
const isTaken = (by: string) => refusal('invalid_state', 'Incident is taken', `The Incident was taken on by ${by}`)

/**
 * Throws the refusal of a closed Incident if the keeper responded `not_found`. The store still showed the Incident as open, but the keeper
 * had already closed the Incident.
 */
function orClosed(error: unknown): never {
  throw error instanceof AppError && error.code === 'not_found' ? isClosed() : error
}

/**
 * Returns an Incident. The state of an open Incident comes from its keeper. A closed Incident is returned as stored. An open Incident is
 * returned as stored only if its keeper does not respond.
 */
async function shown(context: GatewayContext, found: IncidentRecord, { workspaceId, traceId }: Reading) {
  const { incident, next } = await standing(context, found, { workspaceId, traceId })
  const outline = await context.directory.ask('outline-incident', { incidentId: found.id }, traceId)
  const transitions = await readTransitions(context, found.id, { sequences: outline.listed, traceId })
  const sayCause = await sayCauses(context, [incident.cause], traceId)
  return incidentObject({ incident, next, outline, transitions }, { incidentIds: context.incidentIds, sayCause })
}

async function standing(context: GatewayContext, found: IncidentRecord, reading: Reading): Promise<IncidentNow> {
  const { id, resource, isOpen } = found
  if (!isOpen) return { incident: found, next: null }
  try {
    return await context.keeper.send(resource.id, { kind: 'read-incident', id: commandId(), incidentId: id }, reading.traceId)
  } catch (error) {
    const isElsewhere = error instanceof AppError && (error.code === 'unavailable' || error.code === 'not_found')
    if (!isElsewhere) throw error
    // The Incident may have been closed or acknowledged since the lookup.
    return { incident: (await readRecord(context, id, reading)) ?? found, next: null }
  }
}

async function readTransitions(
  { directory }: GatewayContext,
  incidentId: string,
  { sequences, traceId }: { sequences: readonly number[]; traceId: string },
): Promise<RecordedTransition[]> {
  const read: RecordedTransition[] = []
  for (let left = [...sequences]; left.length > 0; ) {
    const page = await directory.ask('read-transitions', { incidentId, sequences: left }, traceId)
    read.push(...page)
    const last = page.at(-1)?.sequence ?? Number.POSITIVE_INFINITY
    left = left.filter(sequence => sequence > last)
  }
  return read
}

const responses = responsesRoute(`${one}/responses`, findIncident)

export const incidentRoutes = [list, listOfResource, detail, deliveries, responses, acknowledge]
