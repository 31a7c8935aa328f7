// Waits until an installation that was just started is settled, so that a seed measures its fault and not the start before it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits, minute } from '#shared/limits/limits.ts'

interface Lease {
  holder?: string | null
  /** Notes on silence that is held back, or on an outage of the last minute; absent: neither. */
  silence?: unknown
}

/**
 * Resolves when the keepers hold equal numbers of partitions, but for one, and none holds silence back because of its start, or remembers it.
 * Rejects after two minutes.
 */
export async function settled(bus: Bus, keepers: number): Promise<void> {
  const leases = new Map<string, Lease>()
  const { promise, resolve } = Promise.withResolvers<true>()
  const look = () => {
    const held = new Map<string, number>()
    for (const { holder } of leases.values()) if (holder) held.set(holder, (held.get(holder) ?? 0) + 1)
    const counts = [...held.values()]
    const isShared = held.size === keepers && Math.max(...counts) - Math.min(...counts) <= 1
    const isHeld = counts.reduce((sum, count) => sum + count, 0) === limits.partitions
    if (isShared && isHeld && [...leases.values()].every(({ silence }) => silence === undefined)) resolve(true)
  }
  const watching = await bus.bucket('leases').watch(keys.allLeases, {
    onEntry: ({ key, value }) => {
      leases.set(key, (value ?? {}) as Lease)
      look()
    },
  })
  const isSettled = await Promise.race([promise, pause(2 * minute, false, { ref: false })])
  await watching.close()
  if (!isSettled) throw new Error('the keepers did not settle within 2 minutes')
}
