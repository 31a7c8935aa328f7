// Secret that signs a destination's messages: POST, DELETE /session/workspaces/{id}/destinations/{id}/secret. Only owners may use these
// routes, because the secret allows its holder to forge messages. Only the response to the secret's creation contains the secret.
import { Type } from 'typebox'
import { limits, second } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { timestampOrNull } from '../body/instants.ts'
import { Answered, Instant, OrNull } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { noSuch, workspaceOf } from './caller/rights.ts'
import type { SessionContext, VisitorCall } from './caller/session-call.ts'
import { owner, route } from './caller/session-route.ts'

const path = '/workspaces/:workspaceId/destinations/:destinationId/secret'

const NewSecret = Type.Object({
  rotate: Type.Optional(Type.Boolean({ description: 'Makes another one; absent: only if there is none.' })),
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.destination.secretGraceMs / second,
      description: 'How long the one before signs along; absent: 0.',
    }),
  ),
})

const MadeSecret = Answered('MadeSecret', {
  secret: Type.String({ description: 'Shown once.', examples: ['whsec_…'] }),
  along_until: OrNull({ ...Instant, description: 'Until when the one before signs along; null: it does not.' }),
})

async function placeOf({ directory }: SessionContext, call: VisitorCall): Promise<{ workspaceId: string; number: number }> {
  const workspaceId = workspaceOf(call, 'owner')
  const destinations = await directory.ask('list-destinations', { workspaceId }, call.traceId)
  const found = destinations.find(({ id }) => id === pathPart(call, 'destinationId'))
  if (found === undefined) throw noSuch('Destination')
  return { workspaceId, number: found.number }
}

const makeSecret = route('POST', path, {
  summary: 'Makes the secret that signs the messages of a destination.',
  needs: owner,
  body: NewSecret,
  status: 201,
  result: MadeSecret,
  refusals: ['conflict'],
  examples: [{ rotate: true, grace_seconds: 86_400 }],
  handler: async (context, call) => {
    const { rotate = false, grace_seconds = 0 } = call.body
    const place = await placeOf(context, call)
    const request = { ...place, id: randomId(idLength.key), graceMs: grace_seconds * second, first: !rotate }
    const { secret, alongUntil } = await context.directory.ask('rotate-destination-secret', request, call.traceId)
    return { secret, along_until: timestampOrNull(alongUntil) }
  },
})

const removeSecret = route('DELETE', path, {
  summary: 'Messages of the destination are signed no more.',
  needs: owner,
  status: 204,
  handler: async (context, call) => {
    await context.directory.ask('delete-destination-secret', await placeOf(context, call), call.traceId)
  },
})

export const destinationSecretRoutes: readonly Route[] = [makeSecret, removeSecret]
