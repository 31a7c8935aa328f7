// Look-up by name (pick.ts) over the bus.
import { allPages } from '#shared/async/pages.ts'
import type { DestinationView } from '#shared/contracts/ask/ask-notifications.ts'
import type { KeyView, UserView, WorkspaceView } from '#shared/contracts/ask/ask-people.ts'
import { limits } from '#shared/limits/limits.ts'
import { isId } from '#shared/text/is-id.ts'
import { usageError } from '../../runtime/start-error.ts'
import { kindOf, pick } from '../pick.ts'
import type { Ask } from './running-installation.ts'

const users = kindOf<UserView>('user', 'member list', user => user.username)
const workspaces = kindOf<WorkspaceView>('workspace', 'workspace list', workspace => workspace.name)
const keys = kindOf<KeyView>('key', 'key list', key => key.description)
const destinations = kindOf<DestinationView>('destination', 'destination list', destination => destination.name)

export async function userOf(ask: Ask, named: string): Promise<UserView> {
  return pick(await allPages(after => ask('list-users', { after })), named, users)
}

/** Finds a workspace. If `named` is undefined, finds the only workspace. */
export async function workspaceOf(ask: Ask, named: string | undefined): Promise<WorkspaceView> {
  const all = await allPages(after => ask('list-all-workspaces', { after }))
  if (named !== undefined) return pick(all, named, workspaces)
  const [only] = all
  if (only && all.length === 1) return only
  throw usageError('Say which workspace: --workspace with an id or a name. ./watchkeeper workspace list shows them.')
}

/** Returns the id of a key, found by its id or by its description. */
export async function keyIdOf(ask: Ask, named: string): Promise<string> {
  const listed = await ask('list-keys', { userId: null })
  // A list of keys has a largest length and omits the oldest keys. So an id that is missing in a full list may still be the id of an
  // omitted key.
  const isLeftOut = listed.length >= limits.directory.listed && isId(named) && !listed.some(key => key.description === named)
  return isLeftOut ? named : pick(listed, named, keys).id
}

export async function destinationOf(ask: Ask, workspaceId: string, named: string): Promise<DestinationView> {
  return pick(await ask('list-destinations', { workspaceId }), named, destinations)
}
