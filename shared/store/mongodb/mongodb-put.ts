// Bulk writes of the MongoDB adapter: one unordered bulk, and a result for each document. If the server's response does not show every
// result (too few matches, a collision, a lost connection), the adapter reads the stored documents.
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoServerSelectionError,
} from 'mongodb'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { type MongoDocument, shadow, toKept } from '#shared/store/mongodb/mongodb-documents.ts'
import { duplicateKey, storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { type PutResult, StoreError } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'

type Writes = AnyBulkWriteOperation<MongoDocument>[]

interface BulkOutcome {
  /** Number of replacements whose filter matched a document. */
  matched: number
  /** Positions of the items that a unique index refused. */
  collided: number[]
}

const stampCharacters = 16

/**
 * Inserts documents. If a document collides, its result is `refused` if its id is stored, else `taken`, because another unique index has
 * the value.
 */
export async function putInserts(
  collection: Collection<MongoDocument>,
  name: CollectionName,
  documents: readonly object[],
): Promise<PutResult[]> {
  const kept = documents.map(document => toKept(name, document))
  const { collided } = await bulk(
    collection,
    kept.map(document => ({ insertOne: { document } })),
  )
  const results: PutResult[] = kept.map(() => 'written')
  if (collided.length === 0) return results
  const collidedIds = collided.map(index => kept[index]!._id)
  const stored = hasUniqueIndex(name) ? await readBack(collection, collidedIds) : null
  for (const index of collided) results[index] = stored === null || stored.has(kept[index]!._id) ? 'refused' : 'taken'
  return results
}

export async function putAdvances(
  collection: Collection<MongoDocument>,
  name: CollectionName,
  documents: readonly object[],
): Promise<PutResult[]> {
  return await putOver(collection, name, documents, rev => ({ rev: { $lt: rev } }))
}

export async function putUpserts(
  collection: Collection<MongoDocument>,
  name: CollectionName,
  documents: readonly object[],
): Promise<PutResult[]> {
  return await putOver(collection, name, documents, null)
}

/**
 * Makes the guarded put. A document without a `writer` gets a stamp; if the outcome is unknown, the stamp in the stored document shows
 * whether the write succeeded.
 */
export async function putReplacements(
  collection: Collection<MongoDocument>,
  name: CollectionName,
  documents: readonly object[],
): Promise<PutResult[]> {
  const stamp = randomId(stampCharacters)
  const kept = documents.map(document => {
    const made = toKept(name, document)
    return made['writer'] === undefined ? { ...made, [shadow.stamp]: stamp } : made
  })
  const writes: Writes = kept.map(document =>
    document['rev'] === 1
      ? { insertOne: { document } }
      : replacement({ _id: document._id, rev: document['rev'] - 1 }, document, false),
  )
  let outcome: BulkOutcome
  try {
    outcome = await bulk(collection, writes)
  } catch (error) {
    const { kind, cause } = storeErrorOf(error)
    if (kind !== 'unavailable' || cause instanceof MongoServerSelectionError) throw error
    return await settleUnknown(collection, kept, error)
  }
  const replaced = kept.filter(document => document['rev'] !== 1).length
  if (outcome.collided.length === 0 && outcome.matched === replaced) return kept.map(() => 'written')
  return await settleReplacements(collection, kept, new Set(outcome.collided))
}

function replacement(filter: Document, document: MongoDocument, upsert: boolean): AnyBulkWriteOperation<MongoDocument> {
  const { _id, ...rest } = document
  return { replaceOne: { filter, replacement: rest as MongoDocument, upsert } }
}

/**
 * Runs an unordered bulk. An item may be written, match no document, or collide with a unique index. Throws if any item ended otherwise.
 */
async function bulk(collection: Collection<MongoDocument>, writes: Writes): Promise<BulkOutcome> {
  try {
    const { matchedCount } = await collection.bulkWrite(writes, { ordered: false })
    return { matched: matchedCount, collided: [] }
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error
    const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors]
    const unmet = error.result.getWriteConcernError()
    if (unmet != null)
      throw new StoreError('unavailable', `The write was not confirmed: ${unmet.errmsg ?? 'no majority'}.`, error)
    const other = failed.find(one => one.code !== duplicateKey)
    if (other !== undefined || failed.length === 0) throw error
    return { matched: error.matchedCount, collided: failed.map(one => one.index) }
  }
}

/**
 * Replaces stored documents if `guard` permits it (null: always), and inserts missing documents. A collision on the id has two possible
 * causes. Either the guard did not hold, or another process inserted the document between the server's look-up and its write. In the second
 * case the write is repeated, and then finds the document.
 */
async function putOver(
  collection: Collection<MongoDocument>,
  name: CollectionName,
  documents: readonly object[],
  guard: ((rev: number) => Document) | null,
): Promise<PutResult[]> {
  const kept = documents.map(document => toKept(name, document))
  const results: PutResult[] = kept.map(() => 'written')
  let open = kept.map((_, index) => index)
  for (let tries = 1; open.length > 0; tries++) {
    const writes: Writes = open.map(index =>
      replacement({ _id: kept[index]!._id, ...guard?.(kept[index]!['rev']) }, kept[index] as MongoDocument, true),
    )
    const { collided } = await bulk(collection, writes)
    if (collided.length === 0) break
    const indexes = collided.map(position => open[position] as number)
    const ids = indexes.map(index => kept[index]!._id)
    const stored = await readBack(collection, ids)
    open = indexes.filter(index => {
      const rev = stored.get(kept[index]!._id)?.['rev']
      const refused = guard !== null && rev !== undefined && rev >= kept[index]!['rev']
      results[index] = refused ? 'refused' : 'taken'
      return !refused && tries < limits.store.upsertTries
    })
    for (const index of open) results[index] = 'written'
  }
  return results
}

async function settleReplacements(
  collection: Collection<MongoDocument>,
  kept: readonly MongoDocument[],
  collided: ReadonlySet<number>,
): Promise<PutResult[]> {
  const stored = await readBack(
    collection,
    kept.map(document => document._id),
  )
  return kept.map((document, index) => {
    const found = stored.get(document._id)
    if (isMine(found, document)) return 'written'
    if (!collided.has(index)) return 'refused'
    return (found?.['rev'] ?? 0) === document['rev'] - 1 ? 'taken' : 'refused'
  })
}

/**
 * Reads the stored documents after a lost response, and returns the results of the writes. Throws if the server may still write a document
 * later; the caller then retries.
 */
async function settleUnknown(
  collection: Collection<MongoDocument>,
  kept: readonly MongoDocument[],
  error: unknown,
): Promise<PutResult[]> {
  const stored = await readBack(
    collection,
    kept.map(document => document._id),
  )
  return kept.map(document => {
    const found = stored.get(document._id)
    if (isMine(found, document)) return 'written'
    if ((found?.['rev'] ?? 0) >= document['rev']) return 'refused'
    throw storeErrorOf(error)
  })
}

function isMine(found: Document | undefined, document: MongoDocument): boolean {
  if (found?.['rev'] !== document['rev']) return false
  return document['writer'] === undefined
    ? found?.[shadow.stamp] === document[shadow.stamp]
    : found?.['writer'] === document['writer']
}

/** Reads the revisions of stored documents. With read concern majority, an election cannot undo a write that was reported as `written`. */
async function readBack(collection: Collection<MongoDocument>, ids: readonly string[]): Promise<Map<string, Document>> {
  const projection = { rev: 1, writer: 1, [shadow.stamp]: 1 }
  const found = await collection.find({ _id: { $in: [...ids] } }, { projection, readConcern: { level: 'majority' } }).toArray()
  return new Map(found.map(document => [document._id, document]))
}

function hasUniqueIndex(name: CollectionName): boolean {
  return collections[name].indexes.some(index => index.unique)
}
