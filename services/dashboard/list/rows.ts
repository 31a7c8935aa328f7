// Rows of the list: read in pages of thirty, around the visible rows. The server filters, sorts and counts. A changed row is updated
// without a change of its position. The rows are read in their new order only while the pointer is not over them.
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { listPageRows } from '#shared/contracts/session/page-paths.ts'
import type { MonitorCounts, MonitorPage, MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import type { ListStatus } from './summary.ts'

export interface ListFilter {
  status: ListStatus
  /** Part of the name, the key or the host; empty: no filter. */
  text: string
}

export interface Rows {
  total: ReadonlySignal<number>
  /** Number of monitors in each status; null until the first response. */
  counts: ReadonlySignal<MonitorCounts | null>
  failure: ReadonlySignal<unknown>
  /** True if the server's order of the rows may now differ from the shown order. */
  isReordered: ReadonlySignal<boolean>
  /** Returns the row of an index; undefined: not loaded yet. */
  at(index: number): MonitorRow | undefined
  /** Reads those rows from `from` to `to` that are not loaded yet. */
  need(from: number, to: number): void
  /** Shows the rows of another filter and drops the present rows. */
  filter(filter: ListFilter): void
  /** Compares the visible rows and the counts with the server. Calls `refresh` only if there is a difference. */
  verify(): void
  /** Reads the visible rows and the rows around them again. The present rows stay until the new rows arrive. */
  refresh(): void
  /** Updates a row that changed, or adds a new row. */
  changed(row: MonitorRow): void
  gone(id: string): void
  /**
   * Called with true when the pointer enters the rows, and with false when it leaves. While the pointer is over the rows, they keep their
   * positions.
   */
  hold(isHeld: boolean): void
}

interface RowsContext {
  read(filter: ListFilter, from: number, count: number): Promise<MonitorPage>
  schedule(ms: number, run: () => void): () => void
}

const pageRows = listPageRows
/** Time in which changes are collected, ms. All changes of this time cause only one request. */
const settleMs = 400

export function createRows(context: RowsContext, given: ListFilter, first: MonitorPage | null): Rows {
  const pages = createPages(context.read, given, first)
  const isReordered = signal(false)
  let isHeld = false
  let cancelSettling: (() => void) | null = null
  const refresh = () => {
    cancelSettling?.()
    cancelSettling = null
    isReordered.value = false
    pages.refresh()
  }
  const settle = () => {
    cancelSettling = null
    if (!isHeld) return refresh()
    isReordered.value = true
    void pages.readCounts()
  }
  const soon = () => {
    cancelSettling ??= context.schedule(settleMs, settle)
  }
  return {
    total: pages.total,
    counts: pages.counts,
    failure: pages.failure,
    isReordered,
    at: pages.at,
    need: pages.need,
    filter: next => {
      isReordered.value = false
      pages.filter(next)
    },
    refresh,
    verify: () => void pages.isCurrent().then(isCurrent => isCurrent || refresh()),
    changed: row => {
      pages.patch(row)
      soon()
    },
    gone: soon,
    hold: value => {
      isHeld = value
      if (!isHeld && isReordered.value) refresh()
    },
  }
}

/** Pages that were read, and requests that are pending. */
function createPages(read: RowsContext['read'], given: ListFilter, first: MonitorPage | null) {
  let filter = given
  /** Counter that a new filter and a refresh increase. Responses to requests before the increase are dropped. */
  let generation = 0
  let range = { from: 0, to: pageRows }
  const asked = new Set<number>()
  const pages = signal<Pages>(new Map())
  const total = signal(0)
  const counts = signal<MonitorCounts | null>(null)
  const failure = signal<unknown>(null)
  const take = (page: MonitorPage) =>
    batch(() => {
      ;[total.value, counts.value, failure.value] = [page.total, page.counts, null]
      pages.value = new Map(pages.value).set(page.from / pageRows, page.rows)
    })
  const load = async (number: number) => {
    asked.add(number)
    const mine = generation
    try {
      const page = await read(filter, number * pageRows, pageRows)
      if (mine === generation) take(page)
    } catch (error) {
      if (mine !== generation) return
      asked.delete(number)
      failure.value = error
    }
  }
  const refresh = () => {
    generation += 1
    asked.clear()
    const seen = pageNumbers(range, total.peek())
    // Drops the pages that are not visible. They are read again when they become visible.
    pages.value = new Map([...pages.peek()].filter(([number]) => seen.includes(number)))
    for (const number of seen) void load(number)
  }
  if (first !== null) {
    asked.add(0)
    take(first)
  }
  return {
    total,
    counts,
    failure,
    refresh,
    at: (index: number) => rowIn(pages.value, index),
    need: (from: number, to: number) => {
      range = { from, to }
      for (const number of pageNumbers(range, total.peek())) if (!asked.has(number)) void load(number)
    },
    filter: (next: ListFilter) => {
      if (next.status === filter.status && next.text === filter.text) return
      filter = next
      range = { from: 0, to: pageRows }
      refresh()
    },
    patch: (row: MonitorRow) => {
      const change = (rows: readonly MonitorRow[]) => rows.map(one => (one.id === row.id ? row : one))
      pages.value = new Map([...pages.peek()].map(([number, rows]) => [number, change(rows)]))
    },
    /** Resolves with true if the visible rows equal the server's rows. */
    isCurrent: async () => {
      const mine = generation
      const { from, to } = range
      const known = pages.peek()
      const page = await read(filter, from, Math.max(1, Math.min(to - from, pageRows))).catch(() => null)
      if (page === null || mine !== generation) return mine !== generation
      const shown = page.rows.map((_, n) => rowIn(known, from + n))
      return isSame([page.total, page.counts, page.rows], [total.peek(), counts.peek(), shown])
    },
    readCounts: async () => {
      const mine = generation
      const page = await read(filter, 0, 1).catch(() => null)
      if (page !== null && mine === generation) counts.value = page.counts
    },
  }
}

type Pages = ReadonlyMap<number, readonly MonitorRow[]>

const rowIn = (pages: Pages, index: number): MonitorRow | undefined => pages.get(Math.floor(index / pageRows))?.[index % pageRows]

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns the numbers of the pages that contain rows `from` to `to` of `total`. Returns at least one page. */
function pageNumbers({ from, to }: { from: number; to: number }, total: number): number[] {
  const last = Math.floor((Math.max(1, Math.min(to, total)) - 1) / pageRows)
  const start = Math.min(Math.floor(from / pageRows), last)
  return Array.from({ length: last - start + 1 }, (_, index) => start + index)
}

/** Returns the rows that a window of the list shows, with some rows around the window so that scrolling shows no gap. */
export const windowOf = (top: number, height: number, rowPx: number, total: number) => {
  const from = Math.max(0, Math.floor(top / rowPx) - 6)
  return { from, to: Math.min(total, from + Math.ceil(height / rowPx) + 7) }
}

/** Returns a set of monitors that a person has chosen for an action. It has at most `most` monitors. */
export function createSelection(most: number) {
  const chosen = signal<ReadonlyMap<string, MonitorRow>>(new Map())
  return {
    chosen,
    count: computed(() => chosen.value.size),
    has: (id: string) => chosen.value.has(id),
    /** Returns false if the maximum number is chosen already. */
    toggle: (row: MonitorRow): boolean => {
      const next = new Map(chosen.value)
      if (next.delete(row.id)) chosen.value = next
      else if (next.size >= most) return false
      else chosen.value = next.set(row.id, row)
      return true
    },
    clear: () => {
      chosen.value = new Map()
    },
  }
}
