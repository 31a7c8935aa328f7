// What people name on the command line, looked up: users by username, workspaces and locations by id or name.
import { allPages } from '#shared/all-pages.ts'
import type { LocationView, UserView, WorkspaceView } from '#shared/contracts/ask-people.ts'
import { plainText } from '#shared/plain-text.ts'
import { exitCodes, StartError, usageError } from '../embedded/start-error.ts'
import type { Ask } from './running-installation.ts'

/** Throws a StartError where there is none. */
export async function userOf(ask: Ask, username: string): Promise<UserView> {
  const user = await ask('find-user', { username })
  if (user) return user
  throw new StartError(`There is no user "${username}": watchkeeper member list shows them.`, exitCodes.refused)
}

/** By id or name; null: the only one there is. Throws a StartError where that leaves none or several. */
export async function workspaceOf(ask: Ask, named: string | undefined): Promise<WorkspaceView> {
  const all = await allPages(after => ask('list-all-workspaces', { after }))
  const fitting = named === undefined ? all : pick(all, named)
  const [only] = fitting
  if (only && fitting.length === 1) return only
  if (named === undefined) throw usageError('Say which workspace: --workspace with an id or a name.')
  const why = only ? `Several workspaces are called "${named}"; name one by its id` : `There is no workspace "${named}"`
  throw new StartError(`${why}: watchkeeper workspace list shows them.`, exitCodes.refused)
}

/** By id or name. Throws a StartError where there is none. */
export async function locationOf(ask: Ask, named: string): Promise<LocationView> {
  const [location] = pick(await ask('list-locations', {}), named)
  if (location) return location
  throw new StartError(`There is no location "${named}": watchkeeper location list shows them.`, exitCodes.refused)
}

/** The one of this id, else those of this name, in whatever form of Unicode and with whatever blanks around it. */
function pick<T extends { id: string; name: string }>(all: T[], named: string): T[] {
  const byId = all.filter(one => one.id === named)
  if (byId.length > 0) return byId
  const byName = all.filter(one => one.name === named)
  return byName.length > 0 ? byName : all.filter(one => plainText(one.name) === plainText(named))
}
