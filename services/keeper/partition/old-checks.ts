// Check entries that are left under keys of their own after the level of the installation was raised: which partitions may still have some,
// and their removal. They are removed without a trace, so that the bus keeps no subject for each; the removal waits until probers have
// surely received the removals of single entries before it.
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { ListedChecks, OldChecks } from '../check-forms.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'
import type { CheckListing } from './check-listing.ts'

export function createOldChecks(context: KeeperContext, listing: Pick<CheckListing, 'take'>): OldChecks {
  const clean = new Set<number>()
  const waiting = new Map<number, Cancel>()

  const remove = async (partition: number) => {
    const mayGoOn = () => context.mayCommit(partition) && !waiting.has(partition)
    const listed = await listing.take(partition)
    const old = oldOf(listed)
    const bucket = context.bus.bucket('checks')
    await retryWhile(context, mayGoOn, 'remove old check entries', async () => {
      if (listed.apart.size === 0) await bucket.purge(keys.checksOfPartition(partition))
      else for (const key of old) await bucket.delete(key)
    })
    if (!mayGoOn()) return
    clean.add(partition)
    context.logger.info({ partition, removed: old.length }, 'old check entries removed')
  }
  const removeLater = (partition: number) => {
    waiting.get(partition)?.()
    const cancel = context.clock.schedule(limits.keeper.oldChecksMs, () => {
      waiting.delete(partition)
      remove(partition).catch(error => {
        if (!(error instanceof NoLongerOurs)) context.logger.warn({ err: error, partition }, 'old check entries not removed')
      })
    })
    waiting.set(partition, cancel)
  }
  const found = (partition: number) => {
    clean.delete(partition)
    removeLater(partition)
  }
  return {
    mayHave: partition => !clean.has(partition),
    listed: (partition, listed) => {
      if (oldOf(listed).length > 0) found(partition)
      else clean.add(partition)
    },
    found,
    forget: partition => {
      waiting.get(partition)?.()
      waiting.delete(partition)
      clean.delete(partition)
    },
  }
}

const oldOf = ({ alone, apart }: ListedChecks): string[] => [...alone.keys()].filter(key => !apart.has(key))
