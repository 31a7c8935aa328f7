// Deletion of an account with its keys, sessions, memberships and binding to an OIDC provider. The account itself is deleted last, so that
// a retry can finish an interrupted deletion.
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { removeAll } from '#shared/store/pages.ts'
import { counted } from '#shared/text/counted.ts'
import type { AskAnswerer } from '../context.ts'
import { revoke } from '../keys/revoke.ts'
import { workspacesOf } from './callers.ts'
import { removeMember } from './members.ts'
import { updateUser, userNotFound } from './users.ts'

/**
 * Throws `not_found`, or `invalid_state` with `Last owner`; without `force` also with `Account is used`; without `force` or with
 * `keepAdministrator` also with `Last administrator`. A retry after the deletion throws `not_found`.
 */
export const deleteUser: AskAnswerer<'delete-user'> = async (context, { userId, force, keepAdministrator = false }) => {
  const { store } = context
  const [user = null] = await store.get('users', [userId])
  if (user === null) throw userNotFound(userId)
  const workspaces = await workspacesOf(store, userId)
  const alone = workspaces.filter(({ workspace }) => ownersOf(workspace.members).every(owner => owner === userId))
  if (alone.length > 0) throw lastOwnerOf(alone.map(({ workspace }) => `"${workspace.name}" (${workspace.id})`))
  const keys = await store.count('keys', { userId })
  if (!force && workspaces.length + keys > 0) throw isUsed(workspaces.length, keys)
  // Ends the sessions and disables the keys at once. Refuses if the user is the last administrator.
  await updateUser(context, { userId, disabled: true, force: force && !keepAdministrator })
  for (const { workspace } of workspaces) await removeMember(context, { workspaceId: workspace.id, userId })
  for (const collection of ['keys', 'sessions', 'externalIdentities', 'memberships'] as const)
    await removeAll(store, collection, { userId }, limits.directory.listed)
  await store.delete('users', [userId])
  context.logger.info({ userId, user: user.username, memberships: workspaces.length, keys }, 'user deleted')
  await revoke(context, 'user', userId)
  return { id: userId, username: user.username, workspaces: workspaces.length, keys }
}

const ownersOf = (members: Record<string, string>): string[] =>
  Object.entries(members).flatMap(([id, role]) => (role === 'owner' ? [id] : []))

const lastOwnerOf = (names: readonly string[]) =>
  refusal(
    'invalid_state',
    'Last owner',
    `Nobody else owns ${names.slice(0, 5).join(', ')}: make another member owner first, or delete the workspace`,
  )

const isUsed = (workspaces: number, keys: number) =>
  refusal(
    'invalid_state',
    'Account is used',
    `It has ${counted(workspaces, 'membership')} and ${counted(keys, 'key')}, which would go with it: disable the account instead, ` +
      'or delete it with force',
  )
