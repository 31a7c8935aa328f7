// Says once in the log that a keeper is ready: its partitions have caught up, and no other came for a while.
import type { Cancel } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import type { Partition } from './partition.ts'

export interface Readiness {
  /** To be called whenever a partition has caught up. */
  look(): void
  stop(): void
}

export function createReadiness({ clock, logger, keeperId }: Core, partitions: () => readonly Partition[]): Readiness {
  let cancel: Cancel = () => undefined
  let isSaid = false

  const say = () => {
    const held = partitions()
    if (isSaid || held.length === 0 || held.some(({ state }) => state !== 'live')) return
    isSaid = true
    logger.info({ keeper: keeperId, partitions: held.length }, `keeper ready (${held.length} partitions)`)
  }
  return {
    look: () => {
      if (isSaid) return
      cancel()
      // One of several keepers gets its share one by one.
      if (partitions().length === limits.partitions) say()
      else cancel = clock.after(limits.keeper.leaseRenewMs, say)
    },
    stop: () => cancel(),
  }
}
