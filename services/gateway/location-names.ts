// Location names and ids, both ways: dialects speak of names, the inside of ids. For reading, names are remembered for a few seconds;
// what is stored is always looked up, or a name that was given away a moment ago would choose another location, or none.
import type { Clock } from '#shared/clock.ts'
import type { LocationView } from '#shared/contracts/ask-people.ts'
import { limits } from '#shared/limits.ts'
import { plainText } from '#shared/plain-text.ts'

export interface LocationNames {
  /**
   * The ids of these names by name, in order; or the first name that is unknown, as it was given. A name is looked up as it is stored:
   * composed and without blanks around it. A location that is called just as it was given goes first.
   */
  toIds(names: readonly string[], traceId: string): Promise<{ ids: Map<string, string> } | { unknown: string }>
  /** A function that names ids; ids of locations that are gone are left out. */
  namer(ids: Iterable<string>, traceId: string): Promise<(ids: readonly string[]) => string[]>
}

export function createLocationNames(clock: Clock, list: (traceId: string) => Promise<LocationView[]>): LocationNames {
  let byId = new Map<string, string>()
  /** Ids that no location had when they were looked up: no reason to ask again at once. */
  const gone = new Set<string>()
  let freshUntil = Number.NEGATIVE_INFINITY
  let asked = 0
  let heard = 0
  let shared: Promise<LocationView[]> | null = null

  const read = async (traceId: string): Promise<LocationView[]> => {
    const turn = ++asked
    const locations = await list(traceId)
    // An answer that was overtaken by one asked for later is not remembered.
    if (turn < heard) return locations
    heard = turn
    byId = new Map(locations.map(location => [location.id, location.name]))
    if (isStale()) gone.clear()
    freshUntil = clock.monotonic() + limits.http.locationNamesMs
    return locations
  }
  const isStale = () => clock.monotonic() >= freshUntil
  const readTogether = (traceId: string) => {
    shared ??= read(traceId).finally(() => {
      shared = null
    })
    return shared
  }
  return {
    toIds: async (names, traceId) => {
      const ids = new Map<string, string>()
      if (names.length === 0) return { ids }
      const idOf = idsByName(await read(traceId))
      for (const name of names) {
        const id = idOf(name)
        if (id === undefined) return { unknown: name }
        ids.set(name, id)
      }
      return { ids }
    },
    namer: async (ids, traceId) => {
      const wanted = [...ids]
      const isUnheard = (id: string) => !byId.has(id) && !gone.has(id)
      const joins = shared !== null
      if (wanted.some(isUnheard) || (wanted.length > 0 && isStale())) await readTogether(traceId)
      // What was under way already may be older than an id.
      if (joins && wanted.some(isUnheard)) await readTogether(traceId)
      for (const id of wanted.filter(isUnheard)) gone.add(id)
      return names(byId)
    },
  }
}

function idsByName(locations: readonly LocationView[]): (name: string) => string | undefined {
  const exact = new Map(locations.map(({ id, name }) => [name, id]))
  // A prober's own LOCATION is stored as it was set, so that both sides are made plain.
  const plain = new Map(locations.map(({ id, name }) => [plainText(name), id]))
  return name => exact.get(name) ?? exact.get(plainText(name)) ?? plain.get(plainText(name))
}

const names = (byId: Map<string, string>) => (ids: readonly string[]) => ids.flatMap(id => byId.get(id) ?? [])
