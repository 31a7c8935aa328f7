// Members of a workspace and their roles. Only the roster in the workspace's document decides.
import type { Role, StoredInvitation, UserDocument, WorkspaceDocument } from '#shared/contracts/account.ts'
import type { MemberView } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { AskAnswerer } from '../context.ts'
import { pick } from '../documents/pick.ts'
import { revoke } from '../keys/revoke.ts'
import { alreadyMember, changeRoster, tooManyMembers } from './change-roster.ts'
import { findByUsername } from './users.ts'
import { checkWorkspaceRoom, insertHint, isDeleted, workspaceNotFound } from './workspaces.ts'

/** Returns members by username. Throws `not_found` `Workspace not found`. */
export const listMembers: AskAnswerer<'list-members'> = async ({ store }, { workspaceId }) => {
  const [workspace] = await store.get('workspaces', [workspaceId])
  if (!workspace || isDeleted(workspace)) throw workspaceNotFound(workspaceId)
  const roster = workspace.members
  const users = await store.get('users', Object.keys(roster))
  return users
    .flatMap(user => (user ? [memberView(user, roster[user.id] as Role)] : []))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
}

/** Throws `not_found`, or `invalid_state` with `Already a member` (with another role), `Too many members` or `Too many workspaces`. */
export const addMember: AskAnswerer<'add-member'> = async (context, request) => {
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
  await changeRoster(context, workspaceId, workspace => {
    const { members } = workspace
    const present = members[user.id]
    if (present === role) return null
    if (present !== undefined) throw alreadyMember(user.username, present)
    if (Object.keys(members).length >= limits.people.membersPerWorkspace) throw tooManyMembers()
    return { members: { ...members, [user.id]: role }, invitations: withoutName(workspace, user) }
  })
  await revoke(context, 'user', user.id)
  return memberView(user, role)
}

/**
 * Throws `not_found` `Member not found`, which is the same for every id outside of the roster; `invalid_state` `Last owner`, or `Owner by
 * invitation` unless an administrator asks.
 */
export const changeRole: AskAnswerer<'change-role'> = async (context, { workspaceId, userId, role, byAdministrator = false }) => {
  const [user = null] = await context.store.get('users', [userId])
  await changeRoster(context, workspaceId, present => {
    const { members } = present
    if (!Object.hasOwn(members, userId)) throw memberNotFound()
    if (members[userId] === role) return null
    if (role === 'owner' && !byAdministrator) throw ownerByInvitation()
    return { members: { ...members, [userId]: role }, invitations: withoutName(present, user) }
  })
  await revoke(context, 'user', userId)
  if (user === null) throw memberNotFound()
  return memberView(user, role)
}

/**
 * Throws `not_found` for the workspace, `invalid_state` `Last owner`. The membership document (hint) is not removed. If the user were added
 * again at the same moment, a removal would delete the new hint.
 */
export const removeMember: AskAnswerer<'remove-member'> = async (context, { workspaceId, userId }) => {
  let removed = false
  const [user = null] = await context.store.get('users', [userId])
  await changeRoster(context, workspaceId, present => {
    removed = Object.hasOwn(present.members, userId)
    const { [userId]: _, ...others } = present.members
    return removed ? { members: others, invitations: withoutName(present, user) } : null
  })
  await revoke(context, 'user', userId)
  return { userId, removed }
}

/** A direct change of a membership ends an invitation of the same person, which would otherwise undo the change when it is accepted. */
const withoutName = ({ invitations = [] }: WorkspaceDocument, user: UserDocument | null): StoredInvitation[] =>
  invitations.filter(({ username }) => username !== user?.username)

const memberView = (user: UserDocument, role: Role): MemberView => ({
  userId: user.id,
  ...pick(user, ['username', 'displayName', 'disabled']),
  role,
})

const memberNotFound = () => refusal('not_found', 'Member not found', 'There is no such member of this workspace')
const ownerByInvitation = () =>
  refusal(
    'invalid_state',
    'Owner by invitation',
    'Nobody is made an owner without being asked: invite the member as owner, and the role changes when the invitation is accepted',
    'role',
  )
const noSuchUsername = (username: string) => refusal('not_found', 'User not found', `There is no user "${username}"`, 'username')
