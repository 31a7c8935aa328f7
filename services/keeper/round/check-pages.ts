// Writer of pages of check entries (ADR 45). A page is read, changed and written at its revision, one write of a page at a time: changes
// that wait for the same page share the next write. Repeating a write is harmless.
import { Semaphore } from '#shared/async/semaphore.ts'
import { keys, parseCheckPage } from '#shared/bus/subjects.ts'
import { type CheckPage, readCheckPage, revOf } from '#shared/contracts/observations/check-page.ts'
import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { CheckPages } from '../check-forms.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { changedPage, type PageChange } from './page-changes.ts'
import { putAlone, removeAlone } from './single-entries.ts'
import { storedEntries } from './stored-entries.ts'

interface Batch {
  changes: Map<string, PageChange>
  done: Promise<void>
}

export function createCheckPages(context: KeeperContext): CheckPages {
  const writes = new Semaphore(limits.keeper.checkWritesAtOnce)
  /** Batches that have not begun, by page. */
  const waiting = new Map<string, Batch>()
  /** The last batch of each page that has changes. */
  const last = new Map<string, Promise<void>>()

  const begin = (key: string, partition: number): Batch => {
    const changes = new Map<string, PageChange>()
    const before = last.get(key)
    const write = async () => {
      await before?.catch(() => undefined)
      await writes.run(() => {
        // Later changes are for the next batch.
        waiting.delete(key)
        return writePage(context, key, [...changes.values()], () => context.mayCommit(partition))
      })
    }
    // The batch begins after this turn, so that all changes of a round for the page are in it.
    const done = Promise.resolve().then(write)
    const batch = { changes, done }
    waiting.set(key, batch)
    last.set(key, done)
    const forget = () => {
      if (last.get(key) === done) last.delete(key)
    }
    done.then(forget, forget)
    return batch
  }
  return {
    change: (locationId, change) => {
      const { subjectId, rev } = change
      const key = keys.checkPageOf(locationId, subjectId)
      const { changes, done } = waiting.get(key) ?? begin(key, partitionOf(subjectId))
      if ((changes.get(subjectId)?.rev ?? 0) <= rev) changes.set(subjectId, change)
      return done
    },
  }
}

async function writePage(context: KeeperContext, key: string, changes: PageChange[], mayGoOn: () => boolean): Promise<void> {
  const isWritten = () => retryWhile(context, mayGoOn, 'write a page of checks', () => tryWriting(context, key, changes, mayGoOn))
  // Another keeper may have changed the page meanwhile, and then the lease counts again.
  while (!(await isWritten()));
}

/** Writes the page once; returns false if the page had changed meanwhile. */
async function tryWriting(
  context: KeeperContext,
  key: string,
  changes: readonly PageChange[],
  mayGoOn: () => boolean,
): Promise<boolean> {
  const bucket = context.bus.bucket('check-pages')
  const { locationId, number } = parseCheckPage(key) as { locationId: string; number: number }
  const stored = await bucket.get(key)
  const read = stored === null ? null : readCheckPage(stored.value)
  const isDamaged = stored !== null && read === null
  if (isDamaged) context.logger.warn({ page: key }, 'page of check entries cannot be read and is made anew')
  const before = isDamaged ? await pageOfStore(context, locationId, number, mayGoOn) : read
  const singleRevs = await revsAlone(context, locationId, before, changes)
  const { page, apart, joined, isSame } = changedPage(before, changes, singleRevs, limits.checkPages.pageBytes)
  if (apart.length > 0) {
    context.logger.warn(
      { page: key, subjects: apart.length, bytesMax: limits.checkPages.pageBytes },
      'page of check entries is full: the entry is written alone',
    )
    for (const change of apart) await putAlone(context, locationId, change)
  }
  const removed = joined.filter(id => !page?.entries.some(([present]) => present === id))
  for (const id of removed) await removeAlone(context, locationId, id)
  if (!isSame || isDamaged) {
    const isDone =
      page === null
        ? stored === null || (await bucket.deleteAt(key, stored.revision))
        : (await bucket.update(key, page, stored?.revision ?? 0)) !== null
    if (!isDone) return false
  }
  for (const id of joined) if (!removed.includes(id)) await removeAlone(context, locationId, id)
  return true
}

/** Returns the revisions of the changed entries that are alone. */
async function revsAlone(
  context: KeeperContext,
  locationId: string,
  page: CheckPage | null,
  changes: readonly PageChange[],
): Promise<Map<string, number>> {
  const alone = changes.filter(({ subjectId }) => page?.apart?.includes(subjectId))
  const read = async ({ subjectId }: PageChange): Promise<[string, number]> => {
    const stored = await context.bus.bucket('checks').get(keys.check(locationId, subjectId))
    return [subjectId, revOf(stored?.value)]
  }
  return new Map(await Promise.all(alone.map(read)))
}

/** Returns the page as the store says; null: no subject of the page is checked at the location. */
async function pageOfStore(
  context: KeeperContext,
  locationId: string,
  number: number,
  mayGoOn: () => boolean,
): Promise<CheckPage | null> {
  const changes: PageChange[] = []
  const isOfPage = (id: string, locations: readonly string[]) =>
    keys.checkPageOf(locationId, id) === keys.checkPage(locationId, number) && locations.includes(locationId)
  for await (const found of storedEntries(context, number % limits.partitions, isOfPage, mayGoOn)) {
    const { subjectId, rev } = found
    const entry = found.entries.get(locationId)
    if (entry !== undefined) changes.push({ subjectId, rev, entry, at: 0 })
  }
  return changedPage(null, changes, new Map(), limits.checkPages.pageBytes).page
}
