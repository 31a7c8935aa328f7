// Credentials by which probers on other machines join the bus, for administrators: GET, POST /session/prober-credentials;
// DELETE /session/prober-credentials/{id}. The file's text leaves in the answer that makes it, and never again.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { ProberCredentialView } from '#shared/contracts/ask-probers.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { timestamp, timestampOrNull } from '../instants.ts'
import { demandAdmin } from './rights.ts'
import { type SessionContext, signedIn } from './session-call.ts'
import { bodyReader, FilledText, pathId, Text } from './session-fields.ts'

export const NewCredential = Type.Object({ location: FilledText, description: Type.Optional(Text) })

export function proberCredentialRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory } = context
  const readNew = bodyReader(NewCredential)
  fastify.get(
    '/prober-credentials',
    signedIn(context, async call => {
      demandAdmin(call)
      const found = await directory.ask('list-prober-credentials', {}, call.traceId)
      return { prober_credentials: found.map(credentialObject) }
    }),
  )
  fastify.post(
    '/prober-credentials',
    signedIn(context, async call => {
      demandAdmin(call)
      const { location, description = '' } = await readNew(call)
      const asked = { id: randomId(idLength.key), locationName: location, description }
      const made = await directory.ask('create-prober-credential', asked, call.traceId)
      void call.reply.code(201)
      return { ...credentialObject(made), credentials: made.credentials }
    }),
  )
  fastify.delete(
    '/prober-credentials/:credentialId',
    signedIn(context, async call => {
      demandAdmin(call)
      await directory.ask('delete-prober-credential', { credentialId: pathId(call.request, 'credentialId') }, call.traceId)
    }),
  )
}

const credentialObject = ({ id, locationId, locationName, description, createdAt, revokedAt }: ProberCredentialView) => ({
  id,
  location_id: locationId,
  location: locationName,
  description,
  created_at: timestamp(createdAt),
  revoked_at: timestampOrNull(revokedAt),
})
