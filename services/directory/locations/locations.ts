// Locations: the places that probers check from. Instance-wide; monitors refer to them by name, the inside by id, so that a new name
// reaches every monitor by itself.
import type { LocationDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { conditionId } from '#shared/contracts/incidents/condition.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { DirectoryContext } from '../context.ts'
import { checkName, checkText } from '../people/fields.ts'

/** All locations by name, with the number of live probers of each and when one was last seen. */
export async function listLocations(context: DirectoryContext): Promise<LocationView[]> {
  const found = await context.store.find('locations', { sort: [['name', 'asc']], limit: limits.directory.listed })
  // Last signs of their probers before this process started, as the notifiers stored them.
  const noted = await context.store.get(
    'conditions',
    found.map(({ id }) => conditionId('location_lost', id)),
  )
  return found.map((location, i) => {
    const view = locationView(context, location)
    return { ...view, lastSeenAt: later(view.lastSeenAt, noted[i]?.seenAt ?? null) }
  })
}

/** The location of this name, made if there is none. Two askers at once get the same one: the name is unique. */
export async function ensureLocation(
  context: Pick<DirectoryContext, 'store' | 'clock' | 'activeWorkers' | 'lastSeenAt'>,
  { name }: AskRequest<'ensure-location'>,
): Promise<LocationView> {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present] = await context.store.find('locations', { where: { name }, limit: 1 })
    if (present) return locationView(context, present)
    const made = { id: randomId(idLength.location), rev: 1, name, displayName: null, createdAt: context.clock.now() }
    const [result] = await context.store.insert('locations', [made])
    if (result === 'written') return locationView(context, made)
  }
  throw new AppError('unavailable', 'Location not made', { details: `The location "${name}" could not be stored; try again` })
}

/** Throws `validation` `Invalid name` or `Location name taken`, `invalid_state` `Too many locations`. */
export async function createLocation(
  context: DirectoryContext,
  { id, ...request }: AskRequest<'create-location'>,
): Promise<LocationView> {
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

/** Throws `not_found`, and what `createLocation` throws for a name. */
export async function updateLocation(context: DirectoryContext, request: AskRequest<'update-location'>): Promise<LocationView> {
  const { store } = context
  const name = request.name === undefined ? undefined : checkLocationName(request.name)
  const displayName = request.displayName === undefined ? undefined : checkDisplayName(request.displayName)
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present = null] = await store.get('locations', [request.locationId])
    if (!present) throw locationNotFound(request.locationId)
    const next: LocationDocument = {
      ...present,
      rev: present.rev + 1,
      name: name ?? present.name,
      displayName: displayName === undefined ? present.displayName : displayName,
    }
    const [result] = await store.replace('locations', [next])
    if (result === 'written') return locationView(context, next)
    if (result === 'taken') throw nameTaken(next.name)
  }
  throw new AppError('unavailable', 'Location not changed', { details: 'The location is being changed by others; try again' })
}

/** Throws `not_found`, and `invalid_state` `Location is used` while a prober serves it or a monitor is assigned to it. */
export async function deleteLocation(
  context: DirectoryContext,
  { locationId }: AskRequest<'delete-location'>,
): Promise<{ id: string }> {
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

/** Looks at every living subject: no index knows locations, and deleting one is rare. */
async function countAssigned(store: Store, locationId: string): Promise<number> {
  const limit = limits.location.scanSubjects
  let assigned = 0
  for (let after: string | null = null; ; ) {
    const page: { id: string; checkLocations: string[] }[] = await store.find('subjects', {
      where: { deletedAt: null },
      select: ['checkLocations'],
      limit,
      ...(after === null ? {} : { after: { values: [], id: after } }),
    })
    assigned += page.filter(subject => subject.checkLocations.includes(locationId)).length
    after = page.at(-1)?.id ?? null
    if (page.length < limit) return assigned
  }
}

const checkLocationName = (name: string): string =>
  checkName(name, limits.location.nameCharacters, 'Invalid name', "A location's name", 'name')

/** Null, also for a blank one: no display name. */
const checkDisplayName = (displayName: string | null): string | null =>
  checkText(
    displayName ?? '',
    limits.location.nameCharacters,
    'Invalid display name',
    "A location's display name",
    'display_name',
  ) || null

const locationNotFound = (id: string): AppError =>
  new AppError('not_found', 'Location not found', { details: `There is no location ${id}` })
const nameTaken = (name: string): AppError =>
  new AppError('validation', 'Location name taken', {
    details: `There is a location "${name}" already`,
    facts: { field: 'name' },
  })
const isUsed = (details: string): AppError => new AppError('invalid_state', 'Location is used', { details })
const tooMany = (): AppError =>
  new AppError('invalid_state', 'Too many locations', {
    details: `An installation has at most ${limits.location.perInstallation} locations`,
  })

const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

const locationView = (
  context: Pick<DirectoryContext, 'activeWorkers' | 'lastSeenAt'>,
  location: LocationDocument,
): LocationView => ({
  id: location.id,
  name: location.name,
  displayName: location.displayName,
  activeWorkers: context.activeWorkers(location.id),
  lastSeenAt: context.lastSeenAt(location.id),
})
