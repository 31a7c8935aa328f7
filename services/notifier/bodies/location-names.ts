// Names of locations for messages, remembered for a while because every message needs some.

import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface LocationNames {
  /** Makes sure that `nameOf` knows these, reading what is unknown or old. Rejects with a StoreError. */
  load(locationIds: Iterable<string>): Promise<void>
  /** The name; the id itself where there is no such location. */
  nameOf(locationId: string): string
}

export function createLocationNames(store: Store, clock: Clock): LocationNames {
  const known = new Map<string, { name: string; readAt: number }>()
  const isFresh = (id: string) => {
    const entry = known.get(id)
    return entry !== undefined && clock.monotonic() - entry.readAt < limits.notifier.namesMs
  }
  return {
    load: async locationIds => {
      const wanted = [...new Set(locationIds)].filter(id => !isFresh(id))
      if (wanted.length === 0) return
      const found = await store.get('locations', wanted)
      if (known.size + wanted.length > limits.notifier.namesCached) known.clear()
      for (const [i, id] of wanted.entries()) known.set(id, { name: found[i]?.name ?? id, readAt: clock.monotonic() })
    },
    nameOf: id => known.get(id)?.name ?? id,
  }
}
