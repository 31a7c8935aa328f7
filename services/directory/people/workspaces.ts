// Workspaces: made, named, listed.
import type { WorkspaceDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { WorkspaceView } from '#shared/contracts/ask/ask-people.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { PutResult, Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { readPage } from '../documents/page.ts'
import { revoke } from '../keys/revoke.ts'
import { workspacesOf } from './callers.ts'
import { checkName } from './fields.ts'
import { userNotFound } from './users.ts'

/** The workspaces that a user is a member of, by name. */
export async function listWorkspaces(
  { store }: DirectoryContext,
  { userId }: AskRequest<'list-workspaces'>,
): Promise<AskResults['list-workspaces']> {
  return (await workspacesOf(store, userId))
    .map(({ workspace, role }) => ({ id: workspace.id, name: workspace.name, role }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1))
}

/** A page of all workspaces by creation. */
export async function listAllWorkspaces(
  { store }: DirectoryContext,
  { after }: AskRequest<'list-all-workspaces'>,
): Promise<Page<WorkspaceView>> {
  return readPage(store, {
    collection: 'workspaces',
    where: {},
    sort: ['createdAt', 'asc'],
    after,
    view: found => found.map(workspace => (isDeleted(workspace) ? null : workspaceView(workspace))),
  })
}

/** Throws `validation` `Invalid name`, `not_found` for the user, `invalid_state` `Too many workspaces`. */
export async function createWorkspace(
  context: DirectoryContext,
  { id, userId, ...request }: AskRequest<'create-workspace'>,
): Promise<AskResults['create-workspace']> {
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
  const role = stored?.members?.[userId]
  if (!stored || !role) {
    throw new AppError('validation', 'Workspace exists', { details: `The id ${id} belongs to another workspace` })
  }
  await revoke(context, 'user', userId)
  return { id, name: stored.name, role }
}

/** Throws `validation` `Invalid name`, `not_found` `Workspace not found`. */
export async function renameWorkspace(
  { store }: DirectoryContext,
  { workspaceId, ...request }: AskRequest<'rename-workspace'>,
): Promise<AskResults['rename-workspace']> {
  const name = checkWorkspaceName(request.name)
  await changeGuarded(store, 'workspaces', workspaceId, present => {
    if (!present || isDeleted(present)) throw workspaceNotFound(workspaceId)
    return { ...present, name }
  })
  return { id: workspaceId, name }
}

/** The hints come first: one without a workspace says nothing, a member without one would be none. */
export async function insertWorkspace(store: Store, workspace: WorkspaceDocument): Promise<PutResult | undefined> {
  for (const userId of Object.keys(workspace.members ?? {})) await insertHint(store, workspace.id, userId)
  const [result] = await store.insert('workspaces', [workspace])
  return result
}

export async function insertHint(store: Store, workspaceId: string, userId: string): Promise<void> {
  await store.insert('memberships', [{ id: `${workspaceId}.${userId}`, rev: 1, workspaceId, userId }])
}

/** Throws `invalid_state` where the user is in as many workspaces as one may be. */
export async function checkWorkspaceRoom(store: Store, userId: string): Promise<void> {
  if ((await workspacesOf(store, userId)).length < limits.people.workspacesPerUser) return
  throw new AppError('invalid_state', 'Too many workspaces', {
    details: `A user is in at most ${limits.people.workspacesPerUser} workspaces`,
  })
}

/** The contents of the workspace are being removed. */
export const isDeleted = ({ deletedAt }: WorkspaceDocument): boolean => typeof deletedAt === 'number'

const workspaceView = ({ id, name, members, createdAt }: WorkspaceDocument): WorkspaceView => ({
  id,
  name,
  members: Object.keys(members ?? {}).length,
  createdAt,
})

export const workspaceNotFound = (id: string): AppError =>
  new AppError('not_found', 'Workspace not found', { details: `There is no workspace ${id}` })

const checkWorkspaceName = (name: string): string =>
  checkName(name, limits.people.workspaceNameCharacters, 'Invalid name', "A workspace's name", 'name')
