// Pages: every long read answers at most 512 KiB and says where the next page begins.

import type { Page } from '#shared/contracts/ask/reply.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import type { Query, Store } from '#shared/store/port.ts'

type Pageable = 'subjects' | 'incidents' | 'transformations' | 'deliveryLog' | 'users' | 'workspaces'

export interface PageRequest<C extends Pageable, T> {
  collection: C
  where: NonNullable<Query['where']>
  /** An integer column; the id decides among equals. */
  sort: [field: keyof Collections[C] & string, direction: 'asc' | 'desc']
  /** The `next` of the page before; null or absent: from the start. */
  after: string | null | undefined
  /** The page has no more items than this, where it is given. */
  max?: number
  /** Views in the order of the documents; null leaves a document out. */
  view(documents: Collections[C][]): Promise<(T | null)[]> | (T | null)[]
}

/** Reads one page. A single item that is larger than a page is a page of its own. */
export async function readPage<C extends Pageable, T>(store: Store, request: PageRequest<C, T>): Promise<Page<T>> {
  const items: T[] = []
  let bytes = 0
  const readsMost = Math.min(limits.request.pageReads, (request.max ?? limits.request.pageReads) + 1)
  let reads = Math.min(limits.request.pageReadsFirst, readsMost)
  let after = parseCursor(request.after)
  for (;;) {
    const query: Query = {
      where: request.where,
      sort: [request.sort],
      limit: reads,
      ...(after ? { after } : {}),
    }
    const documents = await store.find(request.collection, query)
    const views = await request.view(documents)
    for (const [i, document] of documents.entries()) {
      const view = views[i] ?? null
      const size = view === null ? 0 : Buffer.byteLength(JSON.stringify(view)) + 1
      const isFull = bytes + size > limits.request.pageBytes || items.length === request.max
      if (items.length > 0 && isFull) return { items, next: formatCursor(after) }
      if (view !== null) items.push(view)
      bytes += size
      after = { values: [document[request.sort[0]] as number], id: document.id }
    }
    if (documents.length < reads) return { items, next: null }
    reads = Math.min(roomFor(items.length, bytes), readsMost)
  }
}

/** How many more items of the size of those so far a page takes, and one to see that it is full: large ones are not read in vain. */
function roomFor(items: number, bytes: number): number {
  const room = Math.max(0, limits.request.pageBytes - bytes)
  return bytes === 0 ? limits.request.pageReads : 1 + Math.ceil((room * items) / bytes)
}

export type Cursor = NonNullable<Query['after']>

export const formatCursor = (cursor: Cursor | null): string | null => cursor && `${cursor.values[0]}:${cursor.id}`

export function parseCursor(text: string | null | undefined): Cursor | null {
  if (text === null || text === undefined) return null
  const [, value, id] = /^(-?\d{1,16}):([0-9A-Za-z_.-]{1,64})$/.exec(text) ?? []
  if (value === undefined || id === undefined)
    throw new AppError('validation', 'Invalid cursor', { details: 'after is not the next of a page', facts: { field: 'cursor' } })
  return { values: [Number(value)], id }
}
