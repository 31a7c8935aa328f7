// Locations from which probers check. Every signed-in person may read locations, but only administrators may change them. GET, POST
// /session/locations; PATCH, DELETE /session/locations/{id}.
import { Type } from 'typebox'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { pathPart } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { FilledText, Text } from '../caller/session-fields.ts'
import { admin, route, signedIn } from '../caller/session-route.ts'

/** Display name of a location; null: the location has none. */
const MaybeDisplayName = Type.Optional(Type.Union([Text, Type.Null()]))

const NewLocation = Type.Object({ name: FilledText, display_name: MaybeDisplayName })
const LocationChange = Type.Object({ name: Type.Optional(FilledText), display_name: MaybeDisplayName })

const Place = Answered('Place', {
  id: Type.String(),
  name: Type.String(),
  display_name: OrNull(Type.String()),
  active_workers_count: Type.Integer({ minimum: 0, description: 'Probers that serve it now.' }),
  last_seen_at: OrNull({ ...Instant, description: 'The newest beat of any of its probers; null: none is known.' }),
})

const listLocations = route('GET', '/locations', {
  summary: 'The locations that probers check from.',
  needs: signedIn,
  result: Answered('Places', { locations: Type.Array(Place) }),
  handler: async ({ directory }, { traceId }) => ({
    locations: (await directory.ask('list-locations', {}, traceId)).map(locationObject),
  }),
})

const createLocation = route('POST', '/locations', {
  summary: 'Makes a location.',
  needs: admin,
  body: NewLocation,
  status: 201,
  makes: 'location',
  result: Place,
  refusals: ['conflict'],
  examples: [{ name: 'frankfurt', display_name: 'Frankfurt' }],
  handler: async ({ directory }, { body: { name, display_name: displayName = null }, traceId }) =>
    locationObject(await directory.ask('create-location', { id: randomId(idLength.location), name, displayName }, traceId)),
})

const changeLocation = route('PATCH', '/locations/:locationId', {
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

const deleteLocation = route('DELETE', '/locations/:locationId', {
  summary: 'Deletes a location that no monitor uses.',
  needs: admin,
  status: 204,
  refusals: ['not_found', 'conflict'],
  handler: ({ directory }, call) => directory.ask('delete-location', { locationId: pathPart(call, 'locationId') }, call.traceId),
})

export const locationRoutes: readonly Route[] = [listLocations, createLocation, changeLocation, deleteLocation]

const write = writerOf(Place)
const locationObject = (view: LocationView) => write({ ...view, activeWorkersCount: view.activeWorkers })
