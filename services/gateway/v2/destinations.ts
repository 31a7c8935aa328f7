// /v2/notifications/destinations (reference/messages 1). The URLs of destinations are secrets, so even reads require an editor. Ids are
// whole numbers.
import { Type } from 'typebox'
import { chatChannel } from '#shared/channels/registry.ts'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import { refusal } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, Kind, OrNull, writerOf } from '../body/result-schema.ts'
import type { Route } from '../http/route.ts'
import type { ClassicRefusal } from './classic-route.ts'
import * as bodies from './destination-body.ts'
import { DestinationType, messageAbout } from './notification-fields.ts'
import { routeByBody, routeByQuery, routesOfOne } from './notification-workspace.ts'
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
const write = writerOf(Destination)

const all = '/notifications/destinations'
const one = `${all}/:id`
const noDestination: ClassicRefusal = '2002 Destination not found'
const disabled: ClassicRefusal = '2004 Destination is disabled'
const ofFields: readonly ClassicRefusal[] = [
  ...([invalid, invalidName, '2001 Destination name taken', '2001 Invalid url'] as const),
  ...(['2001 Invalid channel', '2002 Transformation not found'] as const),
]
const example = { name: 'Ops channel', url: 'https://hooks.example.com/services/T0/B0/x' }

const { routeOfOneByQuery, routeOfOneByBody } = routesOfOne('Destination', ({ directory }, wanted, traceId) =>
  directory.ask('get-destination', wanted, traceId),
)

const list = routeByQuery('GET', all, {
  summary: 'The destinations of a workspace, by name. Needs editor: URLs are secrets.',
  result: Type.Array(Destination),
  handler: async ({ directory }, { found: { workspaceId }, traceId }) =>
    (await directory.ask('list-destinations', { workspaceId, generation: 2 }, traceId)).map(destinationObject),
})

const create = routeByBody('POST', all, {
  makes: 'destination',
  summary: 'Makes a destination, enabled; the first of a workspace becomes its default.',
  body: bodies.CreateDestinationBody,
  result: Destination,
  refusals: ['2001 Invalid destination type', '2004 Too many destinations', ...ofFields],
  examples: [{ ...example, destination_type: chatChannel.type, channel: 'ops' }],
  handler: async ({ directory }, { found: { workspaceId }, body, traceId }) => {
    const asked = { id: randomId(idLength.destination), workspaceId, ...bodies.readNewDestination(body) }
    return destinationObject(await directory.ask('create-destination', asked, traceId))
  },
})

const get = routeOfOneByQuery('GET', one, {
  summary: 'A destination.',
  result: Destination,
  refusals: [noDestination],
  handler: async (_context, { found }) => destinationObject(found),
})

const update = routeOfOneByBody('POST', one, {
  summary: 'Replaces a destination, but for its type.',
  body: bodies.UpdateDestinationBody,
  result: Destination,
  refusals: [noDestination, disabled, ...ofFields],
  examples: [{ ...example, channel: 'ops', transformation_id: 1 }],
  handler: async ({ directory }, { found: { workspaceId, id }, body, traceId }) => {
    const asked = { workspaceId, id, ...bodies.readDestination(body) }
    return destinationObject(await directory.ask('update-destination', asked, traceId))
  },
})

const remove = routeOfOneByQuery('DELETE', one, {
  summary: 'Removes a destination, and subjects no longer select it.',
  result: messageAbout('destination_id', { was_default: Type.Boolean() }),
  refusals: [noDestination, '2001 Destination in use'],
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

const switchOnOrOff = routeOfOneByBody('POST', `${one}/enabled`, {
  summary: 'Switches a destination on or off.',
  body: bodies.SwitchDestinationBody,
  result: Destination,
  refusals: [noDestination, invalid],
  examples: [{ enabled: true }],
  handler: async ({ directory }, { found: { workspaceId, id }, body, traceId }) => {
    const asked = { workspaceId, id, enabled: body.enabled }
    return destinationObject(await directory.ask('switch-destination', asked, traceId))
  },
})

const makeDefault = routeOfOneByBody('POST', `${one}/default`, {
  summary: 'Makes it the default of its workspace.',
  body: bodies.NoFieldsBody,
  result: Destination,
  refusals: [noDestination, disabled],
  examples: [{}],
  handler: async ({ directory }, { found: { workspaceId, id }, traceId }) =>
    destinationObject(await directory.ask('make-default-destination', { workspaceId, id }, traceId)),
})

const test = routeOfOneByBody('POST', `${one}/test`, {
  summary: 'Sends one real test message; it is never sent again.',
  body: bodies.NoFieldsBody,
  result: messageAbout('destination_id'),
  refusals: [noDestination, '2004 Destination did not accept the test message'],
  examples: [{}],
  handler: async ({ notifier }, { found: { workspaceId, id, number }, traceId }) => {
    const result = await notifier.sendTest({ destinationId: id }, traceId)
    if (result.delivered) return { message: 'Test message delivered', destination_id: number, workspace_id: workspaceId }
    throw refusal('invalid_state', 'Destination did not accept the test message', result.error)
  },
})

export const destinationRoutes: readonly Route[] = [list, create, get, update, remove, switchOnOrOff, makeDefault, test]

function destinationObject(view: DestinationView) {
  return write({ ...view, id: view.number, destinationType: view.type })
}
