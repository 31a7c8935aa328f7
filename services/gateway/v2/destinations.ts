// /v2/notifications/destinations (reference/messages 1). URLs are secrets: even reading them requires an editor. Ids are whole numbers.
import { Type } from 'typebox'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { timestamp } from '../body/instants.ts'
import { Answered, Instant, Kind, OrNull } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { type ClassicCall, type ClassicRefusal, editor, route } from './classic-route.ts'
import * as bodies from './destination-body.ts'
import { DestinationType, messageAbout, publicNumber } from './notification-fields.ts'
import { inWorkspace, notificationQuery, workspaceOfBody, workspaceOfQuery } from './notification-workspace.ts'
import { invalid, invalidName } from './refusals.ts'

const Destination = Answered('NotificationDestination', {
  id: Type.Integer(),
  name: Type.String(),
  destination_type: DestinationType,
  channel: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  default: Type.Boolean(),
  transformation_id: OrNull(Type.Integer()),
  workspace_id: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  kind: Kind('notification_destination'),
})

const all = '/notifications/destinations'
const one = `${all}/:id`
const noDestination: ClassicRefusal = '2002 Destination not found'
const disabled: ClassicRefusal = '2004 Destination is disabled'
const ofFields: readonly ClassicRefusal[] = [
  ...([invalid, invalidName, '2001 Destination name taken', '2001 Invalid url'] as const),
  ...(['2001 Invalid channel', '2002 Transformation not found'] as const),
]
const example = { name: 'Ops channel', url: 'https://hooks.example.com/services/T0/B0/x' }

/** Finds the destination of the path in the workspace of the request. */
const findIn =
  (workspaceOf: (call: ClassicCall) => Promise<{ workspaceId: string }>) =>
  async ({ directory }: GatewayContext, call: ClassicCall): Promise<DestinationView> => {
    const { workspaceId } = await workspaceOf(call)
    const number = publicNumber(pathPart(call, 'id'))
    const found = number === null ? null : await directory.ask('get-destination', { workspaceId, number }, call.traceId)
    if (found === null) {
      throw new AppError('not_found', 'Destination not found', { details: 'The workspace has no such destination' })
    }
    return found
  }

const findByQuery = findIn(workspaceOfQuery)
const findByBody = findIn(workspaceOfBody)

const list = route({
  method: 'GET',
  path: all,
  summary: 'The destinations of a workspace, by name. Needs editor: URLs are secrets.',
  needs: editor,
  find: (_context, call) => workspaceOfQuery(call),
  query: notificationQuery,
  result: Type.Array(Destination),
  refusals: inWorkspace,
  handler: async ({ directory }, { found: { workspaceId }, traceId }) =>
    (await directory.ask('list-destinations', { workspaceId }, traceId)).map(destinationObject),
})

const create = route({
  method: 'POST',
  path: all,
  summary: 'Makes a destination, enabled; the first of a workspace becomes its default.',
  needs: editor,
  find: (_context, call) => workspaceOfBody(call),
  query: notificationQuery,
  body: bodies.CreateDestinationBody,
  result: Destination,
  refusals: ['2001 Invalid destination type', '2004 Too many destinations', ...ofFields, ...inWorkspace],
  examples: [{ ...example, destination_type: 'slack', channel: 'ops' }],
  handler: async ({ directory }, { found: { workspaceId }, body, traceId }) => {
    const asked = { id: randomId(idLength.destination), workspaceId, ...bodies.readNewDestination(body) }
    return destinationObject(await directory.ask('create-destination', asked, traceId))
  },
})

const get = route({
  method: 'GET',
  path: one,
  summary: 'A destination.',
  needs: editor,
  find: findByQuery,
  query: notificationQuery,
  result: Destination,
  refusals: [noDestination, ...inWorkspace],
  handler: async (_context, { found }) => destinationObject(found),
})

const update = route({
  method: 'POST',
  path: one,
  summary: 'Replaces a destination, but for its type.',
  needs: editor,
  find: findByBody,
  query: notificationQuery,
  body: bodies.UpdateDestinationBody,
  result: Destination,
  refusals: [noDestination, disabled, ...ofFields, ...inWorkspace],
  examples: [{ ...example, channel: 'ops', transformation_id: 1 }],
  handler: async ({ directory }, { found: { workspaceId, id }, body, traceId }) => {
    const asked = { workspaceId, id, ...bodies.readDestination(body) }
    return destinationObject(await directory.ask('update-destination', asked, traceId))
  },
})

const remove = route({
  method: 'DELETE',
  path: one,
  summary: 'Removes a destination, and subjects no longer select it.',
  needs: editor,
  find: findByQuery,
  query: notificationQuery,
  result: messageAbout('destination_id', { was_default: Type.Boolean() }),
  refusals: [noDestination, ...inWorkspace],
  handler: async ({ directory }, { found: { workspaceId, id, number, default: isDefault }, traceId }) => {
    const { wasDefault } = await directory.ask('delete-destination', { workspaceId, id }, traceId)
    return {
      message: 'Destination deleted successfully',
      destination_id: number,
      workspace_id: workspaceId,
      was_default: wasDefault ?? isDefault,
    }
  },
})

const switchOnOrOff = route({
  method: 'POST',
  path: `${one}/enabled`,
  summary: 'Switches a destination on or off.',
  needs: editor,
  find: findByBody,
  query: notificationQuery,
  body: bodies.SwitchDestinationBody,
  result: Destination,
  refusals: [noDestination, invalid, ...inWorkspace],
  examples: [{ enabled: true }],
  handler: async ({ directory }, { found: { workspaceId, id }, body, traceId }) => {
    const asked = { workspaceId, id, enabled: body.enabled }
    return destinationObject(await directory.ask('switch-destination', asked, traceId))
  },
})

const makeDefault = route({
  method: 'POST',
  path: `${one}/default`,
  summary: 'Makes it the default of its workspace.',
  needs: editor,
  find: findByBody,
  query: notificationQuery,
  body: bodies.NoFieldsBody,
  result: Destination,
  refusals: [noDestination, disabled, ...inWorkspace],
  examples: [{}],
  handler: async ({ directory }, { found: { workspaceId, id }, traceId }) =>
    destinationObject(await directory.ask('make-default-destination', { workspaceId, id }, traceId)),
})

const test = route({
  method: 'POST',
  path: `${one}/test`,
  summary: 'Sends one real test message; it is never sent again.',
  needs: editor,
  find: findByBody,
  query: notificationQuery,
  body: bodies.NoFieldsBody,
  result: messageAbout('destination_id'),
  refusals: [noDestination, '2004 Destination did not accept the test message', ...inWorkspace],
  examples: [{}],
  handler: async ({ notifier }, { found: { workspaceId, id, number }, traceId }) => {
    const result = await notifier.sendTest({ destinationId: id }, traceId)
    if (result.delivered) return { message: 'Test message delivered', destination_id: number, workspace_id: workspaceId }
    throw new AppError('invalid_state', 'Destination did not accept the test message', { details: result.error })
  },
})

export const destinationRoutes: readonly Route[] = [list, create, get, update, remove, switchOnOrOff, makeDefault, test]

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
