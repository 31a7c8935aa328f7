// Progress of a store as the bus records it, by which a start notices that the store was set back (ADR 25, 47). Of the embedded store: its
// number of commits. Of a shared one: the number of checkpoints that its keepers have written, which only grows, because each is written over
// the revision before it. The bus never has more than the store has had for good.
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { EmbeddedStore, Store } from '#shared/store/port.ts'
import type { KnownStore } from './data-loss.ts'

/** Ids of the checkpoints of all partitions. */
export const checkpointIds = Array.from({ length: limits.partitions }, (_, partition) => keys.lease(partition))

/** Returns the number of checkpoints that were written since the store was new. Rejects with a StoreError. */
export async function checkpointsWritten(store: Pick<Store, 'find'>): Promise<number> {
  const where = { id: { in: checkpointIds } }
  const found = await store.find('checkpoints', { where, limit: limits.partitions, select: ['rev'] })
  return found.reduce((sum, { rev }) => sum + rev, 0)
}

export interface StoreProgress {
  /** Writes the record on the bus at a start. `known`: the present record; null: it does not count. */
  begin(known: KnownStore | null): Promise<void>
  /** Raises the record on the bus. Called at intervals. */
  tell(): Promise<void>
}

interface ProgressOptions<S> {
  /** Id of the installation. */
  id: string
  store: S
  bus: Bus
}

export function createEmbeddedProgress({ id, store, bus }: ProgressOptions<EmbeddedStore>): StoreProgress {
  let told = -1
  const tell = async () => {
    const commits = await store.flush()
    if (commits === told) return
    await bus.bucket('installation').put(keys.installation, { id, commits })
    told = commits
  }
  return { begin: tell, tell }
}

export function createSharedProgress({
  id,
  store,
  bus,
  logger,
}: ProgressOptions<Pick<Store, 'find'>> & { logger: Logger }): StoreProgress {
  const bucket = bus.bucket('installation')
  let before: number | null = null
  /** Returns the recorded number; null: the bus is not that of this installation any longer. */
  const recorded = async (): Promise<number | null> => {
    const value = (await bucket.get(keys.installation))?.value as { id?: string; commits?: number | null } | undefined
    return value?.id === undefined || value.id === id ? (value?.commits ?? -1) : null
  }
  return {
    begin: async known => {
      const commits = known?.installationId === id ? known.commits : null
      await bucket.put(keys.installation, { id, commits })
    },
    tell: async () => {
      const present = await checkpointsWritten(store)
      // A new primary may lack what this process has read from the former one, so a value counts only once it was read twice.
      const sure: number = Math.min(before ?? -1, present)
      if (before !== null && present < before) logger.error({ before, present }, 'store was set back to an earlier state')
      before = present
      const least = await recorded()
      if (least !== null && sure > least) await bucket.put(keys.installation, { id, commits: sure })
    },
  }
}
