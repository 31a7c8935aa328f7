// /v2/notifications/destinations (spec D 2). URLs are secrets: reading them needs editor too.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { DestinationView } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { requireEditor } from '../access.ts'
import { answering, type Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { Maybe, required, shapeReader } from '../fields.ts'
import { timestamp } from '../instants.ts'
import { readObject } from '../json-body.ts'
import { queryText } from '../query.ts'
import { notificationWorkspace } from './notification-workspace.ts'

/** Unknown fields are refused here (spec D 1, Validation). */
const Body = Type.Object(
  {
    workspace_id: Maybe(Type.String()),
    name: Maybe(Type.String()),
    url: Maybe(Type.String()),
    destination_type: Maybe(Type.String()),
    channel: Maybe(Type.String()),
    default: Maybe(Type.Boolean()),
    transformation_id: Maybe(Type.Number()),
  },
  { additionalProperties: false },
)

const readShape = shapeReader(Body)

export function destinationRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  fastify.get(
    '/notifications/destinations',
    answering(context.clock, call => listDestinations(context, call)),
  )
  fastify.post(
    '/notifications/destinations',
    answering(context.clock, call => createDestination(context, call)),
  )
}

async function listDestinations({ directory }: GatewayContext, { request, traceId }: Call) {
  const workspaceId = notificationWorkspace(request)
  requireEditor(request.identity, workspaceId)
  return (await directory.ask('list-destinations', { workspaceId }, traceId)).map(destinationObject)
}

/** The workspace is a query parameter; a body may name it instead, as creates of other nouns do. */
async function createDestination({ directory }: GatewayContext, { request, reply, traceId }: Call) {
  const body = queryText(request, 'workspace_id') === null ? await readObject(request, reply) : null
  const workspaceId = notificationWorkspace(request, body?.['workspace_id'])
  requireEditor(request.identity, workspaceId)
  const sent = readShape(body ?? (await readObject(request, reply)))
  const created = await directory.ask('create-destination', { workspaceId, ...readFields(sent) }, traceId)
  return destinationObject(created)
}

/** What the directory, which knows names, URLs and transformations, does not judge itself. */
function readFields(sent: Static<typeof Body>) {
  const name = sent.name === '' ? '' : required(sent.name, 'name')
  const url = sent.url === '' ? '' : required(sent.url, 'url')
  const type = sent.destination_type === '' ? '' : required(sent.destination_type, 'destination_type')
  if (type !== 'slack' && type !== 'webhook') {
    throw new AppError('validation', 'Invalid destination type', { details: 'destination_type must be slack or webhook' })
  }
  const transformationId = sent.transformation_id ?? null
  if (transformationId !== null && !Number.isSafeInteger(transformationId)) {
    throw new AppError('not_found', 'Transformation not found', { details: 'A transformation id is a whole number' })
  }
  const id = randomId(idLength.destination)
  return { id, name, type, url, channel: sent.channel ?? '', default: sent.default ?? false, transformationId } as const
}

const destinationObject = (destination: DestinationView) => ({
  id: destination.number,
  name: destination.name,
  destination_type: destination.type,
  channel: destination.channel,
  url: destination.url,
  enabled: destination.enabled,
  default: destination.default,
  transformation_id: destination.transformationId,
  workspace_id: destination.workspaceId,
  created_at: timestamp(destination.createdAt),
  updated_at: timestamp(destination.updatedAt),
  kind: 'notification_destination',
})
