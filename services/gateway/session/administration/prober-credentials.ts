// Credentials with which probers on other machines join the bus, for administrators: GET, POST /session/prober-credentials; DELETE
// /session/prober-credentials/{id}. Only the response to the creation contains the text of the credentials file.
import { Type } from 'typebox'
import type { ProberCredentialView } from '#shared/contracts/ask/ask-probers.ts'
import { Strict } from '#shared/contracts/common.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { pathPart } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { FilledText, Text } from '../caller/session-fields.ts'
import { admin, route } from '../caller/session-route.ts'

const NewCredential = Type.Object({ location: FilledText, description: Type.Optional(Text) })

const credentialFields = {
  id: Type.String(),
  location_id: Type.String(),
  location: OrNull(Type.String({ description: 'Its name; null: the location is deleted.' })),
  description: Type.String(),
  created_at: Instant,
  revoked_at: OrNull(Instant),
}
const Credential = Answered('ProberCredential', credentialFields)
const MadeCredential = Answered('MadeProberCredential', {
  ...credentialFields,
  credentials: Type.String({ description: "The file's text, shown here alone." }),
})

const listCredentials = route('GET', '/prober-credentials', {
  summary: 'The credentials of probers on other machines.',
  needs: admin,
  result: Strict({ prober_credentials: Type.Array(Credential) }),
  handler: async ({ directory }, { traceId }) => {
    const found = await directory.ask('list-prober-credentials', {}, traceId)
    return { prober_credentials: found.map(credentialObject) }
  },
})

const createCredential = route('POST', '/prober-credentials', {
  summary: 'Makes a credential for a prober of a location.',
  needs: admin,
  body: NewCredential,
  status: 201,
  makes: 'prober_credential',
  result: MadeCredential,
  refusals: ['conflict', 'not_found'],
  examples: [{ location: 'frankfurt', description: 'rack 4' }],
  handler: async ({ directory }, { body: { location, description = '' }, traceId }) => {
    const asked = { id: randomId(idLength.key), locationName: location, description }
    const made = await directory.ask('create-prober-credential', asked, traceId)
    return { ...credentialObject(made), credentials: made.credentials }
  },
})

const deleteCredential = route('DELETE', '/prober-credentials/:credentialId', {
  summary: 'Revokes a credential; its prober is cut off.',
  needs: admin,
  status: 204,
  refusals: ['not_found'],
  handler: ({ directory }, call) =>
    directory.ask('delete-prober-credential', { credentialId: pathPart(call, 'credentialId') }, call.traceId),
})

export const proberCredentialRoutes: readonly Route[] = [listCredentials, createCredential, deleteCredential]

const write = writerOf(Credential)
const credentialObject = (view: ProberCredentialView) => write({ ...view, location: view.locationName })
