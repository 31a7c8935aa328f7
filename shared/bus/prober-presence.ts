// Which probers live: a presence key that has not changed for limits.presence.goneMs on this process's monotonic clock is gone,
// whatever it says. Counts them per location.
import type { Bucket, Subscription } from '#shared/bus/port.ts'
import { keys, parseProberPresence } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export interface ProberPresence {
  activeWorkers(locationId: string): number
  close(): Promise<void>
}

interface Seen {
  revision: number
  /** On the monotonic clock. */
  changedAt: number
}

/** Resolves once the watch stands; what was there before counts from then. */
export async function watchProbers(presence: Bucket, clock: Clock): Promise<ProberPresence> {
  const locations = new Map<string, Map<string, Seen>>()
  const isGone = (seen: Seen) => clock.monotonic() - seen.changedAt >= limits.presence.goneMs
  const subscription: Subscription = await presence.watch(keys.allProbers, {
    onEntry: entry => {
      const parsed = parseProberPresence(entry.key)
      if (!parsed) return
      const probers = locations.get(parsed.locationId) ?? new Map<string, Seen>()
      // After a reconnect entries are repeated: the same revision is no sign of life.
      if (probers.get(parsed.proberId)?.revision === entry.revision) return
      if (entry.value === null) probers.delete(parsed.proberId)
      else probers.set(parsed.proberId, { revision: entry.revision, changedAt: clock.monotonic() })
      if (probers.size > 0) locations.set(parsed.locationId, probers)
      else locations.delete(parsed.locationId)
    },
  })
  return {
    activeWorkers: locationId => [...(locations.get(locationId)?.values() ?? [])].filter(seen => !isGone(seen)).length,
    close: () => subscription.close(),
  }
}
