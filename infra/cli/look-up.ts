// One look-up for everything that people name on the command line: the id first, then the exact name, then the only name that is the
// same in any case. A name that fits two is refused with the ids of both.
import { allPages } from '#shared/all-pages.ts'
import type { AddressView } from '#shared/contracts/ask-addresses.ts'
import type { DestinationView } from '#shared/contracts/ask-notifications.ts'
import type { KeyView, LocationView, UserView, WorkspaceView } from '#shared/contracts/ask-people.ts'
import type { ProberCredentialView } from '#shared/contracts/ask-probers.ts'
import { isId } from '#shared/is-id.ts'
import { limits } from '#shared/limits.ts'
import { plainText } from '#shared/plain-text.ts'
import { exitCodes, StartError, usageError } from '../embedded/start-error.ts'
import { oneLine } from './printing.ts'
import type { Ask } from './running-installation.ts'

/** One sentence names so many of those that a name fits; a list shows them all. */
const shownMax = 5

/** How a noun is looked up and talked about. */
export interface Kind<T> {
  noun: string
  plural: string
  /** Names every one of them, so that a person finds the right one. */
  lists: string
  id(one: T): string
  name(one: T): string
}

/** Throws a StartError: there is none (not found), or several fit (usage). */
export function pick<T>(all: readonly T[], named: string, kind: Kind<T>): T {
  const fitting = fittingOnes(all, named, kind)
  const [only] = fitting
  if (only === undefined) throw noSuch(named, kind)
  if (fitting.length === 1) return only
  const shown = fitting.slice(0, shownMax).map(one => `${kind.id(one)} (${oneLine(kind.name(one))})`)
  const more = fitting.length > shown.length ? ` and ${fitting.length - shown.length} more` : ''
  throw usageError(`"${named}" fits ${fitting.length} ${kind.plural}: ${shown.join(', ')}${more}. Name one by its id.`)
}

export const noSuch = <T>(named: string, { noun, lists }: Kind<T>): StartError =>
  new StartError(`There is no ${noun} "${named}": ${lists} shows them.`, exitCodes.notFound)

/** In whatever form of Unicode and with whatever blanks around it. */
function fittingOnes<T>(all: readonly T[], named: string, { id, name }: Kind<T>): T[] {
  const byId = all.filter(one => id(one) === named)
  if (byId.length > 0) return byId
  const wanted = plainText(named)
  // An empty name is none: a script's unset variable must not pick what has no description.
  if (wanted === '') return []
  const exact = all.filter(one => plainText(name(one)) === wanted)
  return exact.length > 0 ? exact : all.filter(one => plainText(name(one)).toLowerCase() === wanted.toLowerCase())
}

const users: Kind<UserView> = {
  noun: 'user',
  plural: 'users',
  lists: './watchkeeper member list',
  id: user => user.id,
  name: user => user.username,
}
const workspaces: Kind<WorkspaceView> = {
  noun: 'workspace',
  plural: 'workspaces',
  lists: './watchkeeper workspace list',
  id: workspace => workspace.id,
  name: workspace => workspace.name,
}
const locations: Kind<LocationView> = {
  noun: 'location',
  plural: 'locations',
  lists: './watchkeeper location list',
  id: location => location.id,
  name: location => location.name,
}
const keys: Kind<KeyView> = {
  noun: 'key',
  plural: 'keys',
  lists: './watchkeeper key list',
  id: key => key.id,
  name: key => key.description,
}
const destinations: Kind<DestinationView> = {
  noun: 'destination',
  plural: 'destinations',
  lists: './watchkeeper destination list',
  id: destination => String(destination.number),
  name: destination => destination.name,
}
const addresses: Kind<AddressView> = {
  noun: 'Observation address',
  plural: 'Observation addresses',
  lists: './watchkeeper address list',
  id: address => address.id,
  name: address => address.description,
}
const credentials: Kind<ProberCredentialView> = {
  noun: 'credentials',
  plural: 'credentials',
  lists: './watchkeeper prober list',
  id: credential => credential.id,
  name: credential => credential.description,
}

export async function userOf(ask: Ask, named: string): Promise<UserView> {
  return pick(await allPages(after => ask('list-users', { after })), named, users)
}

/** Undefined: the only one there is. */
export async function workspaceOf(ask: Ask, named: string | undefined): Promise<WorkspaceView> {
  const all = await allPages(after => ask('list-all-workspaces', { after }))
  if (named !== undefined) return pick(all, named, workspaces)
  const [only] = all
  if (only && all.length === 1) return only
  throw usageError('Say which workspace: --workspace with an id or a name. ./watchkeeper workspace list shows them.')
}

export async function locationOf(ask: Ask, named: string): Promise<LocationView> {
  return pick(await ask('list-locations', {}), named, locations)
}

/** The id of a key, by its id or by what it is for. */
export async function keyIdOf(ask: Ask, named: string): Promise<string> {
  const listed = await ask('list-keys', { userId: null })
  // A full list leaves the oldest keys out: they are named by their ids.
  const isLeftOut = listed.length >= limits.directory.listed && isId(named) && !listed.some(key => key.description === named)
  return isLeftOut ? named : pick(listed, named, keys).id
}

export async function addressOf(ask: Ask, workspaceId: string, named: string): Promise<AddressView> {
  return pick(await ask('list-addresses', { workspaceId }), named, addresses)
}

/** By their id, revoked ones too, or of those that are good by what they are for. */
export async function credentialsOf(ask: Ask, named: string): Promise<ProberCredentialView> {
  const all = await ask('list-prober-credentials', {})
  return (
    all.find(one => one.id === named) ??
    pick(
      all.filter(one => one.revokedAt === null),
      named,
      credentials,
    )
  )
}

/** Its id is the number that the API shows. */
export async function destinationOf(ask: Ask, workspaceId: string, named: string): Promise<DestinationView> {
  return pick(await ask('list-destinations', { workspaceId }), named, destinations)
}
