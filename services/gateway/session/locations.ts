// The places that probers check from: everybody signed in sees them, administrators change them. GET, POST /session/locations;
// PATCH, DELETE /session/locations/{id}.
import { Type } from 'typebox'
import type { LocationView } from '#shared/contracts/ask-people.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { pathPart } from '../answer.ts'
import { Answered, OrNull } from '../result-schema.ts'
import type { Route } from '../route.ts'
import { FilledText, Text } from './session-fields.ts'
import { admin, route, signedIn } from './session-route.ts'

/** Null: none. */
const MaybeDisplayName = Type.Optional(Type.Union([Text, Type.Null()]))

const NewLocation = Type.Object({ name: FilledText, display_name: MaybeDisplayName })
const LocationChange = Type.Object({ name: Type.Optional(FilledText), display_name: MaybeDisplayName })

const Place = Answered('Place', {
  id: Type.String(),
  name: Type.String(),
  display_name: OrNull(Type.String()),
  active_workers_count: Type.Integer({ minimum: 0, description: 'Probers that serve it now.' }),
})

const listLocations = route({
  method: 'GET',
  path: '/locations',
  summary: 'The locations that probers check from.',
  needs: signedIn,
  result: Answered('Places', { locations: Type.Array(Place) }),
  refusals: [],
  handler: async ({ directory }, { traceId }) => ({
    locations: (await directory.ask('list-locations', {}, traceId)).map(locationObject),
  }),
})

const createLocation = route({
  method: 'POST',
  path: '/locations',
  summary: 'Makes a location.',
  needs: admin,
  body: NewLocation,
  status: 201,
  result: Place,
  refusals: ['conflict'],
  examples: [{ name: 'frankfurt', display_name: 'Frankfurt' }],
  handler: async ({ directory }, { body: { name, display_name: displayName = null }, traceId }) =>
    locationObject(await directory.ask('create-location', { id: randomId(idLength.location), name, displayName }, traceId)),
})

const changeLocation = route({
  method: 'PATCH',
  path: '/locations/:locationId',
  summary: 'Renames a location; `display_name: null` removes that.',
  needs: admin,
  body: LocationChange,
  result: Place,
  refusals: ['not_found'],
  examples: [{ display_name: 'Frankfurt am Main' }],
  handler: async ({ directory }, call) => {
    const { display_name: displayName, ...change } = call.body
    const named = displayName === undefined ? {} : { displayName }
    const locationId = pathPart(call, 'locationId')
    return locationObject(await directory.ask('update-location', { locationId, ...change, ...named }, call.traceId))
  },
})

const deleteLocation = route({
  method: 'DELETE',
  path: '/locations/:locationId',
  summary: 'Deletes a location that no monitor uses.',
  needs: admin,
  status: 204,
  refusals: ['not_found', 'conflict'],
  handler: ({ directory }, call) => directory.ask('delete-location', { locationId: pathPart(call, 'locationId') }, call.traceId),
})

export const locationRoutes: readonly Route[] = [listLocations, createLocation, changeLocation, deleteLocation]

const locationObject = ({ id, name, displayName, activeWorkers }: LocationView) => ({
  id,
  name,
  display_name: displayName,
  active_workers_count: activeWorkers,
})
