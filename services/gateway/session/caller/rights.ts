// Rights in the session API. A person who is not a member gets the same refusal as for a workspace that does not exist. A member whose role
// is too low gets a refusal that names the needed role.
import { type Role, roles } from '#shared/contracts/account.ts'
import { AppError } from '#shared/errors.ts'
import { roleIn, roleNeeded } from '../../callers/access.ts'
import { pathId } from '../../http/answer.ts'
import type { VisitorCall } from './session-call.ts'

/**
 * Returns the id of the workspace in the path. Throws not_found if the caller is not a member, and forbidden if the caller's role is lower
 * than `least`.
 */
export function workspaceOf(call: VisitorCall, least: Role = 'viewer'): string {
  const workspaceId = pathId(call, 'workspaceId')
  const role = roleIn(call.visitor, workspaceId)
  if (role === null) throw noSuch('Workspace')
  requireRole(role, least)
  return workspaceId
}

/** Throws forbidden for a member whose role is lower than `least`. */
export function requireRole(role: Role, least: Role): void {
  if (roles.indexOf(role) >= roles.indexOf(least)) return
  throw new AppError('forbidden', 'Forbidden', { details: roleNeeded(least, role) })
}

/** Throws forbidden unless the caller is an administrator of the installation. */
export function requireAdmin({ visitor }: VisitorCall): void {
  if (visitor.admin) return
  throw new AppError('forbidden', 'Forbidden', { details: 'This needs an administrator of the installation.' })
}

export const noSuch = (noun: string): AppError =>
  new AppError('not_found', `${noun} not found`, {
    details: `There is no such ${noun.toLowerCase()}, or it is not yours to see.`,
  })
