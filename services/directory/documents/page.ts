// Pages of long reads: a page has at most 512 KiB, and contains the position of the next page.
import type { Page } from '#shared/contracts/ask/reply.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import type { Query, Store } from '#shared/store/port.ts'

type Pageable = 'subjects' | 'incidents' | 'transformations' | 'deliveryLog' | 'users' | 'workspaces'

export interface PageRequest<C extends Pageable, T> {
  collection: C
  where: NonNullable<Query['where']>
  /** Integer column by which the documents are sorted. Documents with equal values are sorted by id. */
  sort: [field: keyof Collections[C] & string, direction: 'asc' | 'desc']
  /** The `next` of the previous page; null or absent for the first page. */
  after: string | null | undefined
  /** Largest number of items of a page; if absent, only the page's bytes are bounded. */
  max?: number
  /** Returns one view for each document, in the same order. A document whose view is null is omitted. */
  view(documents: Collections[C][]): Promise<(T | null)[]> | (T | null)[]
}

export async function readPage<C extends Pageable, T>(store: Store, request: PageRequest<C, T>): Promise<Page<T>> {
  const page = new PageItems<T>(request.max)
  const readsMost = Math.min(limits.request.pageReads, (request.max ?? limits.request.pageReads) + 1)
  let reads = Math.min(limits.request.pageReadsFirst, readsMost)
  let after = parseCursor(request.after)
  for (;;) {
    const query: Query = { where: request.where, sort: [request.sort], limit: reads, ...(after ? { after } : {}) }
    const documents = await store.find(request.collection, query)
    const views = await request.view(documents)
    for (const [i, document] of documents.entries()) {
      if (!page.add(views[i] ?? null)) return { items: page.items, next: formatCursor(after) }
      after = { values: [document[request.sort[0]] as number], id: document.id }
    }
    if (documents.length < reads) return { items: page.items, next: null }
    reads = Math.min(page.room(), readsMost)
  }
}

/** Items of a page, at most `max` of them and at most 512 KiB of JSON. The first item may be larger. */
export class PageItems<T> {
  readonly items: T[] = []
  readonly #max: number
  #bytes = 0

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /** Adds an item; null adds nothing. Returns false, and adds nothing, if the page is full. */
  add(item: T | null): boolean {
    const size = item === null ? 0 : Buffer.byteLength(JSON.stringify(item)) + 1
    const isFull = this.items.length === this.#max || this.#bytes + size > limits.request.pageBytes
    if (this.items.length > 0 && isFull) return false
    if (item !== null) this.items.push(item)
    this.#bytes += size
    return true
  }

  /**
   * Returns the number of items to read next: the number of items of average size that still fit into the page, plus one. `add` refuses the
   * additional item if the page is full.
   */
  room(): number {
    const room = Math.max(0, limits.request.pageBytes - this.#bytes)
    return this.#bytes === 0 ? limits.request.pageReads : 1 + Math.ceil((room * this.items.length) / this.#bytes)
  }
}

export type Cursor = NonNullable<Query['after']>

export const formatCursor = (cursor: Cursor | null): string | null => cursor && `${cursor.values[0]}:${cursor.id}`

export function parseCursor(text: string | null | undefined): Cursor | null {
  if (text === null || text === undefined) return null
  const [, value, id] = /^(-?\d{1,16}):([0-9A-Za-z_.-]{1,64})$/.exec(text) ?? []
  if (value === undefined || id === undefined) throw invalidCursor()
  return { values: [Number(value)], id }
}

export const invalidCursor = () => refusal('validation', 'Invalid cursor', 'after is not the next of a page', 'cursor')
