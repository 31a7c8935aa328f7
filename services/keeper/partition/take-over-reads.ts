// Reads of take-overs: one question for all partitions that are taken together, not one for each. A keeper that starts takes 64 partitions
// at once, and each question would wait behind those of the others and behind the rounds of partitions that are open already.
import { SharedReads } from '#shared/async/shared-reads.ts'
import type { StreamState } from '#shared/bus/port.ts'
import type { CheckpointDocument, CheckpointPartDocument } from '#shared/contracts/observations/checkpoint.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import { UnreadableDocument } from '#shared/store/port.ts'
import type { KeeperContext } from '../context.ts'

const { takeOverRows, takeOverParts } = limits.keeper

const rowMembers = [
  ...(['partition', 'kind', 'template', 'checkRev', 'checkLocations'] as const),
  ...(['archivedAt', 'deletedAt', 'dueAt', 'rev'] as const),
]

/** What a take-over reads of each subject. */
export type TakenRow = Pick<SubjectDocument, 'id' | (typeof rowMembers)[number]>

/** State of the stream, and the instant at which it was asked, ms since the epoch. */
export interface AskedState {
  state: StreamState
  askedAt: number
}

/** All methods reject with the error of the store or the bus. */
export interface TakeOverReads {
  /** Returns a checkpoint by its id; null: there is none. */
  head(id: string): Promise<CheckpointDocument | null>
  /** Returns one entry for each id, in the same order; null: there is no such part. */
  parts(ids: readonly string[]): Promise<(CheckpointPartDocument | null)[]>
  /** Returns whether the partition has subjects with an outbox. */
  hasOutboxes(partition: number): Promise<boolean>
  /** Returns all subjects of the partition, in no order. */
  rows(partition: number): Promise<readonly TakenRow[]>
  stream(): Promise<AskedState>
}

export function createTakeOverReads({ store, bus, clock }: Pick<KeeperContext, 'store' | 'bus' | 'clock'>): TakeOverReads {
  const isOfOne = (error: unknown) => error instanceof UnreadableDocument
  const heads = new SharedReads<string, CheckpointDocument | null>({
    readAll: async ids => keyed(ids, await store.get('checkpoints', ids)),
    isOfOne,
  })
  const parts = new SharedReads<string, CheckpointPartDocument | null>({
    readAll: async ids => {
      const found: (CheckpointPartDocument | null)[] = []
      for (let start = 0; start < ids.length; start += takeOverParts)
        found.push(...(await store.get('checkpointParts', ids.slice(start, start + takeOverParts))))
      return keyed(ids, found)
    },
    isOfOne,
  })
  const outboxes = new SharedReads<number, boolean>({
    readAll: async partitions => {
      const where = { hasOutbox: 1, partition: { gte: Math.min(...partitions), lte: Math.max(...partitions) } }
      const found = await store.find('subjects', { where, sort: byPartition, limit: takeOverRows, select: ['partition'] })
      const having = new Set(found.map(({ partition }) => partition))
      // Of very many, only the first are known, so each partition looks for itself.
      return keyed(
        partitions,
        partitions.map(one => found.length === takeOverRows || having.has(one)),
      )
    },
    isOfOne,
  })
  const rows = new SharedReads<number, readonly TakenRow[]>({
    readAll: async partitions => {
      const found = new Map(partitions.map(partition => [partition, [] as TakenRow[]]))
      for (const [gte, lte] of runsOf(partitions)) {
        const query = { where: { partition: { gte, lte } }, sort: byPartition, limit: takeOverRows, select: rowMembers }
        for await (const page of pagesOf(query, one => store.find('subjects', one)))
          for (const row of page) found.get(row.partition)?.push(row)
      }
      return found
    },
    isOfOne,
  })
  const stream = new SharedReads<'stream', AskedState>({
    readAll: async () => {
      const askedAt = clock.now()
      return new Map([['stream', { state: await bus.observations.state(), askedAt }]])
    },
  })
  return {
    head: id => heads.read(id),
    parts: ids => Promise.all(ids.map(id => parts.read(id))),
    hasOutboxes: partition => outboxes.read(partition),
    rows: partition => rows.read(partition),
    stream: () => stream.read('stream'),
  }
}

const byPartition = [['partition', 'asc']] as const

const keyed = <K, V>(keys: readonly K[], values: readonly V[]): Map<K, V> => new Map(keys.map((key, i) => [key, values[i] as V]))

/** Returns the first and the last number of each run of consecutive numbers. */
function runsOf(numbers: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else runs.push([number, number])
  }
  return runs
}
