// What a monitor watches, as one line for people. Pure.

import { kindOf } from '#shared/checks/registry.ts'
import { intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { RosterCheck } from '#shared/contracts/subjects/roster.ts'
import { cut } from '#shared/text/plain-text.ts'
import { humanDuration } from '#shared/time/durations.ts'

/** Largest number of characters of an address in a line. */
const urlCharacters = 200
/** Largest number of locations that a line names. */
const namesMost = 3

/** Returns the host of a check, and the parts of the check that the line needs. The address has no credentials. */
export function watchedBy(check: StoredCheck): { host: string | null; check: RosterCheck } {
  const { method, target, host } = kindOf(check).shown(check)
  const shown: RosterCheck = {
    method,
    url: cut(target, urlCharacters),
    everyMs: intervalMs(check),
    locations: check.locations.slice(0, namesMost),
    locationCount: check.locations.length,
  }
  return { host, check: shown }
}

/**
 * Returns a text such as `GET https://shop.example/health every 30s from frankfurt, oslo and 2 more`. `nameOf`: name of a location; null:
 * the name is not known, and the location is only counted.
 */
export function watchedLine(check: RosterCheck, nameOf: (locationId: string) => string | null): string {
  const { method, url, everyMs, locations, locationCount } = check
  return `${method} ${url} every ${humanDuration(everyMs)} from ${placesText(
    locations.flatMap(id => nameOf(id) ?? []),
    locationCount,
  )}`
}

function placesText(names: readonly string[], count: number): string {
  if (count === 0) return 'no location'
  if (names.length === 0) return count === 1 ? '1 location' : `${count} locations`
  const more = count - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
