// Locations from which probers check. Everybody with a key reads them, and administrators of the installation change them. Reference:
// docs/reference/v3.md, section 16.
import { Type } from 'typebox'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { pathId } from '../../http/answer.ts'
import { administering, Deleted, MaybeText, route, SentText, tooManyAt } from '../common.ts'

export const LocationObject = Answered('Location', {
  id: Type.String({ examples: ['LOCATION_ID'] }),
  name: Type.String({ description: 'What monitors and probers call it.', examples: ['frankfurt'] }),
  display_name: OrNull(Type.String()),
  active_workers_count: Type.Integer({ minimum: 0, description: 'Probers that serve it now.' }),
  last_seen_at: OrNull({ ...Instant, description: 'The newest beat of any of its probers; null: none is known.' }),
})

const all = '/locations'
const one = `${all}/:location`

const listLocations = route('GET', all, {
  summary: 'Locations of the installation by name.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  result: Type.Array(LocationObject),
  handler: async ({ directory }, { traceId }) => (await directory.ask('list-locations', {}, traceId)).map(locationObject),
})

const createLocation = route('POST', all, {
  summary: 'Creates a location.',
  needs: administering,
  body: Strict({ name: SentText, display_name: MaybeText }),
  status: 201,
  makes: 'location',
  result: LocationObject,
  refusals: ['409 name', '422 name', '422 display_name'],
  examples: [{ name: 'frankfurt', display_name: 'Frankfurt' }],
  handler: async ({ directory }, { body: { name, display_name: displayName = null }, traceId }) => {
    const made = { id: randomId(idLength.location), name, displayName }
    return locationObject(await directory.ask('create-location', made, traceId).catch(tooManyAt('name')))
  },
})

const changeLocation = route('PATCH', one, {
  summary: 'Renames a location; its monitors follow by themselves.',
  more: 'An empty `display_name` removes it.',
  needs: administering,
  body: Strict({ name: Type.Optional(SentText), display_name: MaybeText }),
  result: LocationObject,
  refusals: ['404', '409 name', '422 name', '422 display_name'],
  examples: [{ display_name: 'Frankfurt am Main' }],
  handler: async ({ directory }, call) => {
    const { display_name: displayName, ...change } = call.body
    const named = displayName === undefined ? {} : { displayName }
    const locationId = pathId(call, 'location')
    return locationObject(await directory.ask('update-location', { locationId, ...change, ...named }, call.traceId))
  },
})

const deleteLocation = route('DELETE', one, {
  summary: 'Deletes a location that no monitor and no prober uses.',
  needs: administering,
  result: Deleted,
  refusals: ['404', '409'],
  handler: async ({ directory }, call) => {
    const { id } = await directory.ask('delete-location', { locationId: pathId(call, 'location') }, call.traceId)
    return { id, deleted: true }
  },
})

export const locationRoutes = [listLocations, createLocation, changeLocation, deleteLocation]

const write = writerOf(LocationObject)
const locationObject = (view: LocationView) => write({ ...view, activeWorkersCount: view.activeWorkers })
