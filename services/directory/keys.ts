// API keys: made, recognised, listed, deleted. A token leaves this file once, in the answer that made it; only its hash is stored.
import { hashToken, makeToken, tokenPrefix } from '#shared/api-token.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { KeyDocument, UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults, Identity, KeyView } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { DirectoryContext } from './context.ts'

/** The user that the first start creates, and whose keys are made where nobody is named. */
export const ownerUsername = 'owner'

/** Null for a token that is unknown, deleted or expired, or whose owner is gone; a disabled owner is answered as such. */
export async function authenticate(
  { store, clock }: DirectoryContext,
  { tokenHash }: AskRequest<'authenticate'>,
): Promise<Identity | null> {
  const [key] = await store.find('keys', { where: { tokenHash }, limit: 1 })
  if (!key || key.expiresAt <= clock.now()) return null
  const [user] = await store.get('users', [key.userId])
  if (!user) return null
  const memberships = await store.find('memberships', { where: { userId: user.id }, limit: limits.directory.listed })
  return {
    keyId: key.id,
    userId: user.id,
    displayName: user.displayName || user.username,
    admin: user.admin,
    disabled: user.disabled,
    expiresAt: key.expiresAt,
    memberships: memberships.map(({ workspaceId, role }) => ({ workspaceId, role })),
  }
}

/** Moves `lastUsedAt` forward, never back. Keys that are gone stay gone. */
export async function touchKeys({ store }: DirectoryContext, { usedAt }: AskRequest<'touch-keys'>): Promise<null> {
  const found = await store.get('keys', Object.keys(usedAt))
  const changed = found.flatMap(key => {
    const at = key ? usedAt[key.id] : undefined
    return key && at !== undefined && at > (key.lastUsedAt ?? 0) ? [{ ...key, rev: key.rev + 1, lastUsedAt: at }] : []
  })
  // A refusal means that somebody else wrote the key at this moment: the next use says it again.
  if (changed.length > 0) await store.replace('keys', changed)
  return null
}

/** Makes a key of a user (the owner where none is named), valid for 180 days. */
export async function createKey(
  { store, clock }: DirectoryContext,
  request: AskRequest<'create-key'>,
): Promise<AskResults['create-key']> {
  const username = request.username ?? ownerUsername
  const [user] = await store.find('users', { where: { username }, limit: 1 })
  if (!user) throw new AppError('not_found', 'User not found', { details: `There is no user "${username}"` })
  const token = makeToken()
  const document = keyDocument(
    randomId(idLength.key),
    user.id,
    request.description,
    hashToken(token),
    tokenPrefix(token),
    clock.now(),
  )
  const [result] = await store.insert('keys', [document])
  if (result !== 'written')
    throw new AppError('unavailable', 'Key not made', { details: 'The key could not be stored; try again' })
  return { ...keyView(document, user), token }
}

export function keyDocument(
  id: string,
  userId: string,
  description: string,
  tokenHash: string,
  prefix: string,
  createdAt: number,
): KeyDocument {
  return {
    id,
    rev: 1,
    userId,
    description,
    tokenHash,
    prefix,
    createdAt,
    expiresAt: createdAt + limits.key.lifeMs,
    lastUsedAt: null,
  }
}

/** All keys, oldest first. */
export async function listKeys({ store }: DirectoryContext): Promise<KeyView[]> {
  const found = await store.find('keys', { limit: limits.directory.listed })
  const users = await store.get(
    'users',
    found.map(key => key.userId),
  )
  return found.map((key, i) => keyView(key, users[i] ?? null)).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

/**
 * Deletes a key; every gateway hears of it. The store comes first, so that whoever asks after the revocation finds nothing. The
 * revocation goes out for a missing key too: an earlier try may have died between the two.
 */
export async function deleteKey(
  { store, bus, clock }: DirectoryContext,
  { keyId }: AskRequest<'delete-key'>,
): Promise<{ id: string }> {
  const deleted = await store.delete('keys', [keyId])
  await bus.bucket('revocations').put(keys.keyRevocation(keyId), { at: clock.now() })
  if (deleted === 0) throw new AppError('not_found', 'Key not found', { details: `There is no key ${keyId}` })
  return { id: keyId }
}

const keyView = (key: KeyDocument, user: UserDocument | null): KeyView => ({
  id: key.id,
  prefix: key.prefix,
  description: key.description,
  username: user?.username ?? '',
  createdAt: key.createdAt,
  expiresAt: key.expiresAt,
  lastUsedAt: key.lastUsedAt,
})
