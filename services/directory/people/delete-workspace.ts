// Deletion of a workspace. First the workspace is marked as deleted. A marked workspace has no members, and reads find none of its
// contents. The contents are removed afterwards (remove-workspaces.ts).
import type { WorkspaceDocument } from '#shared/contracts/account.ts'
import type { WorkspaceContents } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import type { Store } from '#shared/store/port.ts'
import { countedContents } from '#shared/text/counted.ts'
import { plainText } from '#shared/text/plain-text.ts'
import type { AskAnswerer } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { addressesOf } from '../keys/addresses.ts'
import { revoke } from '../keys/revoke.ts'
import { pingKeysOf } from '../pings/ping-keys.ts'
import { isDeleted, workspaceNotFound } from './workspaces.ts'

/**
 * Throws `not_found`; with `by` also `forbidden` and `validation` `Name differs`; without `force` also `invalid_state` with `Workspace is not empty`. A retry with the same `id` returns the
 * first result.
 */
export const deleteWorkspace: AskAnswerer<'delete-workspace'> = async (context, { id, workspaceId, force, by }) => {
  const { store, clock, logger } = context
  const [present = null] = await store.get('workspaces', [workspaceId])
  if (present === null || (isDeleted(present) && present.deletion?.id !== id)) throw workspaceNotFound(workspaceId)
  const contents = present.deletion?.contents ?? (await contentsOf(store, present))
  if (!force && !isEmpty(contents)) throw notEmpty(contents)
  const members = Object.keys(present.members)
  await changeGuarded(store, 'workspaces', workspaceId, stored => {
    if (stored === null || (isDeleted(stored) && stored.deletion?.id !== id)) throw workspaceNotFound(workspaceId)
    if (isDeleted(stored)) return null
    if (by !== undefined) requireOwner(stored, by)
    const { invitations: _, ...kept } = stored
    return { ...kept, members: {}, deletedAt: clock.now(), deletion: { id, contents } }
  })
  if (!isDeleted(present)) logger.info({ workspaceId, workspace: present.name, ...contents }, 'workspace deleted')
  for (const userId of members) await revoke(context, 'user', userId)
  for (const address of await addressesOf(store, workspaceId)) await revoke(context, 'address', address.id)
  for (const key of await pingKeysOf(store, workspaceId)) await revoke(context, 'ping-key', key.id)
  context.removeWorkspaces()
  return { id: workspaceId, name: present.name, ...contents }
}

/** Both are checked in the write that marks the workspace, so that a demotion or a new name at the same moment counts. */
function requireOwner({ members, name }: WorkspaceDocument, by: { userId: string; name: string }): void {
  if (members[by.userId] !== 'owner') throw refusal('forbidden', 'Forbidden', 'Only an owner deletes the workspace')
  if (plainText(by.name) === name) return
  throw refusal('validation', 'Name differs', `Type the name of the workspace to delete it: ${name}`, 'name')
}

type Contents = Omit<WorkspaceContents, 'id' | 'name'>

async function contentsOf(store: Store, { id: workspaceId, members }: WorkspaceDocument): Promise<Contents> {
  const [subjects, destinations, transformations, templates] = await Promise.all([
    store.count('subjects', { workspaceId, deletedAt: null }),
    store.count('destinations', { workspaceId }),
    store.count('transformations', { workspaceId }),
    store.count('templates', { workspaceId }),
  ])
  return { subjects, destinations, transformations, templates, members: Object.keys(members).length }
}

/** Returns true if a workspace has no contents and at most one member. */
const isEmpty = ({ subjects, destinations, transformations, templates, members }: Contents): boolean =>
  subjects + destinations + transformations + templates === 0 && members <= 1

const notEmpty = (contents: Contents) =>
  refusal(
    'invalid_state',
    'Workspace is not empty',
    `It has ${countedContents(contents)}. All of it and the history would be gone for good; --force does it all the same`,
  )
