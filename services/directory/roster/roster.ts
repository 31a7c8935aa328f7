// Roster of one workspace in memory: read from the store once, then updated by messages of the bus. It is compared with the store's
// revisions at intervals, so that rows are wrong for at most a minute after a lost message. Never writes.
import { nextStep } from '#machines/incident-outlook.ts'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import type { RosterFilters, RosterPage, RosterRow } from '#shared/contracts/subjects/roster.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { rosterRow } from '#shared/subjects/roster-row.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createSortedRows, type SortedRows } from './sorted-rows.ts'

export interface RosterContext {
  store: Store
  bus: Bus
  clock: Clock
  logger: Logger
}

export interface Roster {
  readonly size: number
  /** Returns a page. Waits for the store if the rows were never read or if messages may be lost. Rejects with the error of the store. */
  page(filters: RosterFilters & { from: number; count: number }): Promise<RosterPage>
  /** Called when messages may have been lost. The next page then waits for a comparison with the store. */
  doubt(): void
  close(): Promise<void>
}

const bounds = limits.roster

/** Resolves when the roster receives messages. */
export async function openRoster(context: RosterContext, workspaceId: string): Promise<Roster> {
  const { bus, clock, logger } = context
  const rows = createSortedRows()
  /**
   * Ids of subjects about which messages arrived during the running comparison. These messages may be newer than the documents that the
   * comparison has read.
   */
  let heard = new Set<string>()
  let comparing: Promise<void> | null = null
  let comparedAt = 0
  /** True once the rows were compared with the store to the end, until messages may have been lost. Only then a page needs no comparison. */
  let isSure = false
  let doubts = 0

  const hear = (news: News) => {
    if (news.kind === 'row') rows.put(news.row)
    else if (news.kind === 'gone') rows.remove(news.id)
    else return
    if (comparing !== null) heard.add(news.kind === 'row' ? news.row.id : news.id)
  }
  const compare = async () => {
    heard = new Set()
    comparedAt = clock.monotonic()
    const doubtsBefore = doubts
    await compareWithStore(context, workspaceId, rows, id => heard.has(id))
    if (doubts === doubtsBefore) isSure = true
  }
  const comparison = () => {
    comparing ??= compare().finally(() => {
      comparing = null
    })
    return comparing
  }
  const subscription: Subscription = await bus.subscribe(subjects.statesOf(workspaceId), ({ body }) => hear(body as News))
  return {
    get size() {
      return rows.size
    },
    page: async asked => {
      // A page joins the running comparison. If `doubt` was called during it, another comparison follows.
      for (let tries = 0; !isSure && tries < bounds.comparisonsInARow; tries++) await comparison()
      if (clock.monotonic() - comparedAt >= bounds.compareMs)
        void comparison().catch(error => logger.warn({ err: error, workspaceId }, 'roster was not compared'))
      return rows.page(asked)
    },
    doubt: () => {
      doubts++
      isSure = false
    },
    close: () => subscription.close(),
  }
}

/**
 * Replaces rows that are older than their documents, and removes rows without a document. `isHeard`: returns true if a message about the id
 * has arrived since the comparison began.
 */
async function compareWithStore(context: RosterContext, workspaceId: string, rows: SortedRows, isHeard: (id: string) => boolean) {
  const present = new Set<string>()
  const where = { workspaceId, archivedAt: null, deletedAt: null }
  const query = { where, limit: bounds.revsPerRead, select: ['rev'] as const }
  for await (const found of pagesOf(query, next => context.store.find('subjects', next))) {
    for (const { id } of found) present.add(id)
    const newer = found.filter(({ id, rev }) => (rows.revOf(id) ?? 0) < rev)
    for (const row of await readRows(context, newer)) if (rows.revOf(row.id) !== null || !isHeard(row.id)) rows.put(row)
  }
  for (const id of [...rows.ids()]) if (!present.has(id) && !isHeard(id)) rows.remove(id)
}

/** Reads documents and returns their rows. Documents that are too damaged for a row are logged and skipped. */
async function readRows({ store, logger }: RosterContext, subjects: readonly { id: string }[]): Promise<RosterRow[]> {
  const rows: RosterRow[] = []
  const ids = subjects.map(({ id }) => id)
  for (let from = 0; from < ids.length; from += bounds.documentsPerRead) {
    for (const subject of await store.get('subjects', ids.slice(from, from + bounds.documentsPerRead))) {
      try {
        const row = subject && rosterRow(subject, nextStep)
        if (row !== null) rows.push(row)
      } catch (error) {
        logger.error({ err: error, subjectId: subject?.id }, 'subject has no row in the roster')
      }
    }
  }
  return rows
}
