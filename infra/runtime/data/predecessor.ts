// Removal of presence entries that killed processes have left on the bus. Without the removal, the killed processes would count as alive
// for some seconds, and no other prober would run their checks meanwhile. The next holder of the data folder knows that its earlier holders
// are dead.
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseKeeperPresence, parseProberPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'

/** Returns the prober's name when the prober runs in a worker thread. */
export const nameInThread = (proberId: string): string => `${proberId}-thread`

/** What the presence of dead processes said. */
export interface LeftPresence {
  /** Bus time (ms) from which checks of the dead probers may be missing; null: no prober was present. */
  missedSince: number | null
  /** True if a dead prober ran in a worker thread, so it had many checks. */
  wasInThread: boolean
}

/** Removes the presence of the keepers and probers of these names, and returns what it said. Rejects with a BusError; may be repeated. */
export async function removePresence(bus: Bus, names: readonly string[]): Promise<LeftPresence> {
  const presence = bus.bucket('presence')
  const dead = new Set(names.flatMap(name => [name, nameInThread(name)]))
  const isDead = (id: string | null | undefined) => id !== null && id !== undefined && dead.has(id)
  const keepers = (await presence.list(keys.allKeepers)).filter(({ key }) => isDead(parseKeeperPresence(key)))
  const probers = (await presence.list(keys.allProbers)).filter(({ key }) => isDead(parseProberPresence(key)?.proberId))
  for (const { key } of [...keepers, ...probers]) await presence.delete(key)
  const inThread = new Set(names.map(nameInThread))
  return {
    missedSince: probers.length === 0 ? null : Math.max(...probers.map(({ at }) => at)),
    wasInThread: probers.some(({ key }) => inThread.has(parseProberPresence(key)?.proberId ?? '')),
  }
}

/**
 * Removes the presence of a prober's ended thread. Returns the instant on bus time from which results of the thread may be missing; null:
 * there was no presence. Rejects with a BusError; may be repeated.
 */
export async function removeThreadPresence(bus: Bus, locationId: string, proberId: string): Promise<number | null> {
  const presence = bus.bucket('presence')
  const key = keys.proberPresence(locationId, nameInThread(proberId))
  const beat = await presence.get(key)
  if (beat === null) return null
  await presence.delete(key)
  // At the last beat, a check may have been running for its longest time, or its result may have been waiting to be sent.
  return beat.at - limits.check.totalMs - limits.report.gatherMs
}
