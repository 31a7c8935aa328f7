// Workspaces: create, rename, list.
import type { WorkspaceDocument } from '#shared/contracts/account.ts'
import type { WorkspaceView } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { readPage } from '../documents/page.ts'
import { revoke } from '../keys/revoke.ts'
import { workspacesOf } from './callers.ts'
import { checkName } from './fields.ts'
import { userNotFound } from './users.ts'

/** Returns the workspaces of which a user is a member, in the order of their names. */
export const listWorkspaces: AskAnswerer<'list-workspaces'> = async ({ store }, { userId }) =>
  (await workspacesOf(store, userId))
    .map(({ workspace, role }) => ({ id: workspace.id, name: workspace.name, role }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1))

/** Returns a page of all workspaces in the order of their creation. */
export const listAllWorkspaces: AskAnswerer<'list-all-workspaces'> = async ({ store }, { after }) =>
  readPage(store, {
    collection: 'workspaces',
    where: {},
    sort: ['createdAt', 'asc'],
    after,
    view: found => found.map(workspace => (isDeleted(workspace) ? null : workspaceView(workspace))),
  })

/** Throws `validation` `Invalid name`, `not_found` for the user, `invalid_state` `Too many workspaces`. */
export const createWorkspace: AskAnswerer<'create-workspace'> = async (context, { id, userId, ...request }) => {
  const { store, clock } = context
  const name = checkWorkspaceName(request.name)
  const [user] = await store.get('users', [userId])
  if (!user) throw userNotFound(userId)
  const [repeated = null] = await store.get('workspaces', [id])
  if (!repeated) {
    await checkWorkspaceRoom(store, userId)
    await insertWorkspace(store, { id, rev: 1, name, createdAt: clock.now(), members: { [userId]: 'owner' } })
  }
  const [stored = null] = await store.get('workspaces', [id])
  const role = stored?.members[userId]
  if (!stored || !role) {
    throw refusal('validation', 'Workspace exists', `The id ${id} belongs to another workspace`)
  }
  await revoke(context, 'user', userId)
  return { id, name: stored.name, role }
}

/** Throws `validation` `Invalid name`, `not_found` `Workspace not found`. */
export const renameWorkspace: AskAnswerer<'rename-workspace'> = async ({ store }, { workspaceId, ...request }) => {
  const name = checkWorkspaceName(request.name)
  await changeGuarded(store, 'workspaces', workspaceId, present => {
    if (!present || isDeleted(present)) throw workspaceNotFound(workspaceId)
    return { ...present, name }
  })
  return { id: workspaceId, name }
}

/**
 * Inserts the membership documents (hints) before the workspace. A hint without a workspace is harmless, but a member without a hint would
 * not find the workspace.
 */
export async function insertWorkspace(store: Store, workspace: WorkspaceDocument): Promise<void> {
  for (const userId of Object.keys(workspace.members)) await insertHint(store, workspace.id, userId)
  await store.insert('workspaces', [workspace])
}

export async function insertHint(store: Store, workspaceId: string, userId: string): Promise<void> {
  await store.insert('memberships', [{ id: `${workspaceId}.${userId}`, rev: 1, workspaceId, userId }])
}

/** Throws `invalid_state` if the user is already a member of as many workspaces as allowed. */
export async function checkWorkspaceRoom(store: Store, userId: string): Promise<void> {
  if ((await workspacesOf(store, userId)).length < limits.people.workspacesPerUser) return
  throw refusal('invalid_state', 'Too many workspaces', `A user is in at most ${limits.people.workspacesPerUser} workspaces`)
}

/** Returns true if the workspace is marked as deleted; its contents are then being removed. */
export const isDeleted = ({ deletedAt }: WorkspaceDocument): boolean => typeof deletedAt === 'number'

const workspaceView = ({ id, name, members, createdAt }: WorkspaceDocument): WorkspaceView => ({
  id,
  name,
  members: Object.keys(members).length,
  createdAt,
})

export const workspaceNotFound = (id: string) => refusal('not_found', 'Workspace not found', `There is no workspace ${id}`)

const checkWorkspaceName = (name: string): string =>
  checkName(name, limits.people.workspaceNameCharacters, 'Invalid name', "A workspace's name", 'name')
