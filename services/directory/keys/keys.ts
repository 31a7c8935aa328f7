// API keys: made, recognised, listed, deleted. Their tokens are never here: the caller makes a token and sends its hash.
import { type KeyDocument, type KeyScope, keyActions, type UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest, Identity } from '#shared/contracts/ask/ask.ts'
import type { KeyView } from '#shared/contracts/ask/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { callerOf, workspacesOf } from '../people/callers.ts'
import { checkText } from '../people/fields.ts'
import { userNotFound } from '../people/users.ts'
import { revoke } from './revoke.ts'

/** Null for a token that is unknown, deleted or expired, or whose owner is gone; a disabled owner is answered as such. */
export async function authenticate(
  { store, clock }: Pick<DirectoryContext, 'store' | 'clock'>,
  { tokenHash }: AskRequest<'authenticate'>,
): Promise<Identity | null> {
  const [key] = await store.find('keys', { where: { tokenHash }, limit: 1 })
  if (!key || key.expiresAt <= clock.now()) return null
  const [user] = await store.get('users', [key.userId])
  if (!user) return null
  const caller = await callerOf(store, user, key.expiresAt)
  const identity: Identity = { ...caller, keyId: key.id, keyPrefix: key.prefix, scope: key.scope }
  return key.scope === null ? identity : withinScope(identity, key.scope)
}

/** Its one workspace and no rights over the installation. Null once its owner is no longer a member there (v3 2.5). */
function withinScope(identity: Identity, { workspaceId }: KeyScope): Identity | null {
  const memberships = identity.memberships.filter(membership => membership.workspaceId === workspaceId)
  return memberships.length === 0 ? null : { ...identity, admin: false, memberships }
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

/**
 * Makes a key, valid for 180 days; a repeat with the same id and hash answers the first.
 * Throws `not_found` for the user, `validation` for the description, `invalid_state` `Too many keys`.
 */
export async function createKey({ store, clock, logger }: DirectoryContext, request: AskRequest<'create-key'>): Promise<KeyView> {
  const { id, userId, tokenHash, prefix } = request
  const description = checkText(
    request.description,
    limits.key.descriptionCharacters,
    'Invalid description',
    'A description',
    'description',
  )
  const [user] = await store.get('users', [userId])
  if (!user) throw userNotFound(userId)
  const scope = request.scope === undefined ? null : await checkScope(store, user, request.scope)
  const [repeated = null] = await store.get('keys', [id])
  if (!repeated && (await store.count('keys', { userId })) >= limits.key.perUser) throw tooManyKeys()
  const made = keyDocument({ id, userId, description, tokenHash, prefix, createdAt: clock.now(), scope })
  const [result] = repeated ? [] : await store.insert('keys', [made])
  if (result === 'written') logger.info({ keyId: id, description, user: user.username }, 'api key created')
  const [stored = null] = await store.get('keys', [id])
  if (stored?.userId === userId && stored.tokenHash === tokenHash) return keyView(stored, user)
  throw new AppError('validation', 'Key exists', { details: 'The id or the token belongs to another key' })
}

/** In the order of `keyActions`, each action once. Throws `not_found` for a workspace that is not the user's. */
async function checkScope(store: Store, user: UserDocument, { workspaceId, actions }: KeyScope): Promise<KeyScope> {
  const workspaces = await workspacesOf(store, user.id)
  if (workspaces.some(({ workspace }) => workspace.id === workspaceId)) {
    return { workspaceId, actions: keyActions.filter(action => actions.includes(action)) }
  }
  throw new AppError('not_found', 'Workspace not found', {
    details: `${user.username} is no member of the workspace ${workspaceId}`,
    facts: { field: 'workspace_id' },
  })
}

export const keyDocument = (
  made: Pick<KeyDocument, 'id' | 'userId' | 'description' | 'tokenHash' | 'prefix' | 'createdAt' | 'scope'>,
): KeyDocument => ({ ...made, rev: 1, expiresAt: made.createdAt + limits.key.lifeMs, lastUsedAt: null })

/** Keys of a user, or the newest of all, oldest first. */
export async function listKeys({ store }: DirectoryContext, { userId }: AskRequest<'list-keys'>): Promise<KeyView[]> {
  const found = await store.find('keys', {
    where: userId === null ? {} : { userId },
    sort: [['createdAt', 'desc']],
    limit: limits.directory.listed,
  })
  const users = await store.get(
    'users',
    found.map(key => key.userId),
  )
  return found.map((key, i) => keyView(key, users[i] ?? null)).reverse()
}

/**
 * Deletes a key; every gateway hears of it. The store comes first, so that a question after the revocation finds nothing. The revocation
 * goes out for a missing key too: an earlier try may have died between the two.
 */
export async function deleteKey(context: DirectoryContext, request: AskRequest<'delete-key'>): Promise<{ id: string }> {
  const { keyId, userId } = request
  const [key = null] = await context.store.get('keys', [keyId])
  const mine = key !== null && (userId === null || key.userId === userId)
  if (mine && (await context.store.delete('keys', [keyId])) > 0) {
    context.logger.info({ keyId, description: key.description }, 'api key deleted')
  }
  if (mine || key === null) await revoke(context, 'key', keyId)
  if (!mine) throw new AppError('not_found', 'Key not found', { details: `There is no key ${keyId}` })
  return { id: keyId }
}

const tooManyKeys = (): AppError =>
  new AppError('invalid_state', 'Too many keys', {
    details: `A user has at most ${limits.key.perUser} keys; delete one that is not used any more`,
  })

const keyView = (key: KeyDocument, user: UserDocument | null): KeyView => ({
  id: key.id,
  prefix: key.prefix,
  description: key.description,
  userId: key.userId,
  username: user?.username ?? '',
  createdAt: key.createdAt,
  expiresAt: key.expiresAt,
  lastUsedAt: key.lastUsedAt,
  scope: key.scope,
})
