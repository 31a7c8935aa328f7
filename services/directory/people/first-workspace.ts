// The workspace `Default` of a person who signs in for the first time and is a member nowhere, unless NEW_USER_WORKSPACE says none. Its
// id is decided in the user's document before it is made, so that a crash or a second sign-in at once makes no second one.
import type { UserDocument } from '#shared/contracts/account.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { revoke } from '../keys/revoke.ts'
import { workspacesOf } from './callers.ts'
import { insertWorkspace } from './workspaces.ts'

export async function ensureFirstWorkspace(context: DirectoryContext, user: UserDocument): Promise<void> {
  const { store, clock } = context
  if (user.signedInAt !== undefined) return
  const isWanted = context.newUserWorkspace === 'own' && (await workspacesOf(store, user.id)).length === 0
  // One that was decided is finished, whatever became of the setting.
  if (isWanted || user.firstWorkspaceId !== undefined) {
    const proposed = randomId(idLength.workspace)
    const decided = await changeGuarded(store, 'users', user.id, present =>
      present && present.firstWorkspaceId === undefined ? { ...present, firstWorkspaceId: proposed } : null,
    )
    const id = decided?.firstWorkspaceId ?? proposed
    await insertWorkspace(store, { id, rev: 1, name: 'Default', createdAt: clock.now(), members: { [user.id]: 'owner' } })
    await revoke(context, 'user', user.id)
  }
  await changeGuarded(store, 'users', user.id, present =>
    present && present.signedInAt === undefined ? { ...present, signedInAt: clock.now() } : null,
  )
}
