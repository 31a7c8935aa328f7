// Log line which says that the keeper is ready. It is written once: when all partitions of the keeper have caught up with the stream, and
// no partition was added for a while.

import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { KeeperContext } from './context.ts'
import type { Partition } from './partition/partition.ts'

export interface Readiness {
  /** Called whenever a partition has caught up with the stream. */
  look(): void
  stop(): void
}

export function createReadiness({ clock, logger, keeperId }: KeeperContext, partitions: () => readonly Partition[]): Readiness {
  let cancel: Cancel = () => undefined
  let isSaid = false

  const say = () => {
    const held = partitions()
    if (isSaid || held.length === 0 || held.some(({ state }) => state !== 'live')) return
    isSaid = true
    logger.info({ keeper: keeperId, partitions: held.length }, 'keeper ready')
  }
  return {
    look: () => {
      if (isSaid) return
      cancel()
      // With several keepers, a keeper gets its partitions one after another, so the log line waits.
      if (partitions().length === limits.partitions) say()
      else cancel = clock.schedule(limits.keeper.leaseRenewMs, say)
    },
    stop: () => cancel(),
  }
}
