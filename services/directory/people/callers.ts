// Data of a user that decide the user's rights: flags, and the role in each workspace whose roster has the user.
import type { Role, UserDocument, WorkspaceDocument } from '#shared/contracts/account.ts'
import type { Caller } from '#shared/contracts/ask/ask-people.ts'
import { readAll } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { findByUsername } from './users.ts'

export async function callerOf(store: Store, user: UserDocument, expiresAt: number): Promise<Caller> {
  const workspaces = await workspacesOf(store, user.id)
  return {
    userId: user.id,
    displayName: user.displayName || user.username,
    admin: user.admin,
    disabled: user.disabled,
    expiresAt,
    memberships: workspaces.map(({ workspace, role }) => ({ workspaceId: workspace.id, role })),
  }
}

/**
 * Returns the workspaces whose rosters have the user, by id. A membership document is only a hint: it stays stored after the user has left
 * the workspace.
 */
export async function workspacesOf(store: Store, userId: string): Promise<{ workspace: WorkspaceDocument; role: Role }[]> {
  const ids: string[] = []
  for await (const { workspaceId } of readAll(store, 'memberships', { userId })) ids.push(workspaceId)
  const workspaces = await store.get('workspaces', ids)
  return workspaces.flatMap(workspace => {
    const role = workspace?.members[userId]
    return workspace && role ? [{ workspace, role }] : []
  })
}

/** Returns the rights of a person who acts without a key or a session; these rights do not expire. */
export const describeUser: AskAnswerer<'describe-user'> = async ({ store }, { username }) => {
  const user = await findByUsername(store, username)
  return user && { ...(await callerOf(store, user, Number.MAX_SAFE_INTEGER)), username: user.username }
}
