// Location names and ids, both ways: dialects speak of names, the inside of ids. Remembered for a few seconds.
import type { Clock } from '#shared/clock.ts'
import type { LocationView } from '#shared/contracts/ask-people.ts'
import { limits } from '#shared/limits.ts'

export interface LocationNames {
  /** The ids of these names in order, each once; or the first name that is unknown. */
  toIds(names: readonly string[], traceId: string): Promise<{ ids: string[] } | { unknown: string }>
  /** A function that names ids; ids of locations that are gone are left out. */
  namer(ids: Iterable<string>, traceId: string): Promise<(ids: readonly string[]) => string[]>
}

export function createLocationNames(clock: Clock, list: (traceId: string) => Promise<LocationView[]>): LocationNames {
  let byId = new Map<string, string>()
  let byName = new Map<string, string>()
  let freshUntil = Number.NEGATIVE_INFINITY

  const refresh = async (traceId: string) => {
    const locations = await list(traceId)
    byId = new Map(locations.map(location => [location.id, location.name]))
    byName = new Map(locations.map(location => [location.name, location.id]))
    freshUntil = clock.monotonic() + limits.http.locationNamesMs
  }
  const isStale = () => clock.monotonic() >= freshUntil
  return {
    toIds: async (names, traceId) => {
      if (names.length > 0 && (isStale() || names.some(name => !byName.has(name)))) await refresh(traceId)
      const unknown = names.find(name => !byName.has(name))
      return unknown === undefined ? { ids: [...new Set(names.map(name => byName.get(name) as string))] } : { unknown }
    },
    namer: async (ids, traceId) => {
      // An unknown id is no reason to ask again at once: a location that was deleted stays unknown.
      if (isStale() && [...ids].length > 0) await refresh(traceId)
      return names(byId)
    },
  }
}

const names = (byId: Map<string, string>) => (ids: readonly string[]) => ids.flatMap(id => byId.get(id) ?? [])
