// API keys: create, authenticate, list, delete. Callers create tokens and send only their hashes.
import { type KeyDocument, type KeyScope, keyActions, type UserDocument } from '#shared/contracts/account.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { KeyView } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { pick } from '../documents/pick.ts'
import { callerOf, workspacesOf } from '../people/callers.ts'
import { checkDescription } from '../people/fields.ts'
import { userNotFound } from '../people/users.ts'
import { revoke } from './revoke.ts'

/** Returns the owner of a token, even if the owner is disabled. Null: the token is unknown, deleted or expired, or its owner is deleted. */
export const authenticate: AskAnswerer<'authenticate', 'store' | 'clock'> = async ({ store, clock }, { tokenHash }) => {
  const [key] = await store.find('keys', { where: { tokenHash }, limit: 1 })
  if (!key || key.expiresAt <= clock.now()) return null
  const [user] = await store.get('users', [key.userId])
  if (!user) return null
  const caller = await callerOf(store, user, key.expiresAt)
  const identity: Identity = { ...caller, keyId: key.id, keyPrefix: key.prefix, scope: key.scope }
  return key.scope === null ? identity : withinScope(identity, key.scope)
}

/**
 * Returns an identity that is limited to the workspace of its key. Null: the key's owner is no longer a member of this workspace (v3 2.5).
 */
function withinScope(identity: Identity, { workspaceId }: KeyScope): Identity | null {
  const memberships = identity.memberships.filter(membership => membership.workspaceId === workspaceId)
  return memberships.length === 0 ? null : { ...identity, admin: false, memberships }
}

/** Updates `lastUsedAt` of keys, but never to an earlier instant. Deleted keys are skipped. */
export const touchKeys: AskAnswerer<'touch-keys'> = async ({ store }, { usedAt }) => {
  const found = await store.get('keys', Object.keys(usedAt))
  const changed = found.flatMap(key => {
    const at = key ? usedAt[key.id] : undefined
    return key && at !== undefined && at > (key.lastUsedAt ?? 0) ? [{ ...key, rev: key.rev + 1, lastUsedAt: at }] : []
  })
  // If another request has changed a key since the read, this write skips the key. `lastUsedAt` of the key then changes at its next use.
  if (changed.length > 0) await store.replace('keys', changed)
  return null
}

/**
 * Creates a key that is valid for 180 days. A retry with the same id and hash returns the key of the first attempt. Throws `not_found` for
 * the user, `validation` for the description, `invalid_state` `Too many keys`.
 */
export const createKey: AskAnswerer<'create-key'> = async ({ store, clock, logger }, request) => {
  const { id, userId, tokenHash, prefix } = request
  const description = checkDescription(request.description, limits.key.descriptionCharacters)
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
  throw refusal('validation', 'Key exists', 'The id or the token belongs to another key')
}

/**
 * Returns the scope without repeated actions, in the order of `keyActions`. Throws `not_found` unless the user is a member of the
 * workspace.
 */
async function checkScope(store: Store, user: UserDocument, { workspaceId, actions }: KeyScope): Promise<KeyScope> {
  const workspaces = await workspacesOf(store, user.id)
  if (workspaces.some(({ workspace }) => workspace.id === workspaceId)) {
    return { workspaceId, actions: keyActions.filter(action => actions.includes(action)) }
  }
  throw refusal(
    'not_found',
    'Workspace not found',
    `${user.username} is no member of the workspace ${workspaceId}`,
    'workspace_id',
  )
}

export const keyDocument = (
  made: Pick<KeyDocument, 'id' | 'userId' | 'description' | 'tokenHash' | 'prefix' | 'createdAt' | 'scope'>,
): KeyDocument => ({ ...made, rev: 1, expiresAt: made.createdAt + limits.key.lifeMs, lastUsedAt: null })

/** Returns the keys of a user; if no user is given, the newest keys of all users. The list is sorted from the oldest key to the newest. */
export const listKeys: AskAnswerer<'list-keys'> = async ({ store }, { userId }) => {
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
 * Deletes a key, then sends its revocation to every gateway. A gateway that receives the revocation and asks the directory again finds no
 * key. Sends the revocation for a missing key too, because an earlier try may have deleted the key and failed before the revocation.
 */
export const deleteKey: AskAnswerer<'delete-key'> = async (context, request) => {
  const { keyId, userId } = request
  const [key = null] = await context.store.get('keys', [keyId])
  const mine = key !== null && (userId === null || key.userId === userId)
  if (mine && (await context.store.delete('keys', [keyId])) > 0) {
    context.logger.info({ keyId, description: key.description }, 'api key deleted')
  }
  if (mine || key === null) await revoke(context, 'key', keyId)
  if (!mine) throw refusal('not_found', 'Key not found', `There is no key ${keyId}`)
  return { id: keyId }
}

const tooManyKeys = () =>
  refusal('invalid_state', 'Too many keys', `A user has at most ${limits.key.perUser} keys; delete one that is not used any more`)

const keyView = (key: KeyDocument, user: UserDocument | null): KeyView => ({
  ...pick(key, ['id', 'prefix', 'description', 'userId', 'createdAt', 'expiresAt', 'lastUsedAt', 'scope']),
  username: user?.username ?? '',
})
