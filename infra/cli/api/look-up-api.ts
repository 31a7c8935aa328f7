// Look-up by name (look-up.ts) over generation 3 of the API.
import type { Static } from 'typebox'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { ApiRefusal } from '#shared/api-v3/errors.ts'
import type { LocationObject } from '../../../services/gateway/v3/administration/locations.ts'
import type { CredentialObject } from '../../../services/gateway/v3/administration/prober-credentials.ts'
import type { Account } from '../../../services/gateway/v3/administration/users.ts'
import type { DestinationObject } from '../../../services/gateway/v3/destinations.ts'
import type { IncidentItem, IncidentObject } from '../../../services/gateway/v3/incidents/incident-object.ts'
import type { AddressObject } from '../../../services/gateway/v3/observations/addresses.ts'
import type { Workspace as WorkspaceObject } from '../../../services/gateway/v3/people/workspaces.ts'
import type { PingKeyObject } from '../../../services/gateway/v3/pings/ping-keys.ts'
import type { OverviewObject } from '../../../services/gateway/v3/resources/overview.ts'
import type { ResourceItem, ResourceObject } from '../../../services/gateway/v3/resources/resource-object.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { type Kind, kindOf, noSuch, pick } from '../pick.ts'
import { oneLine } from '../terminal/printing.ts'
import type { Api } from './with-api.ts'

export type Workspace = Static<typeof WorkspaceObject>
export type Resource = Static<typeof ResourceItem>
export type ResourceDetail = Static<typeof ResourceObject>
export type Incident = Static<typeof IncidentItem>
export type IncidentDetail = Static<typeof IncidentObject>
export type Destination = Static<typeof DestinationObject>
export type Overview = Static<typeof OverviewObject>
export type Address = Static<typeof AddressObject>
export type PingKey = Static<typeof PingKeyObject>
export type User = Static<typeof Account>
export type Location = Static<typeof LocationObject>
export type Credentials = Static<typeof CredentialObject>

/** Largest number of workspaces named in one sentence. */
const namedMax = 5

const workspaces = kindOf<Workspace>('workspace', 'status', workspace => workspace.name)
const resources = kindOf<Resource>('Resource', 'resource list', resource => resource.name)
export const noSuchResource = (named: string) => noSuch(named, resources)

const incidents: Kind<{ workspace: Workspace; incident: Incident }> = {
  noun: 'Incident',
  plural: 'open Incidents',
  lists: './watchkeeper incident list',
  id: ({ incident }) => incident.id,
  name: ({ incident }) => incident.resource.name,
}
const destinations = kindOf<Destination>('destination', 'destination list', destination => destination.name)
const users = kindOf<User>('user', 'user list', user => user.username)
export const locations = kindOf<Location>('location', 'location list', location => location.name)
const credentials = kindOf<Credentials>('credentials', 'prober list', one => one.description, 'credentials')
const addresses = kindOf<Address>('Observation address', 'address list', address => address.description, 'Observation addresses')

const pingKeys = kindOf<PingKey>('ping key', 'ping-key list', key => key.description)

/** Returns a workspace. If `named` is undefined, returns the workspace stored in the profile, else the only workspace. */
export async function workspaceOf(api: Api, named: string | undefined): Promise<Workspace> {
  const all = await api.all<Workspace>('/workspaces')
  const wanted = named ?? api.remembered ?? undefined
  if (wanted !== undefined) return pick(all, wanted, workspaces)
  const [only] = all
  if (only === undefined) throw new StartError('The key reaches no workspace.', exitCodes.notFound)
  if (all.length === 1) return only
  const shown = all.slice(0, namedMax).map(({ id, name }) => `${id} (${oneLine(name)})`)
  const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : ''
  throw usageError(`Say which workspace: --workspace with an id or a name. There are ${shown.join(', ')}${more}.`)
}

/** Returns workspaces. If `named` is undefined, returns the workspace stored in the profile, else all workspaces. */
export async function workspacesOf(api: Api, named: string | undefined): Promise<Workspace[]> {
  if (named !== undefined || api.remembered !== null) return [await workspaceOf(api, named)]
  return api.all<Workspace>('/workspaces')
}

/** Finds a Resource by id or key, else by name. Archived Resources are found only by id or key. */
export async function resourceOf(api: Api, workspaceId: string, named: string): Promise<ResourceDetail> {
  const found = await resourceAt(api, workspaceId, named)
  if (found !== null) return found
  const { id } = await resourceNamed(api, workspaceId, named)
  return api.read(apiPath`/workspaces/${workspaceId}/resources/${id}`)
}

/** Finds a Resource by id or key. */
export const resourceAt = (api: Api, workspaceId: string, named: string): Promise<ResourceDetail | null> =>
  orNull(named, reference => api.read(apiPath`/workspaces/${workspaceId}/resources/${reference}`))

export async function resourceNamed(api: Api, workspaceId: string, named: string): Promise<Resource> {
  return pick(await api.list<Resource>(apiPath`/workspaces/${workspaceId}/resources`, {}, 'Resources'), named, resources)
}

/**
 * Finds an Incident by its id. An open Incident is also found by the id, key or name of its Resource. Without a workspace, searches all
 * workspaces that the API key may read.
 */
export async function incidentOf(
  api: Api,
  workspaceNamed: string | undefined,
  named: string,
): Promise<{ workspace: Workspace; incident: IncidentDetail }> {
  const places = await workspacesOf(api, workspaceNamed)
  const at = (workspace: Workspace, id: string) => api.read<IncidentDetail>(apiPath`/workspaces/${workspace.id}/incidents/${id}`)
  for (const workspace of places) {
    const incident = await orNull(named, id => at(workspace, id))
    if (incident !== null) return { workspace, incident }
  }
  const open: { workspace: Workspace; incident: Incident }[] = []
  for (const workspace of places) {
    for (const incident of await openIncidents(api, workspace.id)) open.push({ workspace, incident })
  }
  const ofKey = open.filter(({ incident: { resource } }) => resource.id === named || resource.key === named)
  const kind = ofKey.length > 0 ? { ...incidents, name: () => named } : incidents
  const { workspace, incident } = pick(ofKey.length > 0 ? ofKey : open, named, kind)
  return { workspace, incident: await at(workspace, incident.id) }
}

export const openIncidents = (api: Api, workspaceId: string): Promise<Incident[]> =>
  api.list<Incident>(apiPath`/workspaces/${workspaceId}/incidents`, { lifecycle: 'open' }, 'Incidents')

export async function destinationOf(api: Api, workspaceId: string, named: string): Promise<Destination> {
  return pick(await api.all<Destination>(apiPath`/workspaces/${workspaceId}/destinations`), named, destinations)
}

export async function addressOf(api: Api, workspaceId: string, named: string): Promise<Address> {
  return pick(await api.all<Address>(apiPath`/workspaces/${workspaceId}/addresses`), named, addresses)
}

export async function pingKeyOf(api: Api, workspaceId: string, named: string): Promise<PingKey> {
  return pick(await api.all<PingKey>(apiPath`/workspaces/${workspaceId}/ping-keys`), named, pingKeys)
}

export async function userOf(api: Api, named: string): Promise<User> {
  return pick(await api.list<User>('/users', { limit: 200 }, 'users'), named, users)
}

export async function locationOf(api: Api, named: string): Promise<Location> {
  return pick(await api.all<Location>('/locations'), named, locations)
}

/** Finds credentials by id, even if they are revoked. By description, finds only valid credentials. */
export async function credentialsOf(api: Api, named: string): Promise<Credentials> {
  const all = await api.all<Credentials>('/prober-credentials')
  const valid = all.filter(one => one.revoked_at === null)
  return all.find(one => one.id === named) ?? pick(valid, named, credentials)
}

/** Returns the object to which `reference` refers; null: the API knows no such object, or the reference is empty. */
export async function orNull<T>(reference: string, at: (reference: string) => Promise<T>): Promise<T | null> {
  if (reference === '' || reference === '.' || reference === '..') return null
  try {
    return await at(reference)
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return null
    throw error
  }
}

/** Returns the ids of Locations that are given by id or name; undefined: of all. Throws a StartError if there is none. */
export async function locationIds(api: Api, given: readonly string[] | undefined): Promise<string[]> {
  const all = await api.all<Location>('/locations')
  if (all.length === 0) throw usageError('There is no location yet: ./watchkeeper location create makes one.')
  return (given ?? all.map(({ id }) => id)).map(one => pick(all, one, locations).id)
}
