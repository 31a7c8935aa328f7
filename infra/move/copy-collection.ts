// One pass over a collection: makes the target equal to the source, range by range, and reads back what was written. Works on the store port
// alone, in the order of the ids. May end at any point and be repeated: what is equal already costs one read of the source.
import { inParallel } from '#shared/async/in-parallel.ts'
import { minute } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { Range, Store } from '#shared/store/port.ts'
import { addDigests, type Digest, digestOf, emptyDigest, textOf } from './digest.ts'
import { isOfMove } from './marks.ts'
import { type CopiedRange, openProgress, type Progress } from './progress.ts'

export interface CopyOptions {
  source: Pick<Store, 'find'>
  target: Store
  /** Present instant, ms since the epoch. */
  now(): number
  /** Called after each range with the number of its documents, and whether it was written. */
  onRange(count: number, isWritten: boolean): void
}

interface PassOptions extends CopyOptions {
  /** True: changed documents are first deleted, so that they free their values in unique indexes for each other. */
  replaces: boolean
}

/** A document and its text, by which documents of both stores are compared. */
interface Row {
  id: string
  document: StoredDocument
  text: string
}

type StoredDocument = { id: string; expireAt?: number | null }

interface Task {
  range: Pick<CopiedRange, 'after' | 'through'>
  rows: Row[]
  known: CopiedRange | undefined
}

/** Largest number of documents of a range, and number of characters after which a range gets fewer documents. */
const rangeDocuments = 1_000
const rangeCharacters = 2_000_000
const rangesAtOnce = 4
/** Number of documents in one write: a slow server must take them within `limits.store.answerMs`. */
const writeDocuments = 200
/** MongoDB deletes expired documents by its own clock, up to a minute late. */
const expiryMs = 2 * minute
/** A document may wait until another document with the same value in a unique index is deleted in a later range. */
const passesMost = 4

export class CopyFault extends Error {}

/** Returns the digest of the collection, the same at both sides. Throws a CopyFault, or the StoreError of a store. */
export async function copyCollection(collection: CollectionName, options: CopyOptions): Promise<Digest> {
  for (let pass = 1; ; pass++) {
    const { digest, blocked } = await onePass(collection, { ...options, replaces: pass > 1 })
    if (blocked === 0) return digest
    if (pass === passesMost)
      throw new CopyFault(`${blocked} ranges of ${collection} hold documents that the target does not take.`)
  }
}

async function onePass(collection: CollectionName, options: PassOptions): Promise<{ digest: Digest; blocked: number }> {
  const progress = await openProgress(options.target, collection)
  let digest = emptyDigest
  let blocked = 0
  for await (const tasks of groups(tasksOf(collection, options.source, progress), rangesAtOnce)) {
    await inParallel(tasks, rangesAtOnce, async task => {
      const copied = await copyRange(collection, task, options, progress)
      if (copied === null) blocked++
      else digest = addDigests(digest, copied)
    })
  }
  return { digest, blocked }
}

/** Yields the ranges of the source with their documents. Recorded ranges keep their bounds, unless they have grown too large. */
async function* tasksOf(collection: CollectionName, source: CopyOptions['source'], progress: Progress): AsyncGenerator<Task> {
  let limit = rangeDocuments
  for (let after: string | null = ''; after !== null; ) {
    const known = progress.rangeAfter(after)
    const bound: string | null = known?.through ?? progress.nextAfter(after)
    const found = await readRange(collection, source, { after, through: bound }, limit)
    const last = found.length < limit ? undefined : found.at(-1)
    const through: string | null = last?.id ?? bound
    const rows = found.filter(({ id }) => collection !== 'settings' || !isOfMove(id))
    yield { range: { after, through }, rows, known }
    const characters = rows.reduce((sum, { text }) => sum + text.length, 0)
    const fitting = Math.floor((rangeCharacters * rows.length) / Math.max(1, characters))
    if (rows.length > 0) limit = Math.max(1, Math.min(rangeDocuments, fitting))
    after = through
  }
}

/** Returns the digest of the range; null: a document could not be written yet. */
async function copyRange(
  collection: CollectionName,
  { range, rows, known }: Task,
  { target, now, onRange, replaces }: PassOptions,
  progress: Progress,
): Promise<Digest | null> {
  const digest = digestOf(rows.map(({ text }) => text))
  if (known !== undefined && known.through === range.through && known.count === digest.count && known.sum === digest.sum) {
    onRange(digest.count, false)
    return digest
  }
  const present = await wholeRange(collection, target, range)
  const stored = new Map(present.map(({ id, text }) => [id, text]))
  const changed = rows.filter(({ id, text }) => stored.get(id) !== text)
  const wanted = new Set(rows.map(({ id }) => id))
  const gone = present.flatMap(({ id }) => (wanted.has(id) ? [] : [id]))
  const stale = replaces ? changed.flatMap(({ id }) => (stored.has(id) ? [id] : [])) : []
  await inSlices([...gone, ...stale], ids => target.delete(collection, ids))
  for (const id of stale) stored.delete(id)
  const isTaken = await write(collection, target, changed, id => stored.has(id))
  if (isTaken) return null
  if (changed.length + gone.length > 0) await requireEqual(collection, rows, await wholeRange(collection, target, range), now())
  await progress.record({ ...range, ...digest })
  onRange(digest.count, changed.length + gone.length > 0)
  return digest
}

/** Returns true if a unique index has refused a document. */
async function write(
  collection: CollectionName,
  target: Store,
  rows: readonly Row[],
  isPresent: (id: string) => boolean,
): Promise<boolean> {
  let isTaken = false
  for (const mode of ['upsert', 'insert'] as const) {
    const documents = rows.filter(({ id }) => isPresent(id) === (mode === 'upsert')).map(({ document }) => document)
    await inSlices(documents, async slice => {
      const results = await target[mode](collection, slice as never[])
      isTaken ||= results.includes('taken')
    })
  }
  return isTaken
}

async function inSlices<T>(items: readonly T[], work: (slice: T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += writeDocuments) await work(items.slice(start, start + writeDocuments))
}

/** Throws a CopyFault if the documents differ. Documents that the target has deleted because they have expired are no difference. */
async function requireEqual(
  collection: CollectionName,
  rows: readonly Row[],
  present: readonly Row[],
  now: number,
): Promise<void> {
  const stored = new Map(present.map(({ id, text }) => [id, text]))
  for (const { id, text, document } of rows) {
    const found = stored.get(id)
    stored.delete(id)
    if (found === text) continue
    const { expireAt = null } = document
    if (found === undefined && collections[collection].expires && expireAt !== null && expireAt <= now + expiryMs) continue
    throw new CopyFault(`The document ${id} of ${collection} reads otherwise at the target than it was written.`)
  }
  const [more] = stored.keys()
  if (more !== undefined) throw new CopyFault(`The target has the document ${more} of ${collection}, which the source lacks.`)
}

/** Reads all documents of a range, which may be more than a page. */
async function wholeRange(
  collection: CollectionName,
  store: Pick<Store, 'find'>,
  { after, through }: Pick<CopiedRange, 'after' | 'through'>,
): Promise<Row[]> {
  const all: Row[] = []
  for (let from = after; ; ) {
    const page = await readRange(collection, store, { after: from, through }, rangeDocuments)
    all.push(...page.filter(({ id }) => collection !== 'settings' || !isOfMove(id)))
    const last = page.at(-1)
    if (last === undefined || page.length < rangeDocuments) return all
    from = last.id
  }
}

async function readRange(
  collection: CollectionName,
  store: Pick<Store, 'find'>,
  { after, through }: Pick<CopiedRange, 'after' | 'through'>,
  limit: number,
): Promise<Row[]> {
  const id: Range = { gt: after, ...(through === null ? {} : { lte: through }) }
  const found: StoredDocument[] = await store.find(collection, { where: { id }, limit })
  return found.map(document => ({ id: document.id, document, text: textOf(document) }))
}

async function* groups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
