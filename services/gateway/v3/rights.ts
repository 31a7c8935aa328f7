// Rights in generation 3. Checks run in this order: membership, scope, role. A caller who is not a member gets the same refusal as for a
// workspace that does not exist. Reference: docs/reference/v3.md, 1.3 and 2.2.
import { roles } from '#shared/contracts/account.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { roleIn, roleNeeded } from '../callers/access.ts'
import type { Needs } from '../http/route.ts'

/** Throws `not_found` unless the caller is a member of the workspace. The error is the same if the workspace does not exist. */
export function requireMember(identity: Identity, workspaceId: string): void {
  if (roleIn(identity, workspaceId) !== null) return
  throw refusal('not_found', 'Workspace not found', 'There is no such workspace')
}

/**
 * Throws `forbidden` if the key's scope does not allow the action, or if the caller's role is too low. The scope is checked first. `userId`:
 * the person that the path names, if it names one.
 */
export function requireRights(
  identity: Identity,
  { role: needed, scope, orOneself, alsoAdmin }: Needs,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): void {
  requireScope(identity, scope)
  if (needed === 'nobody' || needed === 'anybody') return
  const role = roleIn(identity, workspaceId)
  const isOneself = orOneself === true && userId === identity.userId
  if (needed !== 'admin' && role !== null && !isOneself && roles.indexOf(role) < roles.indexOf(needed)) {
    throw new AppError('forbidden', 'Forbidden', { details: roleNeeded(needed, role), facts: { role: needed } })
  }
  if (identity.admin || (needed !== 'admin' && alsoAdmin === undefined)) return
  const details = alsoAdmin ?? 'This needs an administrator of the installation'
  throw new AppError('forbidden', 'Forbidden', { details, facts: { role: 'admin' } })
}

function requireScope({ scope: held }: Identity, needed: Needs['scope']): void {
  if (held === null || needed === null) return
  if (needed !== 'full' && held.actions.includes(needed)) return
  const details = needed === 'full' ? 'This needs a full key; yours is scoped.' : `This needs a key with the action ${needed}.`
  throw new AppError('forbidden', 'Forbidden', { details, facts: { scope: needed } })
}
