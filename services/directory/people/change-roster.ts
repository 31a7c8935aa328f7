// A change of a workspace's roster or invitations: one guarded write of the workspace's document. If two simultaneous changes would together
// remove all owners, the later one is therefore refused.
import type { StoredInvitation, WorkspaceDocument } from '#shared/contracts/account.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DirectoryContext } from '../context.ts'
import { bestEffort } from '../documents/best-effort.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { isDeleted, workspaceNotFound } from './workspaces.ts'

type Changed = Partial<Pick<WorkspaceDocument, 'members' | 'invitations'>>

/**
 * Changes the roster or the invitations; `change` returns null to write nothing. Invitations that have ended, and those of a person who is no
 * longer an owner, are removed in the same write. Returns the stored workspace. Throws `not_found` for the workspace, and `invalid_state` if
 * the workspace would have no owner.
 */
export async function changeRoster(
  { store, clock }: Pick<DirectoryContext, 'store' | 'clock'>,
  workspaceId: string,
  change: (present: WorkspaceDocument) => Changed | null,
): Promise<WorkspaceDocument> {
  let before: readonly StoredInvitation[] = []
  const stored = await changeGuarded(store, 'workspaces', workspaceId, present => {
    if (!present || isDeleted(present)) throw workspaceNotFound(workspaceId)
    before = present.invitations ?? []
    const changed = change(present)
    if (changed === null) return null
    const { invitations = [], ...next } = { ...present, ...changed }
    if (!Object.values(next.members).includes('owner')) throw lastOwner()
    const kept = standingIn({ ...next, invitations }, clock.now())
    return kept.length === 0 ? next : { ...next, invitations: kept }
  })
  if (stored === null) throw workspaceNotFound(workspaceId)
  const kept = new Set(stored.invitations?.map(({ id }) => id))
  const gone = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  if (gone.length > 0) await bestEffort(store.delete('invitations', gone).then(() => undefined))
  return stored
}

/** Returns the invitations that have not ended and whose inviter is an owner. Declined invitations are included. */
export const standingIn = ({ members, invitations = [] }: WorkspaceDocument, now: number): StoredInvitation[] =>
  invitations.filter(one => endOf(one) > now && members[one.inviterId] === 'owner')

/** Returns the instant at which an invitation ends, ms since the epoch. */
export const endOf = ({ createdAt }: Pick<StoredInvitation, 'createdAt'>): number => createdAt + limits.people.invitationLifeMs

const lastOwner = () =>
  refusal(
    'invalid_state',
    'Last owner',
    'A workspace keeps an owner: make another member owner first, or delete the workspace',
    'role',
  )
export const tooManyMembers = () =>
  refusal('invalid_state', 'Too many members', `A workspace has at most ${limits.people.membersPerWorkspace} members`)
export const alreadyMember = (username: string, role: string) =>
  refusal('invalid_state', 'Already a member', `${username} is a member already, as ${role}; change the role instead`, 'username')
