// Invitations to workspaces. An owner invites a name, and the person of this name becomes a member by accepting. Only the workspace's
// document decides whether an invitation stands; the collection `invitations` is an index to it. No account is looked up by the invited
// name, so nobody can find out by invitations who has an account.
import { type Role, roles, type StoredInvitation, type UserDocument, type WorkspaceDocument } from '#shared/contracts/account.ts'
import type { InvitationView } from '#shared/contracts/ask/ask-people.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { bestEffort } from '../documents/best-effort.ts'
import { revoke } from '../keys/revoke.ts'
import { alreadyMember, changeRoster, endOf, standingIn, tooManyMembers } from './change-roster.ts'
import { checkUsername } from './fields.ts'
import { userNotFound } from './users.ts'
import { checkWorkspaceRoom, insertHint, isDeleted, workspaceNotFound } from './workspaces.ts'

const bounds = limits.people

/** Throws `validation` for a text that cannot be a username, `not_found`, `forbidden`, or `invalid_state`. */
export const invite: AskAnswerer<'invite'> = async (context, { id, workspaceId, inviterId, role, ...request }) => {
  const { store, clock } = context
  const username = checkUsername(request.username)
  const createdAt = clock.now()
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  if (workspace === null || isDeleted(workspace)) throw workspaceNotFound(workspaceId)
  const namesake = await memberNamed(store, workspace, username)
  await requireInviterRoom(store, inviterId, createdAt)
  // The index entry is written before the invitation: an extra entry is harmless, but the person would not find an invitation without one.
  const index = { id, rev: 1, workspaceId, username, inviterId, createdAt, expireAt: endOf({ createdAt }) }
  const [inserted] = await store.insert('invitations', [index])
  const stored = await changeRoster(context, workspaceId, present => {
    if (present.members[inviterId] !== 'owner') throw forOwners()
    const standing = standingIn(present, createdAt)
    if (standing.some(one => one.id === id)) return null
    const held = namesake === null ? undefined : present.members[namesake.id]
    if (held !== undefined && (held === 'owner' || role !== 'owner')) throw alreadyMember(username, held)
    if (held === undefined && Object.keys(present.members).length >= bounds.membersPerWorkspace) throw tooManyMembers()
    const others = standing.filter(one => one.username !== username)
    if (others.length >= bounds.invitationsPerWorkspace) throw tooMany('A workspace', bounds.invitationsPerWorkspace)
    return { invitations: [...others, { id, username, role, inviterId, createdAt }] }
  }).catch(async error => {
    if (inserted === 'written' && error instanceof AppError) await dropIndex(store, id)
    throw error
  })
  const [view] = await viewsOf(store, stored.invitations?.filter(one => one.id === id) ?? [])
  if (view === undefined) throw invitationNotFound()
  return view
}

/** Throws `not_found` for the workspace. Declined invitations look like pending ones. */
export const listWorkspaceInvitations: AskAnswerer<'list-workspace-invitations'> = async ({ store, clock }, { workspaceId }) => {
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  if (workspace === null || isDeleted(workspace)) throw workspaceNotFound(workspaceId)
  return viewsOf(store, standingIn(workspace, clock.now()))
}

/** Throws `not_found` for the workspace. */
export const withdrawInvitation: AskAnswerer<'withdraw-invitation'> = async (context, { workspaceId, invitationId }) => {
  let withdrawn = false
  await changeRoster(context, workspaceId, ({ invitations = [] }) => {
    withdrawn = invitations.some(({ id }) => id === invitationId)
    return withdrawn ? { invitations: invitations.filter(({ id }) => id !== invitationId) } : null
  })
  return { id: invitationId, withdrawn }
}

/** Reads only the workspaces that have invited this person's name. Throws `not_found` for the user. */
export const listInvitations: AskAnswerer<'list-invitations'> = async ({ store, clock }, { userId }) => {
  const user = await userOf(store, userId)
  const where = { username: user.username, createdAt: { gte: user.createdAt }, expireAt: { gt: clock.now() } }
  const found = await store.find('invitations', { where, sort: [['createdAt', 'desc']], limit: bounds.invitationsShown })
  if (found.length === 0) return []
  const workspaces = await store.get(
    'workspaces',
    found.map(({ workspaceId }) => workspaceId),
  )
  const standing = found.flatMap(({ id }, i) => {
    const workspace = workspaces[i] ?? null
    const invitation = workspace && pendingFor(user, workspace, id, clock.now())
    return invitation ? [{ invitation, workspace: workspace.name }] : []
  })
  const inviters = await usersById(
    store,
    standing.map(({ invitation }) => invitation.inviterId),
  )
  return standing.map(({ invitation, workspace }) => {
    const { username = '', displayName = '' } = inviters.get(invitation.inviterId) ?? {}
    const { id, role, createdAt } = invitation
    return { id, workspace, role, invitedBy: { username, displayName }, createdAt, expiresAt: endOf(invitation) }
  })
}

/** Throws `not_found`, or `invalid_state` with `Too many workspaces` or `Too many members`. */
export const acceptInvitation: AskAnswerer<'accept-invitation'> = async (context, { userId, invitationId }) => {
  const { store, clock } = context
  const user = await userOf(store, userId)
  const workspaceId = workspaceIdOf(invitationId)
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  if (workspace === null || isDeleted(workspace)) throw invitationNotFound()
  if (workspace.members[userId] === undefined) {
    if (pendingFor(user, workspace, invitationId, clock.now()) === null) throw invitationNotFound()
    await checkWorkspaceRoom(store, userId)
    await insertHint(store, workspaceId, userId)
  }
  let role: Role = 'viewer'
  const { name } = await changeRoster(context, workspaceId, present => {
    const held = present.members[userId]
    const invitation = pendingFor(user, present, invitationId, clock.now())
    if (invitation === null) {
      // A member without this invitation has accepted it before: a retry.
      if (held === undefined) throw invitationNotFound()
      role = held
      return null
    }
    if (held === undefined && Object.keys(present.members).length >= bounds.membersPerWorkspace) throw tooManyMembers()
    role = higher(held, invitation.role)
    const invitations = present.invitations?.filter(({ id }) => id !== invitationId) ?? []
    return { members: { ...present.members, [userId]: role }, invitations }
  })
  await revoke(context, 'user', userId)
  return { id: workspaceId, name, role }
}

/**
 * Throws `not_found`. The declined invitation stays in the workspace's document until it ends, because otherwise owners would see that
 * somebody of this name has read it.
 */
export const declineInvitation: AskAnswerer<'decline-invitation'> = async (context, { userId, invitationId }) => {
  const { store, clock } = context
  const user = await userOf(store, userId)
  const workspaceId = workspaceIdOf(invitationId)
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  if (workspace === null || isDeleted(workspace)) throw invitationNotFound()
  await changeRoster(context, workspaceId, present => {
    const invitation = invitationFor(user, present, invitationId, clock.now())
    if (invitation === null) throw invitationNotFound()
    if (invitation.declinedAt !== undefined) return null
    const declined = { ...invitation, declinedAt: clock.now() }
    return { invitations: (present.invitations ?? []).map(one => (one.id === invitationId ? declined : one)) }
  })
  await dropIndex(store, invitationId)
  return { id: invitationId }
}

/**
 * Returns the standing invitation with this id, if it is for this account. An account that was made after the invitation is another person's,
 * even if it has the invited name.
 */
const invitationFor = (user: UserDocument, workspace: WorkspaceDocument, id: string, now: number): StoredInvitation | null =>
  standingIn(workspace, now).find(one => one.id === id && one.username === user.username && user.createdAt <= one.createdAt) ??
  null

/** Like `invitationFor`, but returns null for a declined invitation. */
function pendingFor(user: UserDocument, workspace: WorkspaceDocument, id: string, now: number): StoredInvitation | null {
  const found = invitationFor(user, workspace, id, now)
  return found?.declinedAt === undefined ? found : null
}

/** Returns the member of the workspace with this username. Reads only members, whom every owner may see. */
async function memberNamed(store: Store, { members }: WorkspaceDocument, username: string): Promise<UserDocument | null> {
  const users = await store.get('users', Object.keys(members))
  return users.find(user => user?.username === username) ?? null
}

async function viewsOf(store: Store, invitations: readonly StoredInvitation[]): Promise<InvitationView[]> {
  const inviters = await usersById(
    store,
    invitations.map(({ inviterId }) => inviterId),
  )
  return invitations.map(invitation => {
    const { id, username, role, inviterId, createdAt } = invitation
    return { id, username, role, invitedBy: inviters.get(inviterId)?.username ?? '', createdAt, expiresAt: endOf(invitation) }
  })
}

async function usersById(store: Store, ids: readonly string[]): Promise<Map<string, UserDocument>> {
  const users = await store.get('users', [...new Set(ids)])
  return new Map(users.flatMap(user => (user ? [[user.id, user]] : [])))
}

async function userOf(store: Store, userId: string): Promise<UserDocument> {
  const [user = null] = await store.get('users', [userId])
  if (user === null) throw userNotFound(userId)
  return user
}

/** Throws `invalid_state`. Simultaneous invitations may exceed the bound by one. */
async function requireInviterRoom(store: Store, inviterId: string, now: number): Promise<void> {
  const pending = await store.count('invitations', { inviterId, expireAt: { gt: now } })
  if (pending >= bounds.invitationsPerInviter) throw tooMany('A person', bounds.invitationsPerInviter)
}

const dropIndex = (store: Store, id: string): Promise<void> => bestEffort(store.delete('invitations', [id]).then(() => undefined))

const workspaceIdOf = (invitationId: string): string => invitationId.slice(0, Math.max(0, invitationId.lastIndexOf('.')))

const higher = (held: Role | undefined, invited: Role): Role =>
  held !== undefined && roles.indexOf(held) > roles.indexOf(invited) ? held : invited

const forOwners = () => refusal('forbidden', 'Forbidden', 'Only an owner of the workspace invites people')
const invitationNotFound = () =>
  refusal(
    'not_found',
    'Invitation not found',
    'There is no such invitation: it has ended, was withdrawn, or is not for this person',
  )
const tooMany = (who: string, most: number) =>
  refusal(
    'invalid_state',
    'Too many invitations',
    `${who} has at most ${most} invitations pending; withdraw some, or wait until they end`,
  )
