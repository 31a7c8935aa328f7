// List of generation 3 that is read page by page. Contains the items read so far, and knows if there are more pages.
import { type ReadonlySignal, signal } from '@preact/signals'
import { ask } from './api.ts'

export interface PageOf<T> {
  items: T[]
  /** Cursor of the next page; null: there is no further page. */
  next: string | null
}

export interface Paged<T> {
  /** Items read so far; null until the first page is read. */
  items: ReadonlySignal<readonly T[] | null>
  hasMore: ReadonlySignal<boolean>
  isReading: ReadonlySignal<boolean>
  failure: ReadonlySignal<unknown>
  /** Reads again as many pages as are shown, from the first page, and replaces the shown items. Never rejects. */
  reload(): Promise<void>
  /** Never rejects. */
  readMore(): Promise<void>
}

/** Returns a list with no pages read yet. For the first page, `cursor` is null. */
export function createPaged<T>(readPage: (cursor: string | null) => Promise<PageOf<T>>): Paged<T> {
  const items = signal<readonly T[] | null>(null)
  const next = signal<string | null>(null)
  const hasMore = signal(false)
  const isReading = signal(false)
  const failure = signal<unknown>(null)
  let pages = 1
  let latest = 0

  /** An older response never replaces a newer one. */
  const read = async (count: number, before: readonly T[], from: string | null) => {
    latest += 1
    const mine = latest
    isReading.value = true
    try {
      const found = [...before]
      let cursor = from
      for (let n = 0; n < count && (n === 0 || cursor !== null); n++) {
        const page = await readPage(cursor)
        found.push(...page.items)
        cursor = page.next
      }
      if (mine !== latest) return
      items.value = found
      next.value = cursor
      hasMore.value = cursor !== null
      failure.value = null
    } catch (error) {
      if (mine === latest) failure.value = error
    } finally {
      if (mine === latest) isReading.value = false
    }
  }
  return {
    items,
    hasMore,
    isReading,
    failure,
    reload: () => read(pages, [], null),
    readMore: () => {
      if (next.peek() === null || isReading.peek()) return Promise.resolve()
      pages += 1
      return read(1, items.peek() ?? [], next.peek())
    },
  }
}

/** Returns the items of all pages. Rejects with a Refusal. */
export async function readAllPages<T>(readPage: (cursor: string | null) => Promise<PageOf<T>>): Promise<T[]> {
  const found: T[] = []
  let cursor: string | null = null
  do {
    const page: PageOf<T> = await readPage(cursor)
    found.push(...page.items)
    cursor = page.next
  } while (cursor !== null)
  return found
}

/** Reads a page of a list. `path`: below `/api/v3`, with its filters. Rejects with a Refusal. */
export async function readPageOf<T>(path: string, cursor: string | null): Promise<PageOf<T>> {
  const more = cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
  const { result, meta } = await ask<{ result: T[]; meta: { next_cursor: string | null } }>('GET', `/api/v3${path}${more}`)
  return { items: result, next: meta.next_cursor }
}
