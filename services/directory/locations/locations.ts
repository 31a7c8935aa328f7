// Locations: places from which probers check, shared by all workspaces. Requests name a location, but stored documents contain its id. A
// renamed location therefore has its new name in every monitor at once.
import { inabilitiesOf } from '#shared/checks/abilities.ts'
import { checkKinds } from '#shared/checks/registry.ts'
import type { LocationDocument } from '#shared/contracts/account.ts'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { conditionId } from '#shared/contracts/incidents/condition.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { pick } from '../documents/pick.ts'
import { checkName, checkText } from '../people/fields.ts'

/**
 * Returns all locations in the order of their names. A location has the number of its live probers and the instant of their latest
 * heartbeat.
 */
export const listLocations: AskAnswerer<'list-locations'> = async context => {
  const found = await context.store.find('locations', { sort: [['name', 'asc']], limit: limits.directory.listed })
  // This process knows heartbeats of probers from before its own start only by documents that the notifiers wrote.
  const noted = await context.store.get(
    'conditions',
    found.map(({ id }) => conditionId('location_lost', id)),
  )
  return found.map((location, i) => {
    const view = locationView(context, location)
    return { ...view, lastSeenAt: later(view.lastSeenAt, noted[i]?.seenAt ?? null) }
  })
}

/** Returns the location of this name, and creates it if needed. Simultaneous callers get the same location, because names are unique. */
export const ensureLocation: AskAnswerer<'ensure-location', Needed> = async (context, { name }) => {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present] = await context.store.find('locations', { where: { name }, limit: 1 })
    if (present) return locationView(context, present)
    const made = { id: randomId(idLength.location), rev: 1, name, displayName: null, createdAt: context.clock.now() }
    const [result] = await context.store.insert('locations', [made])
    if (result === 'written') return locationView(context, made)
  }
  throw refusal('unavailable', 'Location not made', `The location "${name}" could not be stored; try again`)
}

/** Throws `validation` `Invalid name`, `taken` `Location name taken`, `invalid_state` `Too many locations`. */
export const createLocation: AskAnswerer<'create-location'> = async (context, { id, ...request }) => {
  const { store, clock } = context
  const name = checkLocationName(request.name)
  const displayName = checkDisplayName(request.displayName)
  const [repeated = null] = await store.get('locations', [id])
  if (!repeated && (await store.count('locations', {})) >= limits.location.perInstallation) throw tooMany()
  const made = { id, rev: 1, name, displayName, createdAt: clock.now() }
  const [result] = repeated ? ['refused' as const] : await store.insert('locations', [made])
  const [stored = null] = result === 'written' ? [made] : await store.get('locations', [id])
  if (stored?.name === name) return locationView(context, stored)
  throw nameTaken(name)
}

/** Throws `not_found`, and the errors of `createLocation` about the name. */
export const updateLocation: AskAnswerer<'update-location'> = async (context, request) => {
  const { store } = context
  const name = request.name === undefined ? undefined : checkLocationName(request.name)
  const displayName = request.displayName === undefined ? undefined : checkDisplayName(request.displayName)
  const failures = { taken: (wanted: LocationDocument) => nameTaken(wanted.name), contended: isChanging }
  const change = (present: LocationDocument | null): LocationDocument => {
    if (!present) throw locationNotFound(request.locationId)
    const next = { ...present, name: name ?? present.name }
    return displayName === undefined ? next : { ...next, displayName }
  }
  const changed = await changeGuarded(store, 'locations', request.locationId, change, failures)
  return locationView(context, changed as LocationDocument)
}

/** Throws `not_found`, and `invalid_state` `Location is used` while a prober runs there or a monitor is checked from there. */
export const deleteLocation: AskAnswerer<'delete-location'> = async (context, { locationId }) => {
  const { store } = context
  const [present = null] = await store.get('locations', [locationId])
  if (!present) throw locationNotFound(locationId)
  const probers = context.activeWorkers(locationId)
  if (probers > 0) throw isUsed(`${probers === 1 ? 'A prober runs' : `${probers} probers run`} there; stop it first`)
  const monitors = await countAssigned(store, locationId)
  if (monitors > 0)
    throw isUsed(`${monitors === 1 ? 'A monitor is' : `${monitors} monitors are`} checked from there; change that first`)
  await store.delete('locations', [locationId])
  return { id: locationId }
}

/**
 * Returns the number of monitors that are checked from a location. Reads every subject, because no index contains the locations of
 * monitors.
 */
async function countAssigned(store: Store, locationId: string): Promise<number> {
  let assigned = 0
  const query = { where: { deletedAt: null }, select: ['checkLocations'] as const, limit: limits.location.scanSubjects }
  for await (const page of pagesOf(query, next => store.find('subjects', next)))
    assigned += page.filter(({ checkLocations }) => checkLocations.includes(locationId)).length
  return assigned
}

const checkLocationName = (name: string): string =>
  checkName(name, limits.location.nameCharacters, 'Invalid name', "A location's name", 'name')

/** Returns the display name; null if it is null or blank. */
const checkDisplayName = (displayName: string | null): string | null =>
  checkText(
    displayName ?? '',
    limits.location.nameCharacters,
    'Invalid display name',
    "A location's display name",
    'display_name',
  ) || null

const locationNotFound = (id: string) => refusal('not_found', 'Location not found', `There is no location ${id}`)
const nameTaken = (name: string) => refusal('taken', 'Location name taken', `There is a location "${name}" already`, 'name')
const isChanging = () => refusal('unavailable', 'Location not changed', 'The location is being changed by others; try again')
const isUsed = (details: string) => refusal('invalid_state', 'Location is used', details)
const tooMany = () =>
  refusal('invalid_state', 'Too many locations', `An installation has at most ${limits.location.perInstallation} locations`)

const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

type Needed = 'store' | 'clock' | 'activeWorkers' | 'lastSeenAt' | 'probersAt'

function locationView(context: Pick<DirectoryContext, Needed>, location: LocationDocument): LocationView {
  const probers = context.probersAt(location.id)
  const words = checkKinds().map(({ key }) => key)
  return {
    ...pick(location, ['id', 'name', 'displayName']),
    activeWorkers: context.activeWorkers(location.id),
    lastSeenAt: context.lastSeenAt(location.id),
    unable: inabilitiesOf(probers, words),
    load: {
      perSecond: probers.reduce((sum, { perSecond }) => sum + perSecond, 0),
      most: probers.length * limits.prober.checksPerSecond,
    },
  }
}
