// Deletes an account with all that only it had: keys, sessions, memberships, and what binds it to an OIDC provider. The account itself
// goes last, so that a request that died on the way is repeated and goes on.

import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { removeAll } from '#shared/store/pages.ts'
import { counted } from '#shared/text/counted.ts'
import type { DirectoryContext } from '../context.ts'
import { revoke } from '../keys/revoke.ts'
import { workspacesOf } from './callers.ts'
import { removeMember } from './members.ts'
import { updateUser, userNotFound } from './users.ts'

/**
 * Throws `not_found`, `invalid_state` `Last owner`; without `force` also `Account is used` and `Last administrator`. A repeat of a
 * request that was carried out throws `not_found`.
 */
export async function deleteUser(
  context: DirectoryContext,
  { userId, force }: AskRequest<'delete-user'>,
): Promise<AskResults['delete-user']> {
  const { store } = context
  const [user = null] = await store.get('users', [userId])
  if (user === null) throw userNotFound(userId)
  const workspaces = await workspacesOf(store, userId)
  const alone = workspaces.filter(({ workspace }) => ownersOf(workspace.members).every(owner => owner === userId))
  if (alone.length > 0) throw lastOwnerOf(alone.map(({ workspace }) => `"${workspace.name}" (${workspace.id})`))
  const keys = await store.count('keys', { userId })
  if (!force && workspaces.length + keys > 0) throw isUsed(workspaces.length, keys)
  // Ends the sessions and refuses the keys at once, and refuses to take the last administrator.
  await updateUser(context, { userId, disabled: true, force })
  for (const { workspace } of workspaces) await removeMember(context, { workspaceId: workspace.id, userId })
  for (const collection of ['keys', 'sessions', 'externalIdentities', 'memberships'] as const)
    await removeAll(store, collection, { userId }, limits.directory.listed)
  await store.delete('users', [userId])
  context.logger.info({ userId, user: user.username, memberships: workspaces.length, keys }, 'user deleted')
  await revoke(context, 'user', userId)
  return { id: userId, username: user.username, workspaces: workspaces.length, keys }
}

const ownersOf = (members: Record<string, string> = {}): string[] =>
  Object.entries(members).flatMap(([id, role]) => (role === 'owner' ? [id] : []))

const lastOwnerOf = (names: readonly string[]): AppError =>
  new AppError('invalid_state', 'Last owner', {
    details: `Nobody else owns ${names.slice(0, 5).join(', ')}: make another member owner first, or delete the workspace`,
  })

const isUsed = (workspaces: number, keys: number): AppError =>
  new AppError('invalid_state', 'Account is used', {
    details:
      `It has ${counted(workspaces, 'membership')} and ${counted(keys, 'key')}, which would go with it: disable the account instead; ` +
      '--force deletes it all the same',
  })
