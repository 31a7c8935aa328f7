// What a monitor watches, as one line for people. Pure.

import { kindOf } from '#shared/checks/registry.ts'
import { intervalMs } from '#shared/contracts/subjects/check.ts'
import type { Shown } from '#shared/contracts/subjects/checked-signal.ts'
import type { RosterCheck } from '#shared/contracts/subjects/roster.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { second } from '#shared/limits/limits.ts'
import { cut } from '#shared/text/plain-text.ts'
import { humanDuration } from '#shared/time/durations.ts'
import { presentSignals } from './resource-checks.ts'

/** Largest number of characters of an address in a line. */
const urlCharacters = 200
/** Largest number of locations that a line names. */
const namesMost = 3

/**
 * Returns the host of what is watched, and the parts of its first check that the line needs; nulls: nothing is checked. The address has no
 * credentials.
 */
export function watchedBy({ check, templated }: Pick<SubjectDocument, 'check' | 'templated'>): {
  host: string | null
  check: RosterCheck | null
} {
  const [first] = presentSignals(templated)
  if (check !== null) return lineOf(kindOf(check).shown(check), check.locations, intervalMs(check))
  return first === undefined ? { host: null, check: null } : lineOf(first.shown, first.locations, first.everySeconds * second)
}

const lineOf = ({ method, target, host }: Shown, locations: readonly string[], everyMs: number) => ({
  host,
  check: {
    ...{ method, url: cut(target, urlCharacters), everyMs },
    ...{ locations: locations.slice(0, namesMost), locationCount: locations.length },
  },
})

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
