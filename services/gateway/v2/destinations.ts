// /v2/notifications/destinations (spec D 2). URLs are secrets: reading them needs editor too.
import type { FastifyInstance } from 'fastify'
import type { DestinationView } from '#shared/contracts/ask-notifications.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { requireEditor, requireMember } from '../access.ts'
import { answering, type Call, pathPart } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { timestamp } from '../instants.ts'
import { readDestination, readEnabled, readNewDestination, readNoFields } from './destination-body.ts'
import { publicNumber } from './notification-fields.ts'
import { notificationWorkspace, workspaceOfBody } from './notification-workspace.ts'

type Handler = (context: GatewayContext, call: Call) => Promise<unknown>

export function destinationRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  const handled = (handler: Handler) => answering(context.clock, call => handler(context, call))
  const all = '/notifications/destinations'
  const one = `${all}/:id`
  fastify.get(all, handled(listDestinations))
  fastify.post(all, handled(createDestination))
  fastify.get(one, handled(getDestination))
  fastify.post(one, handled(updateDestination))
  fastify.delete(one, handled(deleteDestination))
  fastify.post(`${one}/enabled`, handled(switchDestination))
  fastify.post(`${one}/default`, handled(makeDefault))
  fastify.post(`${one}/test`, handled(testDestination))
}

async function listDestinations({ directory }: GatewayContext, { request, traceId }: Call) {
  const workspaceId = notificationWorkspace(request)
  requireEditor(request.identity, workspaceId)
  return (await directory.ask('list-destinations', { workspaceId }, traceId)).map(destinationObject)
}

async function createDestination({ directory }: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  requireEditor(call.request.identity, workspaceId)
  const fields = readNewDestination(await body())
  const request = { id: randomId(idLength.destination), workspaceId, ...fields }
  return destinationObject(await directory.ask('create-destination', request, call.traceId))
}

async function getDestination(context: GatewayContext, call: Call) {
  return destinationObject(await findDestination(context, call, notificationWorkspace(call.request)))
}

async function updateDestination(context: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  const { id } = await findDestination(context, call, workspaceId)
  const request = { workspaceId, id, ...readDestination(await body()) }
  return destinationObject(await context.directory.ask('update-destination', request, call.traceId))
}

async function switchDestination(context: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  const { id } = await findDestination(context, call, workspaceId)
  const request = { workspaceId, id, enabled: readEnabled(await body()) }
  return destinationObject(await context.directory.ask('switch-destination', request, call.traceId))
}

async function makeDefault(context: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  const { id } = await findDestination(context, call, workspaceId)
  readNoFields(await body())
  return destinationObject(await context.directory.ask('make-default-destination', { workspaceId, id }, call.traceId))
}

/** A refusal quotes what the far end said, as the delivery log has it: without the address. */
async function testDestination(context: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  const { id, number } = await findDestination(context, call, workspaceId)
  readNoFields(await body())
  const result = await context.notifier.sendTest({ destinationId: id }, call.traceId)
  if (result.delivered) return { message: 'Test message delivered', destination_id: number, workspace_id: workspaceId }
  throw new AppError('invalid_state', 'Destination did not accept the test message', { details: result.error })
}

async function deleteDestination(context: GatewayContext, call: Call) {
  const workspaceId = notificationWorkspace(call.request)
  const { id, number, default: isDefault } = await findDestination(context, call, workspaceId)
  const { wasDefault } = await context.directory.ask('delete-destination', { workspaceId, id }, call.traceId)
  return {
    message: 'Destination deleted successfully',
    destination_id: number,
    workspace_id: workspaceId,
    was_default: wasDefault ?? isDefault,
  }
}

/** The destination of the path, for whoever may read and change it: workspace, object, role, in this order. */
async function findDestination({ directory }: GatewayContext, call: Call, workspaceId: string): Promise<DestinationView> {
  requireMember(call.request.identity, workspaceId)
  const number = publicNumber(pathPart(call, 'id'))
  const found = number === null ? null : await directory.ask('get-destination', { workspaceId, number }, call.traceId)
  if (found === null) {
    throw new AppError('not_found', 'Destination not found', { details: 'The workspace has no such destination' })
  }
  requireEditor(call.request.identity, workspaceId)
  return found
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
