// Destinations to which messages of a workspace are sent. No response contains a URL or a signing secret. Rules: docs/reference/v3.md,
// section 10.

import { Type } from 'typebox'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { timestamp } from '../body/instants.ts'
import { Answered, Instant, OrNull } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import { pathPart } from '../http/answer.ts'
import { Paged } from '../http/route.ts'
import { NameText, route, type V3Call } from './common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from './paging.ts'

const bounds = limits.destination
const all = '/workspaces/:workspace/destinations'
const one = `${all}/:id`

export const DestinationObject = Answered('Destination', {
  id: Type.String(),
  name: Type.String({ examples: ['On call'] }),
  type: Type.Enum(['slack', 'webhook']),
  channel: Type.String({ description: 'Of Slack, without the leading #; empty if there is none.' }),
  enabled: Type.Boolean(),
  send_on_open: Type.Boolean({ description: 'A webhook that hears when an Incident opens, before it is confirmed.' }),
  default: Type.Boolean(),
})

export const DeliveryReason = Type.String({ description: 'Null if it was delivered.', examples: ['http_503'] })
export const SentEvent = Type.Enum(['opened', 'problem', 'no_data', 'recovery', 'acknowledged', 'reminder', 'test'])

const Url = Type.String({
  minLength: 1,
  maxLength: bounds.urlCharacters,
  description: 'http or https, without credentials. Never shown again.',
})
const Channel = Type.String({ maxLength: bounds.channelCharacters, plain: 'line', description: 'Of Slack; a webhook has none.' })
const switches = {
  enabled: Type.Optional(Type.Boolean()),
  send_on_open: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.Boolean({ description: 'False leaves the mark as it is.' })),
}

const NewDestination = Type.Object(
  {
    name: NameText(bounds.nameCharacters),
    type: Type.Enum(['slack', 'webhook']),
    url: Url,
    channel: Type.Optional(Channel),
    ...switches,
  },
  { additionalProperties: false },
)
const DestinationChange = Type.Object(
  {
    name: Type.Optional(NameText(bounds.nameCharacters)),
    url: Type.Optional(Url),
    channel: Type.Optional(Channel),
    ...switches,
  },
  { additionalProperties: false },
)

const reading = { role: 'viewer', scope: 'full' } as const
const writing = { role: 'editor', scope: 'full' } as const

/** Finds the destination of the path, before scope and role are checked. */
async function find({ directory }: GatewayContext, call: V3Call): Promise<DestinationView> {
  const { workspaceId, traceId } = call
  const id = pathPart(call, 'id')
  const found = (await directory.ask('list-destinations', { workspaceId }, traceId)).find(destination => destination.id === id)
  if (found !== undefined) return found
  throw new AppError('not_found', 'Destination not found', { details: 'The workspace has no such destination' })
}

const list = route({
  method: 'GET',
  path: all,
  summary: 'Destinations of the workspace by name.',
  needs: reading,
  result: Type.Array(DestinationObject),
  refusals: [],
  isAudited: false,
  handler: async ({ directory }, { workspaceId, traceId }) =>
    (await directory.ask('list-destinations', { workspaceId }, traceId)).map(destinationObject),
})

const create = route({
  method: 'POST',
  path: all,
  summary: 'Creates a destination. The first enabled one of a workspace becomes default.',
  needs: writing,
  body: NewDestination,
  status: 201,
  result: DestinationObject,
  refusals: ['409 name', '422 name', '422 url', '422 channel', '422 send_on_open', '422 default'],
  isAudited: true,
  examples: [
    { name: 'On call', type: 'slack', url: 'https://hooks.example.com/services/T0/B0/x', channel: 'on-call' },
    { name: 'Pager', type: 'webhook', url: 'https://pager.example.com/in', send_on_open: true },
  ],
  handler: async ({ directory }, { workspaceId, body, traceId }) => {
    const { name, type, url, channel, ...sent } = body
    const fields = { name: name.trim(), type, url, channel: channel ?? '', transformationId: null }
    const { enabled, sendOnOpen, default: isDefault } = switchesOf(sent)
    const marks = { enabled: enabled ?? true, sendOnOpen: sendOnOpen ?? false, default: isDefault ?? false }
    const request = { id: randomId(idLength.destination), workspaceId, ...fields, ...marks }
    return destinationObject(await directory.ask('create-destination', request, traceId).catch(tooMany))
  },
})

const detail = route({
  method: 'GET',
  path: one,
  summary: 'One destination.',
  needs: reading,
  find,
  result: DestinationObject,
  refusals: [],
  isAudited: false,
  handler: async (_context, { found }) => destinationObject(found),
})

const change = route({
  method: 'PATCH',
  path: one,
  summary: 'Changes what is sent and leaves the rest. The type never changes.',
  needs: writing,
  find,
  body: DestinationChange,
  result: DestinationObject,
  refusals: ['409 name', '422 name', '422 url', '422 channel', '422 send_on_open', '422 default'],
  isAudited: true,
  examples: [{ name: 'Second line', enabled: true }],
  handler: async ({ directory }, { workspaceId, found: { id }, body, traceId }) => {
    const { name, url, channel, ...sent } = body
    const texts = given({ name: name?.trim(), url, channel })
    const changed = await directory.ask('change-destination', { workspaceId, id, ...texts, ...switchesOf(sent) }, traceId)
    return destinationObject(changed)
  },
})

const remove = route({
  method: 'DELETE',
  path: one,
  summary: 'Deletes a destination that no rule names. Its deliveries stay.',
  needs: writing,
  find,
  more: 'While a rule names it: 422, and `details.used_by` names such rules.',
  result: Answered('DeletedDestination', { id: Type.String(), deleted: Type.Literal(true) }),
  refusals: ['422'],
  isAudited: true,
  handler: async ({ directory }, { workspaceId, found: { id }, traceId }) => {
    await directory.ask('delete-destination', { workspaceId, id, unlessUsed: true }, traceId)
    return { id, deleted: true }
  },
})

const test = route({
  method: 'POST',
  path: `${one}/test`,
  summary: 'Sends a test message, once, also to a destination that is switched off.',
  needs: writing,
  find,
  result: Answered('TestOutcome', { status: Type.Enum(['delivered', 'failed']), reason: OrNull(DeliveryReason) }),
  refusals: [],
  isAudited: true,
  handler: async ({ notifier }, { found, traceId }) => {
    const outcome = await notifier.sendTest({ destinationId: found.id }, traceId)
    if (outcome.delivered) return { status: 'delivered', reason: null }
    return { status: 'failed', reason: outcome.error.split(':', 1)[0] ?? 'not_sent' }
  },
})

const deliveries = route({
  method: 'GET',
  path: `${one}/deliveries`,
  summary: 'Attempts to send to the destination and messages kept back from it, newest first.',
  needs: reading,
  find,
  query: pageQuery,
  result: Type.Array(
    Answered('DestinationDelivery', {
      at: Instant,
      event: SentEvent,
      status: Type.Enum(['delivered', 'failed', 'held']),
      reason: OrNull(DeliveryReason),
      incident: OrNull(Type.String({ description: 'Its id; null of a test.', examples: ['INCIDENT_ID'] })),
    }),
  ),
  refusals: ['422 limit', '422 cursor'],
  isAudited: false,
  handler: async ({ directory, incidentIds }, call) => {
    const { workspaceId, found, traceId } = call
    const asked = { workspaceId, destinationId: found.id, limit: limitOf(call), after: readCursor(call) }
    const { items, next } = await directory.ask('list-destination-deliveries', asked, traceId)
    const entries = items.map(({ at, event, status, reason, incidentId }) => ({
      at: timestamp(at),
      event,
      status,
      reason,
      incident: incidentId === null ? null : incidentIds.encode(incidentId),
    }))
    return new Paged(entries, formatCursor(call, next))
  },
})

/** In this generation, exceeding the limit of destinations is a fault of the request, as for workspaces (2.8). */
function tooMany(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'invalid_state') throw error
  throw new AppError('validation', error.message, { details: error.details, facts: { field: 'name' } })
}

interface Switches {
  enabled?: boolean
  send_on_open?: boolean
  default?: boolean
}

const switchesOf = ({ enabled, send_on_open: sendOnOpen, default: isDefault }: Switches) =>
  given({ enabled, sendOnOpen, default: isDefault })

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> }

/** A member sent as null counts as absent. */
const given = <T extends object>(members: T): Given<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as Given<T>

const destinationObject = ({
  id,
  name,
  type,
  channel,
  enabled,
  sendOnOpen,
  default: isDefault,
}: DestinationView): SentDestination => ({
  id,
  name,
  type,
  channel,
  enabled,
  send_on_open: sendOnOpen,
  default: isDefault,
})

export const destinationRoutes = [list, create, detail, change, remove, test, deliveries]
