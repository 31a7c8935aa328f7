// A user as rights are decided by: flags, and the role in each workspace as its roster has it.
import type { Role, UserDocument, WorkspaceDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { Caller } from '#shared/contracts/ask/ask-people.ts'
import { readAll } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
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

/** The workspaces whose rosters have the user, by id. All hints are looked at: those of memberships that ended stay. */
export async function workspacesOf(store: Store, userId: string): Promise<{ workspace: WorkspaceDocument; role: Role }[]> {
  const ids: string[] = []
  for await (const { workspaceId } of readAll(store, 'memberships', { userId })) ids.push(workspaceId)
  const workspaces = await store.get('workspaces', ids)
  return workspaces.flatMap(workspace => {
    const role = workspace?.members?.[userId]
    return workspace && role ? [{ workspace, role }] : []
  })
}

/** Never expires by itself: it stands for a person whom nobody asks for a key or a session. */
export async function describeUser(
  { store }: DirectoryContext,
  { username }: AskRequest<'describe-user'>,
): Promise<AskResults['describe-user']> {
  const user = await findByUsername(store, username)
  return user && { ...(await callerOf(store, user, Number.MAX_SAFE_INTEGER)), username: user.username }
}
