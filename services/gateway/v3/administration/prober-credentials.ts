// Credentials with which probers on other machines join the bus, for administrators of the installation. Only the response to the creation
// has the text of the credentials file. Reference: docs/reference/v3.md, section 16.
import { Type } from 'typebox'
import type { ProberCredentialView } from '#shared/contracts/ask/ask-probers.ts'
import { Strict } from '#shared/contracts/common.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { pathId } from '../../http/answer.ts'
import { administering, MaybeText, route } from '../common.ts'

const fields = {
  id: Type.String(),
  location_id: Type.String(),
  location: OrNull(Type.String({ description: 'Its name; null: the location is deleted.' })),
  description: Type.String(),
  public_key: Type.String({
    description: 'By which the bus knows them.',
    examples: ['UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4'],
  }),
  created_at: Instant,
  revoked_at: OrNull(Instant),
}
export const CredentialObject = Answered('ProberCredential', fields)
export const MadeCredentialObject = Answered('MadeProberCredential', {
  ...fields,
  credentials: Type.String({ description: 'Text of the file, shown here alone.' }),
})

const all = '/prober-credentials'

const listCredentials = route('GET', all, {
  summary: 'Credentials of probers on other machines, the oldest first, with those that are revoked.',
  needs: administering,
  isAudited: false,
  result: Type.Array(CredentialObject),
  handler: async ({ directory }, { traceId }) =>
    (await directory.ask('list-prober-credentials', {}, traceId)).map(credentialObject),
})

const createCredential = route('POST', all, {
  summary: 'Creates credentials for the probers of a location.',
  needs: administering,
  body: Strict({
    location: Type.String({ minLength: 1, maxLength: limits.location.nameCharacters, description: 'Its id or its name.' }),
    description: MaybeText,
  }),
  status: 201,
  makes: 'prober_credential',
  result: MadeCredentialObject,
  refusals: ['404 location', '409', '422 location', '422 description'],
  examples: [{ location: 'local', description: 'rack 4' }],
  handler: async ({ directory }, { body: { location, description = '' }, traceId }) => {
    const asked = { id: randomId(idLength.key), locationName: location, description }
    const made = await directory.ask('create-prober-credential', asked, traceId)
    return { ...credentialObject(made), credentials: made.credentials }
  },
})

const revokeCredential = route('DELETE', `${all}/:credential`, {
  summary: 'Revokes credentials, for good; probers that use them are cut off.',
  needs: administering,
  result: CredentialObject,
  refusals: ['404', '409'],
  handler: async ({ directory }, call) =>
    credentialObject(await directory.ask('delete-prober-credential', { credentialId: pathId(call, 'credential') }, call.traceId)),
})

export const proberCredentialRoutes = [listCredentials, createCredential, revokeCredential]

const write = writerOf(CredentialObject)
const credentialObject = (view: ProberCredentialView) => write({ ...view, location: view.locationName })
