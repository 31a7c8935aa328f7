// Small reads of generations 1 and 2: version, workspaces, locations, regions (reference/envelope 1.1 and 7). Every key gets the same
// locations and regions.
import { Type } from 'typebox'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { Answered, Kind, writerOf } from '../body/result-schema.ts'
import { anybody, route } from './classic-route.ts'

const Workspace = Answered('Workspace', {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['owner', 'editor', 'viewer'], { description: "The caller's role." }),
  kind: Kind('workspace'),
})

const place = {
  id: Type.String(),
  name: Type.String({ description: 'What monitors refer to it by.' }),
  active_workers_count: Type.Integer({ minimum: 0, description: 'Probers that serve it now.' }),
}
const Location = Answered('Location', { ...place, kind: Kind('location') })
const Region = Answered('Region', { ...place, display_name: Type.Optional(Type.String()), kind: Kind('region') })

export const version = route('GET', '/version', {
  summary: "The server's version; both generations share it.",
  needs: anybody,
  result: Type.String({ examples: ['2.0.0'] }),
  handler: async ({ version }) => version,
})

export const listWorkspaces = route('GET', '/workspaces', {
  summary: "The workspaces that the key's owner is a member of.",
  needs: anybody,
  result: Type.Array(Workspace),
  handler: async ({ directory }, { request, traceId }) => {
    const workspaces = await directory.ask('list-workspaces', { userId: request.identity.userId }, traceId)
    return workspaces.map(writeWorkspace)
  },
})

export const listLocations = route('GET', '/locations', {
  summary: 'The locations from which monitors can be checked, the same for everybody.',
  needs: anybody,
  result: Type.Array(Location),
  handler: async ({ directory }, { traceId }) => (await directory.ask('list-locations', {}, traceId)).map(locationObject),
})

/** Lists the locations, which generation 1 calls regions. */
export const listRegions = route('GET', '/regions', {
  summary: 'The regions from which rules can be checked, the same for everybody.',
  needs: anybody,
  result: Type.Array(Region),
  handler: async ({ directory }, { traceId }) => (await directory.ask('list-locations', {}, traceId)).map(regionObject),
})

const writeWorkspace = writerOf(Workspace)
const writeLocation = writerOf(Location)
const locationObject = (location: LocationView) => writeLocation({ ...location, activeWorkersCount: location.activeWorkers })

/** The result has `display_name` only if the location has a display name (reference/envelope 7.3). */
const regionObject = ({ id, name, displayName, activeWorkers }: LocationView) => ({
  id,
  name,
  ...(displayName ? { display_name: displayName } : {}),
  active_workers_count: activeWorkers,
  kind: 'region',
})
