// Conversion between location names and ids: dialects use names, all other parts use ids. For responses, names are cached for a few
// seconds. A name in a request is always looked up in the directory, because the name may have moved to another location.

import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { limits } from '#shared/limits/limits.ts'
import { plainText } from '#shared/text/plain-text.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface LocationNames {
  /**
   * Returns a map from name to id in the order of `names`. If a name is unknown, returns the first unknown name, as sent. For the
   * comparison, names are trimmed and converted to Unicode NFC. If several locations match, a location whose name is exactly the same is
   * preferred.
   */
  toIds(names: readonly string[], traceId: string): Promise<{ ids: Map<string, string> } | { unknown: string }>
  /** Returns a function that converts ids to names. Ids of deleted locations are omitted. */
  namer(ids: Iterable<string>, traceId: string): Promise<(ids: readonly string[]) => string[]>
  /** Returns a function that returns what is known of a location, a few seconds old; null: it was deleted. */
  viewer(ids: Iterable<string>, traceId: string): Promise<(id: string) => LocationView | null>
  /**
   * Returns the name that the cache has, at once; null: the cache has none. For events, whose order must not wait for a read. If the name
   * is missing or old, a read begins, so that the next event has the present name.
   */
  remembered(id: string): string | null
}

export function createLocationNames(clock: Clock, list: (traceId: string) => Promise<LocationView[]>): LocationNames {
  let byId = new Map<string, LocationView>()
  /** Ids for which the latest lookup found no location. These ids cause no new lookup. */
  const gone = new Set<string>()
  let freshUntil = Number.NEGATIVE_INFINITY
  let asked = 0
  let heard = 0
  let shared: Promise<LocationView[]> | null = null

  const read = async (traceId: string): Promise<LocationView[]> => {
    const turn = ++asked
    const locations = await list(traceId)
    // The response to a later request has arrived first. It stays in the cache, because it is newer.
    if (turn < heard) return locations
    heard = turn
    byId = new Map(locations.map(location => [location.id, location]))
    if (isStale()) gone.clear()
    freshUntil = clock.monotonic() + limits.http.locationNamesMs
    return locations
  }
  const noteGone = (id: string) => {
    if (!byId.has(id)) gone.add(id)
  }
  const isStale = () => clock.monotonic() >= freshUntil
  const readTogether = (traceId: string) => {
    shared ??= read(traceId).finally(() => {
      shared = null
    })
    return shared
  }
  const know = async (wanted: readonly string[], traceId: string): Promise<void> => {
    const isUnheard = (id: string) => !byId.has(id) && !gone.has(id)
    const joins = shared !== null
    if (wanted.some(isUnheard) || (wanted.length > 0 && isStale())) await readTogether(traceId)
    // This call has joined a read that another call began. The id may be newer than that read, so one more read follows.
    if (joins && wanted.some(isUnheard)) await readTogether(traceId)
    for (const id of wanted) noteGone(id)
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
      await know([...ids], traceId)
      return names(byId)
    },
    viewer: async (ids, traceId) => {
      await know([...ids], traceId)
      return id => byId.get(id) ?? null
    },
    remembered: id => {
      if (isStale() || !(byId.has(id) || gone.has(id))) {
        readTogether('').then(
          () => noteGone(id),
          () => undefined,
        )
      }
      return byId.get(id)?.name ?? null
    },
  }
}

function idsByName(locations: readonly LocationView[]): (name: string) => string | undefined {
  const exact = new Map(locations.map(({ id, name }) => [name, id]))
  // The stored name of a location may be unnormalised, because it comes from a prober's setting LOCATION. So the stored name and the sent
  // name are normalised for the comparison.
  const plain = new Map(locations.map(({ id, name }) => [plainText(name), id]))
  return name => exact.get(name) ?? exact.get(plainText(name)) ?? plain.get(plainText(name))
}

const names = (byId: Map<string, LocationView>) => (ids: readonly string[]) => ids.flatMap(id => byId.get(id)?.name ?? [])
