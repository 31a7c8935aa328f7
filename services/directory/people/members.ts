// Members of a workspace and their roles. Only the roster in the workspace's document decides. A change writes the document only if its
// revision is unchanged. If two simultaneous changes would together remove all owners, the later one is therefore refused.
import type { Role, UserDocument } from '#shared/contracts/account.ts'
import type { MemberView } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { Answer } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { pick } from '../documents/pick.ts'
import { revoke } from '../keys/revoke.ts'
import { findByUsername, userNotFound } from './users.ts'
import { checkWorkspaceRoom, insertHint, isDeleted, workspaceNotFound } from './workspaces.ts'

type Roster = Record<string, Role>

/** Returns members by username. Throws `not_found` `Workspace not found`. */
export const listMembers: Answer<'list-members'> = async ({ store }, { workspaceId }) => {
  const [workspace] = await store.get('workspaces', [workspaceId])
  if (!workspace || isDeleted(workspace)) throw workspaceNotFound(workspaceId)
  const roster = workspace.members
  const users = await store.get('users', Object.keys(roster))
  return users
    .flatMap(user => (user ? [memberView(user, roster[user.id] as Role)] : []))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
}

/** Throws `not_found`, or `invalid_state` with `Already a member` (with another role), `Too many members` or `Too many workspaces`. */
export const addMember: Answer<'add-member'> = async (context, request) => {
  const { store } = context
  const { workspaceId, role } = request
  const user = await findByUsername(store, request.username)
  if (!user) throw noSuchUsername(request.username)
  const [workspace] = await store.get('workspaces', [workspaceId])
  // The bound of workspaces is not checked for a user who is a member already, so that a retry succeeds.
  if (workspace?.members[user.id] === undefined) await checkWorkspaceRoom(store, user.id)
  // The membership (hint) is written before the roster: an extra hint is harmless, but a member without a hint would not find the
  // workspace.
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
export const changeRole: Answer<'change-role'> = async (context, request) => {
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

/**
 * Throws `not_found` for the workspace, `invalid_state` `Last owner`. The membership document (hint) is not removed. If the user were added
 * again at the same moment, a removal would delete the new hint.
 */
export const removeMember: Answer<'remove-member'> = async (context, { workspaceId, userId }) => {
  let removed = false
  await changeRoster(context.store, workspaceId, roster => {
    removed = Object.hasOwn(roster, userId)
    const { [userId]: _, ...others } = roster
    return removed ? others : null
  })
  await revoke(context, 'user', userId)
  return { userId, removed }
}

/** Changes the roster; `change` returns null to write nothing. Throws `invalid_state` if the workspace would have no owner. */
async function changeRoster(store: Store, workspaceId: string, change: (roster: Roster) => Roster | null): Promise<void> {
  await changeGuarded(store, 'workspaces', workspaceId, present => {
    if (!present || isDeleted(present)) throw workspaceNotFound(workspaceId)
    const members = change(present.members)
    if (members && !Object.values(members).includes('owner')) throw lastOwner()
    return members && { ...present, members }
  })
}

const memberView = (user: UserDocument, role: Role): MemberView => ({
  userId: user.id,
  ...pick(user, ['username', 'displayName', 'disabled']),
  role,
})

const lastOwner = () =>
  refusal('invalid_state', 'Last owner', 'A workspace keeps an owner: make another member owner first', 'role')
const tooManyMembers = () =>
  refusal('invalid_state', 'Too many members', `A workspace has at most ${limits.people.membersPerWorkspace} members`)
const alreadyMember = (user: UserDocument, role: Role) =>
  refusal(
    'invalid_state',
    'Already a member',
    `${user.username} is a member already, as ${role}; change the role instead`,
    'username',
  )
const memberNotFound = (user: UserDocument) =>
  refusal('not_found', 'Member not found', `${user.username} is no member of this workspace`)
const noSuchUsername = (username: string) => refusal('not_found', 'User not found', `There is no user "${username}"`, 'username')
