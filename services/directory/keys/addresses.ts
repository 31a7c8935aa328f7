// Observation addresses: made, found by token, listed, deleted. Their tokens are never here: callers make one and send its hash.
// Rules: docs/reference/v3.md, section 8.
import type { AddressDocument, WorkspaceDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { AddressIdentity, AddressView } from '#shared/contracts/ask/ask-addresses.ts'
import { AppError, type ErrorFacts } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { systemTemplates } from '#shared/manifest/website-check.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { checkText } from '../people/fields.ts'
import { isDeleted, workspaceNotFound } from '../people/workspaces.ts'
import { getTemplate } from '../templates/templates.ts'
import { revoke } from './revoke.ts'

/** Null also from the instant at which its workspace is deleted, though the address itself is removed later. */
export async function findAddress(
  { store }: DirectoryContext,
  { tokenHash }: AskRequest<'find-address'>,
): Promise<AddressIdentity | null> {
  const [address] = await store.find('addresses', { where: { tokenHash }, limit: 1 })
  if (address === undefined || (await livingWorkspace(store, address.workspaceId)) === null) return null
  return identityOf(address)
}

export async function createAddress(context: DirectoryContext, request: AskRequest<'create-address'>): Promise<AddressView> {
  const { store, clock, logger } = context
  const { id, workspaceId, tokenHash, secondFactor } = request
  const description = readDescription(request.description)
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
  throw new AppError('validation', 'Address exists', { details: 'The id or the token belongs to another address' })
}

export async function listAddresses(
  { store }: DirectoryContext,
  { workspaceId }: AskRequest<'list-addresses'>,
): Promise<AddressView[]> {
  return (await addressesOf(store, workspaceId)).map(viewOf)
}

/** The revocation follows the deletion, so that a gateway that asks after it finds nothing. It goes out for a missing address, too. */
export async function deleteAddress(
  context: DirectoryContext,
  { workspaceId, addressId }: AskRequest<'delete-address'>,
): Promise<{ id: string }> {
  const [address = null] = await context.store.get('addresses', [addressId])
  const isMine = address?.workspaceId === workspaceId
  if (isMine && (await context.store.delete('addresses', [addressId])) > 0)
    context.logger.info({ addressId, workspaceId }, 'observation address deleted')
  if (isMine || address === null) await revoke(context, 'address', addressId)
  if (!isMine) throw new AppError('not_found', 'Address not found', { details: `There is no Observation address ${addressId}` })
  return { id: addressId }
}

/** Those of the workspace, the oldest first. Two creations at once may pass by the bound by one. */
export const addressesOf = (store: Store, workspaceId: string): Promise<AddressDocument[]> =>
  store.find('addresses', {
    where: { workspaceId },
    sort: [['createdAt', 'asc']],
    limit: limits.directory.listed,
  })

async function livingWorkspace(store: Store, workspaceId: string): Promise<WorkspaceDocument | null> {
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  return workspace === null || isDeleted(workspace) ? null : workspace
}

async function requireRoom(store: Store, workspaceId: string): Promise<void> {
  const most = limits.address.perWorkspace
  if ((await store.count('addresses', { workspaceId })) < most) return
  throw new AppError('invalid_state', 'Too many addresses', {
    details: `A workspace has at most ${most} Observation addresses; delete one that is not used any more`,
  })
}

function readDescription(text: string): string {
  const most = limits.key.descriptionCharacters
  try {
    return checkText(text, most, 'Invalid description', 'A description', 'description')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalid('Invalid description', error.details, 'description')
  }
}

/** The key of a Template that the workspace has published. */
async function readTemplateKey(context: DirectoryContext, workspaceId: string, key: string): Promise<string> {
  const found = await getTemplate(context, { workspaceId, reference: key })
  if (found === 'damaged' && !key.includes('@')) return key
  if (found !== 'damaged' && found?.key === key && !Object.hasOwn(systemTemplates, key)) return key
  throw invalid('Invalid template', `The workspace has published no Template with the key '${key}'`, 'template')
}

const invalid = (message: string, details: string, field: NonNullable<ErrorFacts['field']>): AppError =>
  new AppError('validation', message, { details, facts: { field } })

const identityOf = ({ id, workspaceId, template, secondFactor }: AddressDocument): AddressIdentity => ({
  id,
  workspaceId,
  template,
  secondFactor,
})

const viewOf = (address: AddressDocument): AddressView => ({
  ...identityOf(address),
  description: address.description,
  createdAt: address.createdAt,
})
