// GET, POST /session/keys; DELETE /session/keys/{id}: API keys of the caller. Only the response to the creation contains the token.
import { Type } from 'typebox'
import { accessOf, keyActions } from '#shared/contracts/account.ts'
import type { KeyView } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { Answered, Instant, OrNull, writerOf } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { FilledText, Text } from './caller/session-fields.ts'
import { route, signedIn } from './caller/session-route.ts'

const Scope = Strict({
  workspace_id: FilledText,
  actions: Type.Array(Type.Enum([...keyActions]), { maxItems: keyActions.length }),
})
const NewKey = Type.Object({ description: Type.Optional(Text), scope: Type.Optional(Scope) })

const keyFields = {
  id: Type.String(),
  prefix: Type.String({ description: 'How the token begins.' }),
  description: Type.String(),
  created_at: Instant,
  expires_at: Instant,
  last_used_at: OrNull(Instant),
  access: Type.Array(Type.Enum(['full', 'read', ...keyActions])),
  workspace_id: OrNull(Type.String()),
}
const Key = Answered('Key', keyFields)
const MadeKey = Answered('MadeKey', { ...keyFields, token: Type.String({ description: 'Shown here alone.' }) })

const listKeys = route('GET', '/keys', {
  summary: "One's own API keys.",
  needs: signedIn,
  result: Strict({ keys: Type.Array(Key) }),
  handler: async ({ directory }, { visitor, traceId }) => {
    const found = await directory.ask('list-keys', { userId: visitor.userId }, traceId)
    return { keys: found.map(keyObject) }
  },
})

const createKey = route('POST', '/keys', {
  summary: 'Makes an API key, valid for 180 days.',
  more: 'Without a scope it may do whatever its owner may. With one it belongs to generation 3.',
  needs: signedIn,
  body: NewKey,
  status: 201,
  makes: 'key',
  result: MadeKey,
  refusals: ['conflict', 'not_found'],
  examples: [{ description: 'deploy script' }],
  handler: async ({ directory }, { visitor, body: { description = '', scope }, traceId }) => {
    const token = makeToken()
    const key = { id: randomId(idLength.key), description, tokenHash: hashToken(token), prefix: tokenPrefix(token) }
    const scoped = scope === undefined ? {} : { scope: { workspaceId: scope.workspace_id, actions: scope.actions } }
    const made = await directory.ask('create-key', { ...key, userId: visitor.userId, ...scoped }, traceId)
    return { ...keyObject(made), token }
  },
})

const deleteKey = route('DELETE', '/keys/:keyId', {
  summary: 'Deletes an API key.',
  needs: signedIn,
  status: 204,
  refusals: ['not_found'],
  handler: ({ directory }, call) =>
    directory.ask('delete-key', { keyId: pathPart(call, 'keyId'), userId: call.visitor.userId }, call.traceId),
})

export const keyRoutes: readonly Route[] = [listKeys, createKey, deleteKey]

const write = writerOf(Key)
const keyObject = (key: KeyView) => write({ ...key, access: accessOf(key.scope), workspaceId: key.scope?.workspaceId ?? null })
