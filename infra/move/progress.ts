// Progress of a copy, stored at its target: for each range of ids that was copied and read back, its documents' digest. A later pass skips
// the ranges whose source is still the same. Removed when the move is complete.
import type { CollectionName, SettingDocument } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import type { Digest } from './digest.ts'
import { progressIds } from './marks.ts'

/** Ids after `after`, up to and including `through`; null: up to the last. */
export interface CopiedRange extends Digest {
  after: string
  through: string | null
}

export interface Progress {
  /** Returns the recorded range that begins after this id. */
  rangeAfter(after: string): CopiedRange | undefined
  /** Returns the least id after this one at which a recorded range begins; null: there is none. */
  nextAfter(after: string): string | null
  record(range: CopiedRange): Promise<void>
}

const pageSize = 1_000
const idOf = (collection: CollectionName, after: string): string => `${progressIds.from}${collection}:${after}`

/** Reads the progress of one collection. */
export async function openProgress(target: Store, collection: CollectionName): Promise<Progress> {
  const start = idOf(collection, '')
  const ranges = new Map<string, CopiedRange>()
  const to = `${start.slice(0, -1)};`
  for (let last: string = start, page = await readPage(target, { gte: start, lt: to }); page.length > 0; ) {
    for (const { id, value } of page) {
      const { through, count, sum } = JSON.parse(value) as { through: string | null; count: number; sum: string }
      const after = id.slice(start.length)
      ranges.set(after, { after, through, count, sum: BigInt(sum) })
      last = id
    }
    page = page.length < pageSize ? [] : await readPage(target, { gt: last, lt: to })
  }
  const starts = [...ranges.keys()].sort()
  let next = 0
  return {
    rangeAfter: after => ranges.get(after),
    nextAfter: after => {
      // The copy goes through the ranges in their order.
      while ((starts[next] ?? '\uffff') <= after) next++
      return starts[next] ?? null
    },
    record: async range => {
      const { after, through, count, sum } = range
      ranges.set(after, range)
      const value = JSON.stringify({ through, count, sum: String(sum) })
      await target.upsert('settings', [{ id: idOf(collection, after), rev: 1, value }])
    },
  }
}

/** Removes the progress of all collections. May be repeated. */
export async function removeProgress(target: Store): Promise<void> {
  while ((await target.deleteRange('settings', progressIds.from, progressIds.to, pageSize)) === pageSize);
}

const readPage = (target: Store, id: { gt?: string; gte?: string; lt: string }): Promise<SettingDocument[]> =>
  target.find('settings', { where: { id }, limit: pageSize })
