// Who may do what through the session API (spec D 1, Roles): a workspace of others does not exist, a role that is too small is said.
import type { Role } from '#shared/contracts/account.ts'
import { AppError } from '#shared/errors.ts'
import { roleIn, roleNeeded } from '../access.ts'
import type { VisitorCall } from './session-call.ts'
import { pathId } from './session-fields.ts'

/** The id of the workspace named by the path, in which the caller has at least this role. Throws not_found or forbidden. */
export function workspaceOf({ request, visitor }: VisitorCall, least: Role = 'viewer'): string {
  const workspaceId = pathId(request, 'workspaceId')
  const role = roleIn(visitor, workspaceId)
  if (role === null) throw noSuch('Workspace')
  requireRole(role, least)
  return workspaceId
}

/** Throws forbidden for a member whose role is less than `least`. */
export function requireRole(role: Role, least: Role): void {
  if (roles.indexOf(role) >= roles.indexOf(least)) return
  throw new AppError('forbidden', 'Forbidden', { details: roleNeeded(least, role) })
}

/** Each may do what those before it may. */
const roles: readonly Role[] = ['viewer', 'editor', 'owner']

/** Throws forbidden for whoever does not administer the installation. */
export function requireAdmin({ visitor }: VisitorCall): void {
  if (visitor.admin) return
  throw new AppError('forbidden', 'Forbidden', { details: 'This needs an administrator of the installation.' })
}

export const noSuch = (noun: string): AppError =>
  new AppError('not_found', `${noun} not found`, {
    details: `There is no such ${noun.toLowerCase()}, or it is not yours to see.`,
  })
