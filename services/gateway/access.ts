// Who may do what: membership first, role second (spec D 1, Roles).
import type { Role } from '#shared/contracts/account.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import type { Caller } from '#shared/contracts/ask-people.ts'
import { AppError } from '#shared/errors.ts'

type Rights = Pick<Caller, 'admin' | 'memberships'>

/** The caller's role in a workspace; null where it is no member, whether or not the workspace exists. */
export const roleIn = (caller: Pick<Caller, 'memberships'>, workspaceId: string): Role | null =>
  caller.memberships.find(membership => membership.workspaceId === workspaceId)?.role ?? null

/** Throws access_denied (2005) for whoever is no member. */
export function requireMember(identity: Identity, workspaceId: string): void {
  if (roleIn(identity, workspaceId) === null) throw denied()
}

/** Throws access_denied (2005) for whoever is neither editor nor owner. */
export function requireEditor(identity: Identity, workspaceId: string): void {
  const role = roleIn(identity, workspaceId)
  if (role === null) throw denied()
  if (role === 'viewer') throw accessDenied(roleNeeded('editor', role))
}

/** The sentence for a member whose role is too small. `needed` is the least role that is enough. */
export const roleNeeded = (needed: Role, role: Role): string => `Needs the role ${needed}; yours is ${role}.`

/** Whether somebody may no longer what a check that was passed before `now` has allowed. Another role counts, be it more or less. */
export const hasLostRights = (before: Rights, now: Rights): boolean =>
  (before.admin && !now.admin) || before.memberships.some(({ workspaceId, role }) => roleIn(now, workspaceId) !== role)

/** For whoever it tells, the same request is judged anew when it is sent again. */
export const rightsChanged = (): AppError =>
  new AppError('unavailable', 'Rights changed', { details: 'The rights of the sender changed while the request came' })

/** In the same words for a workspace that does not exist (spec A, Errors, 2005). */
const denied = (): AppError => accessDenied('User does not have access to this workspace')

const accessDenied = (details: string): AppError => new AppError('access_denied', 'Access denied', { details })
