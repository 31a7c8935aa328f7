// Observation addresses: create, find by token, list, delete. Callers create tokens and send only their hashes.
// Reference: docs/reference/v3.md, section 8.

import type { AddressDocument, WorkspaceDocument } from '#shared/contracts/account.ts'
import type { AddressIdentity, AddressView } from '#shared/contracts/ask/ask-addresses.ts'
import { type ErrorFacts, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { pick } from '../documents/pick.ts'
import { checkDescription } from '../people/fields.ts'
import { isDeleted, workspaceNotFound } from '../people/workspaces.ts'
import { getTemplate } from '../templates/templates.ts'
import { revoke } from './revoke.ts'

/**
 * Returns the address of a token. Null: no address has this token, or the address's workspace is deleted. The address itself may still be
 * stored for a while.
 */
export const findAddress: AskAnswerer<'find-address'> = async ({ store }, { tokenHash }) => {
  const [address] = await store.find('addresses', { where: { tokenHash }, limit: 1 })
  if (address === undefined || (await livingWorkspace(store, address.workspaceId)) === null) return null
  return identityOf(address)
}

export const createAddress: AskAnswerer<'create-address'> = async (context, request) => {
  const { store, clock, logger } = context
  const { id, workspaceId, tokenHash, secondFactor } = request
  const description = checkDescription(request.description, limits.key.descriptionCharacters)
  if ((await livingWorkspace(store, workspaceId)) === null) throw workspaceNotFound(workspaceId)
  const template = request.template === null ? null : await readTemplateKey(context, workspaceId, request.template)
  const [repeated = null] = await store.get('addresses', [id])
  if (repeated === null) await requireRoom(store, workspaceId)
  const made = { day: 0, count: 0 }
  const createdAt = clock.now()
  const address = { id, rev: 1, workspaceId, tokenHash, template, secondFactor, description, createdAt, made }
  const [result] = repeated === null ? await store.insert('addresses', [address]) : []
  if (result === 'written') logger.info({ addressId: id, workspaceId, description }, 'observation address created')
  const [stored = null] = await store.get('addresses', [id])
  if (stored?.workspaceId === workspaceId && stored.tokenHash === tokenHash) return viewOf(stored)
  throw refusal('validation', 'Address exists', 'The id or the token belongs to another address')
}

export const listAddresses: AskAnswerer<'list-addresses'> = async ({ store }, { workspaceId }) =>
  (await addressesOf(store, workspaceId)).map(viewOf)

/**
 * Deletes an address. Sends the revocation after the deletion: a gateway that receives the revocation and asks the directory again finds no
 * address. Sends the revocation for a missing address too, because an earlier try may have deleted the address and failed before the
 * revocation.
 */
export const deleteAddress: AskAnswerer<'delete-address'> = async (context, { workspaceId, addressId }) => {
  const [address = null] = await context.store.get('addresses', [addressId])
  const isMine = address?.workspaceId === workspaceId
  if (isMine && (await context.store.delete('addresses', [addressId])) > 0)
    context.logger.info({ addressId, workspaceId }, 'observation address deleted')
  if (isMine || address === null) await revoke(context, 'address', addressId)
  if (!isMine) throw refusal('not_found', 'Address not found', `There is no Observation address ${addressId}`)
  return { id: addressId }
}

/** Returns the addresses of the workspace, oldest first. */
export const addressesOf = (store: Store, workspaceId: string): Promise<AddressDocument[]> =>
  store.find('addresses', { where: { workspaceId }, sort: [['createdAt', 'asc']], limit: limits.directory.listed })

/** Returns the workspace; null: it does not exist, or is deleted. */
export async function livingWorkspace(store: Store, workspaceId: string): Promise<WorkspaceDocument | null> {
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  return workspace === null || isDeleted(workspace) ? null : workspace
}

/** Throws if the workspace is full. Simultaneous creations may exceed the bound by one. */
async function requireRoom(store: Store, workspaceId: string): Promise<void> {
  const most = limits.address.perWorkspace
  if ((await store.count('addresses', { workspaceId })) < most) return
  throw refusal(
    'invalid_state',
    'Too many addresses',
    `A workspace has at most ${most} Observation addresses; delete one that is not used any more`,
  )
}

/** Returns the key of a Template that the workspace has published. Throws `validation` if the workspace has no such Template. */
async function readTemplateKey(context: DirectoryContext, workspaceId: string, key: string): Promise<string> {
  const found = await getTemplate(context, { workspaceId, reference: key })
  if (found === 'damaged' && !key.includes('@')) return key
  if (found !== 'damaged' && found?.key === key && !found.isSystem) return key
  throw invalid('Invalid template', `The workspace has published no Template with the key '${key}'`, 'template')
}

const invalid = (message: string, details: string, field: NonNullable<ErrorFacts['field']>) =>
  refusal('validation', message, details, field)

const identityMembers = ['id', 'workspaceId', 'template', 'secondFactor'] as const

const identityOf = (address: AddressDocument): AddressIdentity => pick(address, identityMembers)

const viewOf = (address: AddressDocument): AddressView => pick(address, [...identityMembers, 'description', 'createdAt'])
