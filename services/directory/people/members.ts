// Members of a workspace and their roles. The roster in the workspace's document is what counts: it is replaced guarded by its
// revision, so that of two changes that together would take the last owner, the second sees the first and is refused.
import type { Role, UserDocument, WorkspaceDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { MemberView } from '#shared/contracts/ask/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { revoke } from '../keys/revoke.ts'
import { findByUsername, userNotFound } from './users.ts'
import { checkWorkspaceRoom, insertHint, isDeleted, workspaceNotFound } from './workspaces.ts'

type Roster = Record<string, Role>

/** Members by username. Throws `not_found` `Workspace not found`. */
export async function listMembers(
  { store }: DirectoryContext,
  { workspaceId }: AskRequest<'list-members'>,
): Promise<MemberView[]> {
  const [workspace] = await store.get('workspaces', [workspaceId])
  if (!workspace || isDeleted(workspace)) throw workspaceNotFound(workspaceId)
  const roster = workspace.members ?? {}
  const users = await store.get('users', Object.keys(roster))
  return users
    .flatMap(user => (user ? [memberView(user, roster[user.id] as Role)] : []))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
}

/** Throws `not_found`, `invalid_state` `Already a member` for another role, `Too many members`, `Too many workspaces`. */
export async function addMember(context: DirectoryContext, request: AskRequest<'add-member'>): Promise<MemberView> {
  const { store } = context
  const { workspaceId, role } = request
  const user = await findByUsername(store, request.username)
  if (!user) throw noSuchUsername(request.username)
  const [workspace] = await store.get('workspaces', [workspaceId])
  // A member needs no more room: a repeat at the bound gets the first response.
  if (workspace?.members?.[user.id] === undefined) await checkWorkspaceRoom(store, user.id)
  // Before the roster: a hint too many says nothing, a member without one would be none.
  await insertHint(store, workspaceId, user.id)
  await changeRoster(store, workspaceId, roster => {
    const present = roster[user.id]
    if (present === role) return null
    if (present !== undefined) throw alreadyMember(user, present)
    if (Object.keys(roster).length >= limits.people.membersPerWorkspace) throw tooManyMembers()
    return { ...roster, [user.id]: role }
  })
  await revoke(context, 'user', user.id)
  return memberView(user, role)
}

/** Throws `not_found` `Member not found`, `invalid_state` `Last owner`. */
export async function changeRole(context: DirectoryContext, request: AskRequest<'change-role'>): Promise<MemberView> {
  const { userId, role } = request
  const [user] = await context.store.get('users', [userId])
  if (!user) throw userNotFound(userId)
  await changeRoster(context.store, request.workspaceId, roster => {
    if (roster[userId] === undefined) throw memberNotFound(user)
    return roster[userId] === role ? null : { ...roster, [userId]: role }
  })
  await revoke(context, 'user', userId)
  return memberView(user, role)
}

/** Throws `not_found` for the workspace, `invalid_state` `Last owner`. The hint stays: taking it away could meet an adding. */
export async function removeMember(
  context: DirectoryContext,
  { workspaceId, userId }: AskRequest<'remove-member'>,
): Promise<AskResults['remove-member']> {
  let removed = false
  await changeRoster(context.store, workspaceId, roster => {
    removed = Object.hasOwn(roster, userId)
    const { [userId]: _, ...others } = roster
    return removed ? others : null
  })
  await revoke(context, 'user', userId)
  return { userId, removed }
}

/** `change` answers null to leave the roster as it is. Refuses what would leave the workspace without an owner. */
async function changeRoster(
  store: Store,
  workspaceId: string,
  change: (roster: Roster) => Roster | null,
): Promise<WorkspaceDocument | null> {
  return changeGuarded(store, 'workspaces', workspaceId, present => {
    if (!present || isDeleted(present)) throw workspaceNotFound(workspaceId)
    const members = change(present.members ?? {})
    if (members && !Object.values(members).includes('owner')) throw lastOwner()
    return members && { ...present, members }
  })
}

const memberView = (user: UserDocument, role: Role): MemberView => ({
  userId: user.id,
  username: user.username,
  displayName: user.displayName,
  disabled: user.disabled,
  role,
})

const lastOwner = (): AppError =>
  new AppError('invalid_state', 'Last owner', {
    details: 'A workspace keeps an owner: make another member owner first',
    facts: { field: 'role' },
  })
const tooManyMembers = (): AppError =>
  new AppError('invalid_state', 'Too many members', {
    details: `A workspace has at most ${limits.people.membersPerWorkspace} members`,
  })
const alreadyMember = (user: UserDocument, role: Role): AppError =>
  new AppError('invalid_state', 'Already a member', {
    details: `${user.username} is a member already, as ${role}; change the role instead`,
    facts: { field: 'username' },
  })
const memberNotFound = (user: UserDocument): AppError =>
  new AppError('not_found', 'Member not found', { details: `${user.username} is no member of this workspace` })
const noSuchUsername = (username: string): AppError =>
  new AppError('not_found', 'User not found', {
    details: `There is no user "${username}"`,
    facts: { field: 'username' },
  })
