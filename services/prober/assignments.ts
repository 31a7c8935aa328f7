// Watch of this location's check entries, which keepers write into the bucket `checks`. Owns the watch. An entry that breaks its contract is
// logged and treated as absent.
import { Compile } from 'typebox/schema'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { keys, parseCheckKey } from '#shared/bus/subjects.ts'
import { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { Logger } from '#shared/observability/logger.ts'

const contract = Compile(CheckEntry)

export interface AssignmentHandlers {
  /** Called for a new, changed or repeated entry. `at`: instant of the entry on bus time, ms. */
  onEntry(subjectId: string, entry: CheckEntry, at: number): void
  onRemoved(subjectId: string): void
}

/** Resolves when every present entry was delivered. */
export async function watchAssignments(
  bus: Bus,
  locationId: string,
  logger: Logger,
  handlers: AssignmentHandlers,
): Promise<Subscription> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const subscription = await bus.bucket('checks').watch(keys.checksOfLocation(locationId), {
    onReady: resolve,
    onEntry: entry => {
      const subjectId = parseCheckKey(entry.key)?.subjectId
      if (subjectId === undefined) return
      if (entry.value === null) return handlers.onRemoved(subjectId)
      if (contract.Check(entry.value)) return handlers.onEntry(subjectId, entry.value, Math.floor(entry.at))
      logger.warn({ subject: subjectId, location: locationId }, 'check entry breaks its contract')
      handlers.onRemoved(subjectId)
    },
  })
  await promise
  return subscription
}
