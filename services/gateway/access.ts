// Who may do what: membership first, role second (spec D 1, Roles).
import type { Role } from '#shared/contracts/account.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import type { Caller } from '#shared/contracts/ask-people.ts'
import { AppError } from '#shared/errors.ts'

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
  if (role === null || role === 'viewer') throw denied()
}

/** In the same words for both reasons (spec A, Errors, 2005). */
const denied = (): AppError =>
  new AppError('access_denied', 'Access denied', { details: 'User does not have access to this workspace' })
