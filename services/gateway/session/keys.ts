// GET, POST /session/keys; DELETE /session/keys/{id}: one's own API keys. A token leaves in the answer that makes it, and never again.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hashToken, makeToken, tokenPrefix } from '#shared/api-token.ts'
import { accessOf, keyActions } from '#shared/contracts/account.ts'
import type { KeyView } from '#shared/contracts/ask-people.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { timestamp, timestampOrNull } from '../instants.ts'
import { type SessionContext, signedIn } from './session-call.ts'
import { bodyReader, FilledText, pathId, Text } from './session-fields.ts'

const Scope = Type.Object(
  { workspace_id: FilledText, actions: Type.Array(Type.Enum([...keyActions]), { maxItems: keyActions.length }) },
  { additionalProperties: false },
)
export const NewKey = Type.Object({ description: Type.Optional(Text), scope: Type.Optional(Scope) })

export function keyRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory } = context
  const readNewKey = bodyReader(NewKey)
  fastify.get(
    '/keys',
    signedIn(context, async ({ visitor, traceId }) => {
      const found = await directory.ask('list-keys', { userId: visitor.userId }, traceId)
      return { keys: found.map(keyObject) }
    }),
  )
  fastify.post(
    '/keys',
    signedIn(context, async call => {
      const { description = '', scope } = await readNewKey(call)
      const token = makeToken()
      const key = { id: randomId(idLength.key), description, tokenHash: hashToken(token), prefix: tokenPrefix(token) }
      const scoped = scope === undefined ? {} : { scope: { workspaceId: scope.workspace_id, actions: scope.actions } }
      const made = await directory.ask('create-key', { ...key, userId: call.visitor.userId, ...scoped }, call.traceId)
      void call.reply.code(201)
      return { ...keyObject(made), token }
    }),
  )
  fastify.delete(
    '/keys/:keyId',
    signedIn(context, async ({ request, visitor, traceId }) => {
      await directory.ask('delete-key', { keyId: pathId(request, 'keyId'), userId: visitor.userId }, traceId)
    }),
  )
}

const keyObject = ({ id, prefix, description, createdAt, expiresAt, lastUsedAt, scope }: KeyView) => ({
  id,
  prefix,
  description,
  created_at: timestamp(createdAt),
  expires_at: timestamp(expiresAt),
  last_used_at: timestampOrNull(lastUsedAt),
  access: accessOf(scope),
  workspace_id: scope?.workspaceId ?? null,
})
