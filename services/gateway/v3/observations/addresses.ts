// Observation addresses: list, create, delete. Only the response to the creation contains the token. Reference: docs/reference/v3.md, 8.2.

import { Type } from 'typebox'
import type { AddressView } from '#shared/contracts/ask/ask-addresses.ts'
import { Strict } from '#shared/contracts/common.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { makeAddressToken } from '#shared/tokens/address-token.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { type Call, pathPart } from '../../http/answer.ts'
import { route, tooManyAt, type V3Call } from '../common.ts'

const all = '/workspaces/:workspace/addresses'
const needs = { role: 'editor', scope: 'full' } as const

const shownFields = {
  template: OrNull(
    Type.String({ description: 'The key of the one Template whose Resources it reports on.', examples: ['heartbeat'] }),
  ),
  second_factor: Type.Boolean({ description: 'A report also needs a full key in `X-Observation-Key`.' }),
  description: Type.String({ examples: ['Nightly jobs'] }),
  created_at: Instant,
}
const id = Type.String({ examples: ['ADDRESS_ID'] })
export const AddressObject = Answered('Address', { id, ...shownFields })
const MadeAddress = Answered('MadeAddress', {
  id,
  url: Type.String({ description: 'Where reports are sent; shown once.', examples: ['https://watch.example.com/in/TOKEN'] }),
  token: Type.String({ description: '43 characters; shown once.', examples: ['TOKEN'] }),
  ...shownFields,
})

const NewAddress = Strict({
  template: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The key of a published Template.' })),
  second_factor: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String({ maxLength: limits.key.descriptionCharacters, trimmed: true, plain: 'line' })),
})

const list = route('GET', all, {
  summary: 'Observation addresses of the workspace, the oldest first, without their tokens.',
  needs,
  isAudited: false,
  result: Type.Array(AddressObject),
  handler: async ({ directory }, { workspaceId, traceId }) =>
    (await directory.ask('list-addresses', { workspaceId }, traceId)).map(addressObject),
})

const create = route('POST', all, {
  summary: 'Makes an Observation address. Its token is shown only here.',
  more: 'A report is a POST to its `url` without a key: an Observation with `resource`, and on a first report with `template_id` and `meta`. A workspace has at most 100 addresses: 422 `description`.',
  needs,
  body: NewAddress,
  status: 201,
  makes: 'address',
  result: MadeAddress,
  refusals: ['422 template', '422 description'],
  examples: [{ description: 'Nightly jobs' }],
  handler: async (context, call) => {
    const { workspaceId, body, traceId } = call
    const token = makeAddressToken()
    const request = {
      id: randomId(idLength.address),
      workspaceId,
      tokenHash: hashToken(token),
      template: body.template ?? null,
      secondFactor: body.second_factor ?? false,
      description: body.description ?? '',
    }
    const made = await context.directory.ask('create-address', request, traceId).catch(tooManyAt('description'))
    const { id, ...shown } = addressObject(made)
    return { id, url: `${baseOf(context, call)}/in/${token}`, token, ...shown }
  },
})

const remove = route('DELETE', `${all}/:id`, {
  summary: 'Deletes an Observation address; it takes no report any more.',
  needs,
  find: findAddress,
  result: Answered('DeletedAddress', { id: Type.String(), deleted: Type.Literal(true) }),
  handler: async ({ directory }, { workspaceId, found, traceId }) => {
    const { id } = await directory.ask('delete-address', { workspaceId, addressId: found.id }, traceId)
    return { id, deleted: true }
  },
})

async function findAddress({ directory }: GatewayContext, call: V3Call): Promise<AddressView> {
  const { workspaceId, traceId } = call
  const id = pathPart(call, 'id')
  const found = (await directory.ask('list-addresses', { workspaceId }, traceId)).find(address => address.id === id)
  if (found !== undefined) return found
  throw refusal('not_found', 'Address not found', 'The workspace has no such Observation address')
}

/** Returns the address at which people reach this gateway, without a slash at its end. */
export const baseOf = ({ publicUrl }: Pick<GatewayContext, 'publicUrl'>, { request }: Pick<Call, 'request'>): string =>
  publicUrl ?? (request.host === '' ? '' : `${request.protocol}://${request.host}`)

const write = writerOf(AddressObject)
const addressObject = (view: AddressView) => write(view)

export const addressRoutes = [list, create, remove]
