// Ping keys of a workspace: list, make, delete. They are shown in full, because they stand in crontabs. Reference: docs/reference/v3.md, 17.6.
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { PingKeyView } from '#shared/contracts/ask/ask-pings.ts'
import { Strict } from '#shared/contracts/common.ts'
import { pingKeyPattern } from '#shared/contracts/observations/ping.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { isUuid } from '#shared/text/uuid.ts'
import { Answered, Instant, writerOf } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { pathPart } from '../../http/answer.ts'
import { Deleted, invalid, noSuch, route, tooManyAt, type V3Call } from '../common.ts'

const all = '/workspaces/:workspace/ping-keys'
const needs = { role: 'editor', scope: 'full' } as const

export const PingKeyObject = Answered('PingKey', {
  id: Type.String({ examples: ['PING_KEY_ID'] }),
  key: Type.String({ description: 'Part of addresses: /ping/{key}/{key of a Resource}.', examples: ['PING_KEY'] }),
  description: Type.String({ examples: ['Nightly jobs'] }),
  created_at: Instant,
})

const NewPingKey = Strict({
  description: Type.Optional(Type.String({ maxLength: limits.key.descriptionCharacters, trimmed: true, plain: 'line' })),
  key: Type.Optional(
    Type.String({
      pattern: pingKeyPattern,
      description: '16 to 64 letters, digits, `-` and `_`, to go on with one of elsewhere.',
    }),
  ),
})

const list = route('GET', all, {
  summary: 'Ping keys of the workspace, the oldest first.',
  more: 'Whoever has one may ping the Resources of the workspace by their keys, and make Resources with `create=1`.',
  needs,
  isAudited: true,
  result: Type.Array(PingKeyObject),
  handler: async ({ directory }, { workspaceId, traceId }) =>
    (await directory.ask('list-ping-keys', { workspaceId }, traceId)).map(pingKeyObject),
})

const create = route('POST', all, {
  summary: 'Makes a ping key.',
  more: `A workspace has at most ${limits.pings.keysPerWorkspace}: 422 \`description\`.`,
  needs,
  body: NewPingKey,
  status: 201,
  makes: 'ping_key',
  result: PingKeyObject,
  refusals: ['409 key', '422 key', '422 description'],
  examples: [{ description: 'Nightly jobs' }],
  handler: async ({ directory }, { workspaceId, body, traceId }) => {
    const key = body.key ?? randomBytes(limits.pings.keyBytes).toString('base64url')
    if (isUuid(key)) throw invalid('key', "Field 'key' is a UUID, which would be a ping address")
    const asked = { id: randomId(idLength.pingKey), workspaceId, key, description: body.description ?? '' }
    return pingKeyObject(await directory.ask('create-ping-key', asked, traceId).catch(tooManyAt('description')))
  },
})

const remove = route('DELETE', `${all}/:id`, {
  summary: 'Deletes a ping key; addresses with it are unknown within a second.',
  needs,
  find: findPingKey,
  result: Deleted,
  handler: async ({ directory }, { workspaceId, found, traceId }) => {
    const { id } = await directory.ask('delete-ping-key', { workspaceId, keyId: found.id }, traceId)
    return { id, deleted: true }
  },
})

async function findPingKey({ directory }: GatewayContext, call: V3Call): Promise<PingKeyView> {
  const { workspaceId, traceId } = call
  const id = pathPart(call, 'id')
  const found = (await directory.ask('list-ping-keys', { workspaceId }, traceId)).find(key => key.id === id)
  if (found !== undefined) return found
  throw noSuch('Ping key')
}

const write = writerOf(PingKeyObject)
const pingKeyObject = (view: PingKeyView) => write(view)

export const pingKeyRoutes = [list, create, remove]
