// Locations: the places that probers check from. Instance-wide; monitors refer to them by name, the inside by id.
import type { LocationDocument } from '#shared/contracts/account.ts'
import type { AskRequest, LocationView } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { DirectoryContext } from './context.ts'

/** All locations by name, with the number of live probers of each. */
export async function listLocations(context: DirectoryContext): Promise<LocationView[]> {
  const found = await context.store.find('locations', { sort: [['name', 'asc']], limit: limits.directory.listed })
  return found.map(location => locationView(context, location))
}

/** The location of this name, made if there is none. Two askers at once get the same one: the name is unique. */
export async function ensureLocation(
  context: Pick<DirectoryContext, 'store' | 'clock' | 'activeWorkers'>,
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

const locationView = (context: Pick<DirectoryContext, 'activeWorkers'>, location: LocationDocument): LocationView => ({
  id: location.id,
  name: location.name,
  displayName: location.displayName,
  activeWorkers: context.activeWorkers(location.id),
})
