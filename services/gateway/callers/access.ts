// Rights of a caller: membership is checked first, the role second (reference/envelope 4.4).
import type { Role } from '#shared/contracts/account.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { Caller } from '#shared/contracts/ask/ask-people.ts'
import { type AppError, refusal } from '#shared/errors.ts'

type Rights = Pick<Caller, 'admin' | 'memberships'>

/** Returns the caller's role in a workspace. Null: the caller is not a member. A workspace that does not exist also gives null. */
export const roleIn = (caller: Pick<Caller, 'memberships'>, workspaceId: string): Role | null =>
  caller.memberships.find(membership => membership.workspaceId === workspaceId)?.role ?? null

/** Throws access_denied (2005) unless the caller is a member. */
export function requireMember(identity: Identity, workspaceId: string): void {
  if (roleIn(identity, workspaceId) === null) throw denied()
}

/** Throws access_denied (2005) unless the caller is an editor or owner. */
export function requireEditor(identity: Identity, workspaceId: string): void {
  const role = roleIn(identity, workspaceId)
  if (role === null) throw denied()
  if (role === 'viewer') throw accessDenied(roleNeeded('editor', role))
}

/** Text of the refusal of a member whose role has too few rights. `needed` is the lowest sufficient role. */
export const roleNeeded = (needed: Role, role: Role): string => `Needs the role ${needed}; yours is ${role}.`

/** Whether a caller lost a right between two checks. A changed role in a workspace counts as a loss, even if the new role is higher. */
export const hasLostRights = (before: Rights, now: Rights): boolean =>
  (before.admin && !now.admin) || before.memberships.some(({ workspaceId, role }) => roleIn(now, workspaceId) !== role)

/**
 * Refusal of a request whose sender's rights changed while the request ran. The sender may retry: the retry is checked with the new rights.
 */
export const rightsChanged = () =>
  refusal('unavailable', 'Rights changed', 'The rights of the sender changed while the request came')

/** Refusal of a caller who is not a member. A request for a workspace that does not exist gets the same text (reference/envelope 3.3). */
const denied = (): AppError => accessDenied('User does not have access to this workspace')

const accessDenied = (details: string) => refusal('access_denied', 'Access denied', details)
