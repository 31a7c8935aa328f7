// Destinations to which messages of a workspace are sent. No response contains a URL or a signing secret. Reference: docs/reference/v3.md,
// section 10.

import { type Static, type TOptional, Type } from 'typebox'
import { channelOf, channels, channelTypes, chatChannel, hasTopField, plainChannel } from '#shared/channels/registry.ts'
import { ownFields } from '#shared/channels/settings.ts'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import { Strict } from '#shared/contracts/common.ts'
import { attemptStatuses, deliveryStatuses } from '#shared/contracts/notifications/delivery-status.ts'
import type { SettingValue } from '#shared/contracts/notifications/destination.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import { pathPart } from '../http/answer.ts'
import { Paged } from '../http/route.ts'
import { settingsSchema } from './channels.ts'
import { invalid, NameText, route, tooManyAt, type V3Call } from './common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from './paging.ts'

const bounds = limits.destination
const all = '/workspaces/:workspace/destinations'
const one = `${all}/:id`

const types = channels.map(channel => ({ channel, fields: ownFields(channel) })).filter(({ fields }) => fields.length > 0)
const Settings = Type.Unsafe<Record<string, SettingValue>>({
  ...Type.Object({}, { additionalProperties: true }),
  documented: Type.Union(
    types.map(({ channel, fields }) => settingsSchema(channel, fields)),
    { examples: [{}] },
  ),
})
/** Types of which each setting is a member of the destination need no `settings`. */
const ownSettings = (types.length === 0 ? {} : { settings: Type.Optional(Settings) }) as {
  settings: TOptional<typeof Settings>
}

export const DestinationObject = Answered('Destination', {
  id: Type.String(),
  name: Type.String({ examples: ['On call'] }),
  type: Type.Enum(channelTypes()),
  channel: Type.String({ description: 'Of Slack, without the leading #; empty if there is none.' }),
  enabled: Type.Boolean(),
  send_on_open: Type.Boolean({ description: 'A webhook that hears when an Incident opens, before it is confirmed.' }),
  default: Type.Boolean(),
  ...ownSettings,
})

export const DeliveryReason = Type.String({ description: 'Null if it was delivered.', examples: ['http_503'] })
export const SentEvent = Type.Enum([
  'opened',
  'problem',
  'no_data',
  'recovery',
  'acknowledged',
  'withdrawn',
  'reminder',
  'digest',
  'test',
])

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

const NewDestination = Strict({
  name: NameText(bounds.nameCharacters),
  type: Type.Enum(channelTypes()),
  url: Type.Optional(Url),
  channel: Type.Optional(Channel),
  ...switches,
  ...ownSettings,
})
const DestinationChange = Strict({
  name: Type.Optional(NameText(bounds.nameCharacters)),
  url: Type.Optional(Url),
  channel: Type.Optional(Channel),
  ...switches,
  ...ownSettings,
})

const reading = { role: 'viewer', scope: 'full' } as const
const writing = { role: 'editor', scope: 'full' } as const

async function find({ directory }: GatewayContext, call: V3Call): Promise<DestinationView> {
  const { workspaceId, traceId } = call
  const id = pathPart(call, 'id')
  const found = (await directory.ask('list-destinations', { workspaceId }, traceId)).find(destination => destination.id === id)
  if (found !== undefined) return found
  throw refusal('not_found', 'Destination not found', 'The workspace has no such destination')
}

const list = route('GET', all, {
  summary: 'Destinations of the workspace by name.',
  needs: reading,
  isAudited: false,
  result: Type.Array(DestinationObject),
  handler: async ({ directory }, { workspaceId, traceId }) =>
    (await directory.ask('list-destinations', { workspaceId }, traceId)).map(destinationObject),
})

const create = route('POST', all, {
  summary: 'Creates a destination. The first enabled one of a workspace becomes default.',
  needs: writing,
  body: NewDestination,
  status: 201,
  makes: 'destination',
  result: DestinationObject,
  refusals: ['409 name', '422 name', '422 url', '422 channel', '422 send_on_open', '422 default'],
  examples: [
    { name: 'On call', type: chatChannel.type, url: 'https://hooks.example.com/services/T0/B0/x', channel: 'on-call' },
    { name: 'Pager', type: plainChannel.type, url: 'https://pager.example.com/in', send_on_open: true },
  ],
  handler: async ({ directory }, { workspaceId, body, traceId }) => {
    const { name, type, url, channel, settings, ...sent } = body
    requirePlaces(type, body)
    const place = { url: url ?? '', channel: channel ?? '' }
    const fields = { name: name.trim(), type, ...place, ...given({ settings }), transformationId: null }
    const { enabled, sendOnOpen, default: isDefault } = switchesOf(sent)
    const marks = { enabled: enabled ?? true, sendOnOpen: sendOnOpen ?? false, default: isDefault ?? false }
    const request = { id: randomId(idLength.destination), workspaceId, ...fields, ...marks }
    return destinationObject(await directory.ask('create-destination', request, traceId).catch(tooManyAt('name')))
  },
})

const detail = route('GET', one, {
  summary: 'One destination.',
  needs: reading,
  isAudited: false,
  find,
  result: DestinationObject,
  handler: async (_context, { found }) => destinationObject(found),
})

const change = route('PATCH', one, {
  summary: 'Changes what is sent and leaves the rest. The type never changes.',
  needs: writing,
  find,
  body: DestinationChange,
  result: DestinationObject,
  refusals: ['409 name', '422 name', '422 url', '422 channel', '422 send_on_open', '422 default'],
  examples: [{ name: 'Second line', enabled: true }],
  handler: async ({ directory }, { workspaceId, found: { id, type }, body, traceId }) => {
    const { name, url, channel, settings, ...sent } = body
    requirePlaces(type, { url: url ?? '', channel })
    const texts = given({ name: name?.trim(), url, channel, settings })
    const changed = await directory.ask('change-destination', { workspaceId, id, ...texts, ...switchesOf(sent) }, traceId)
    return destinationObject(changed)
  },
})

const remove = route('DELETE', one, {
  summary: 'Deletes a destination that no rule and no other destination names. Its deliveries stay.',
  needs: writing,
  find,
  more: 'While one names it: 422, and `details.used_by` names such rules and destinations.',
  result: Answered('DeletedDestination', { id: Type.String(), deleted: Type.Literal(true) }),
  refusals: ['422'],
  handler: async ({ directory }, { workspaceId, found: { id }, traceId }) => {
    await directory.ask('delete-destination', { workspaceId, id, unlessUsed: true }, traceId)
    return { id, deleted: true }
  },
})

const test = route('POST', `${one}/test`, {
  summary: 'Sends a test message, once, also to a destination that is switched off.',
  needs: writing,
  find,
  result: Answered('TestOutcome', {
    status: Type.Enum(attemptStatuses),
    reason: OrNull(DeliveryReason),
    message: Type.Optional(Type.String({ description: 'For people; of types that no earlier generation has.' })),
  }),
  refusals: ['422 type'],
  handler: async ({ notifier }, { found, traceId }) => {
    if (channelOf(found.type).stepsOf !== undefined)
      throw invalid('type', `A destination of the type ${found.type} sends nothing itself: test those of its steps`)
    const outcome = await notifier.sendTest({ destinationId: found.id }, traceId)
    const { name, tested = `Delivered to ${name}.`, generations } = channelOf(found.type)
    const taken = typeof tested === 'string' ? tested : tested(found.settings ?? {})
    const said = (message: string) => (generations.length > 0 ? {} : { message })
    if (outcome.delivered) return { status: outcome.accepted ? 'accepted' : 'delivered', reason: null, ...said(taken) }
    const [reason = 'not_sent', sentence = ''] = outcome.error.split(/: (.*)/s, 2)
    return { status: 'failed', reason, ...said(sentence) }
  },
})

const DestinationDelivery = Answered('DestinationDelivery', {
  at: Instant,
  event: SentEvent,
  status: Type.Enum(deliveryStatuses),
  reason: OrNull(DeliveryReason),
  incident: OrNull(Type.String({ description: 'Its id; null of a test.', examples: ['INCIDENT_ID'] })),
})
const writeDelivery = writerOf(DestinationDelivery)

const deliveries = route('GET', `${one}/deliveries`, {
  summary: 'Attempts to send to the destination and messages kept back from it, newest first.',
  needs: reading,
  isAudited: false,
  find,
  query: pageQuery,
  result: Type.Array(DestinationDelivery),
  refusals: ['422 limit', '422 cursor'],
  handler: async ({ directory, incidentIds }, call) => {
    const { workspaceId, found, traceId } = call
    const asked = { workspaceId, destinationId: found.id, limit: limitOf(call), after: readCursor(call) }
    const { items, next } = await directory.ask('list-destination-deliveries', asked, traceId)
    const encoded = (id: string | null) => (id === null ? null : incidentIds.encode(id))
    const entries = items.map(entry => writeDelivery({ ...entry, incident: encoded(entry.incidentId) }))
    return new Paged(entries, formatCursor(call, next))
  },
})

/**
 * Throws if the address is missing, or if a member holds what the type has among its settings. Types with an address of their own ignore
 * a channel that they do not have.
 */
function requirePlaces(type: string, { url, channel }: { url?: string | undefined; channel?: string | undefined }): void {
  if (hasTopField(type, 'url')) {
    if (url === undefined) throw invalid('url', "Field 'url' is required")
    return
  }
  for (const [field, value] of Object.entries({ url, channel })) {
    if (value) throw invalid(field, `A destination of the type ${type} has no '${field}' of its own: see its settings`)
  }
}

const switchesOf = ({ enabled, send_on_open: sendOnOpen, default: isDefault }: Static<typeof DestinationChange>) =>
  given({ enabled, sendOnOpen, default: isDefault })

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> }

/** Returns the members without those that are null: a member sent as null counts as absent. */
const given = <T extends object>(members: T): Given<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as Given<T>

const write = writerOf(DestinationObject)
/** A view without settings gives an object without them. */
const destinationObject = (view: DestinationView): SentDestination => write(view as Required<DestinationView>)

export const destinationRoutes = [list, create, detail, change, remove, test, deliveries]
