// The roster of one workspace in memory: read from the store once, kept by news of the bus, and compared with the store's revisions now and then, so
// that lost news shows for a minute at most. Never writes.
import { nextStep } from '#machines/incident-outlook.ts'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import type { RosterFilters, RosterPage, RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Query, Store } from '#shared/store/port.ts'
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
  /** Waits for the store if the rows were never read, or if news may be missing. Rejects as the store does. */
  page(filters: RosterFilters & { from: number; count: number }): Promise<RosterPage>
  /** News may be missing: the next page waits for a comparison with the store. */
  doubt(): void
  close(): Promise<void>
}

const bounds = limits.roster

/** Resolves once news is heard. */
export async function openRoster(context: RosterContext, workspaceId: string): Promise<Roster> {
  const { bus, clock, logger } = context
  const rows = createSortedRows()
  /** Ids that news spoke of since the running comparison began: it knows less of them. */
  let heard = new Set<string>()
  let comparing: Promise<void> | null = null
  let comparedAt = 0
  let isSure = false

  const hear = (news: News) => {
    if (news.kind === 'row') rows.put(news.row)
    else if (news.kind === 'gone') rows.remove(news.id)
    else return
    if (comparing !== null) heard.add(news.kind === 'row' ? news.row.id : news.id)
  }
  const compare = async () => {
    heard = new Set()
    isSure = true
    comparedAt = clock.monotonic()
    await compareWithStore(context, workspaceId, rows, id => heard.has(id)).catch(error => {
      isSure = false
      throw error
    })
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
      // Doubt that comes during a comparison asks for another one.
      for (let tries = 0; !isSure && tries < bounds.comparisonsInARow; tries++) await comparison()
      if (clock.monotonic() - comparedAt >= bounds.compareMs)
        void comparison().catch(error => logger.warn({ err: error, workspaceId }, 'roster was not compared'))
      return rows.page(asked)
    },
    doubt: () => {
      isSure = false
    },
    close: () => subscription.close(),
  }
}

/** Reads the documents that are newer than their rows, and removes rows without one. `isHeard`: news came meanwhile. */
async function compareWithStore(
  context: RosterContext,
  workspaceId: string,
  rows: SortedRows,
  isHeard: (id: string) => boolean,
): Promise<void> {
  const present = new Set<string>()
  const where = { workspaceId, archivedAt: null, deletedAt: null }
  for (let last: string | null = null; ; ) {
    const query: Query = { where, limit: bounds.revsPerRead, select: ['rev'] }
    const page = last === null ? query : { ...query, after: { values: [], id: last } }
    const found: Pick<SubjectDocument, 'id' | 'rev'>[] = await context.store.find('subjects', page)
    for (const { id } of found) present.add(id)
    const newer = found.filter(({ id, rev }) => (rows.revOf(id) ?? 0) < rev)
    for (const row of await readRows(context, newer)) if (rows.revOf(row.id) !== null || !isHeard(row.id)) rows.put(row)
    last = found.at(-1)?.id ?? null
    if (last === null || found.length < bounds.revsPerRead) break
  }
  for (const id of [...rows.ids()]) if (!present.has(id) && !isHeard(id)) rows.remove(id)
}

/** A document that is too damaged for a row has none. */
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
