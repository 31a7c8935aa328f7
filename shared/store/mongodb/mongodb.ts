// The store port over MongoDB, without transactions. A guarded write changes one document; several writes form an unordered bulk, which a
// majority of the servers acknowledges. Reads go to the primary. Indexes are created when the store opens; a TTL index deletes expired
// documents.
import { type Collection, MongoClient, type MongoClientOptions } from 'mongodb'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { filterOf, fromKept, type MongoDocument, shadow } from '#shared/store/mongodb/mongodb-documents.ts'
import { storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { putAdvances, putInserts, putReplacements, putUpserts } from '#shared/store/mongodb/mongodb-put.ts'
import { findDocuments, translated, within } from '#shared/store/mongodb/mongodb-reads.ts'
import { openSnapshot } from '#shared/store/mongodb/mongodb-snapshot.ts'
import { type PutMode, type PutResult, type Room, type Store, StoreError } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import { numbersIn, planNumbers, planQuery, planWhere, requireMode } from '#shared/store/query.ts'

type Put = (collection: Collection<MongoDocument>, name: CollectionName, documents: readonly object[]) => Promise<PutResult[]>

const defaultDatabase = 'watchkeeper'

/**
 * Connects, waits up to `limits.start.patienceMs` for a primary, and creates missing indexes. Uses the database that the address names,
 * else `watchkeeper`. Rejects with a StoreError.
 */
export async function openMongodbStore(url: string): Promise<Store> {
  try {
    const client = createClient(url)
    try {
      await client.connect()
      await within(limits.store.indexMs, createIndexes(client, databaseOf(url)))
      await dropFormerIndexes(client, databaseOf(url))
    } catch (error) {
      await client.close()
      throw error
    }
    return createStore(client, databaseOf(url))
  } catch (error) {
    throw storeErrorOf(error)
  }
}

/** Returns a client that is not connected. `patienceMs`: longest wait for a server, unless the address sets it. Throws a StoreError. */
export function createClient(url: string, patienceMs: number = limits.start.patienceMs): MongoClient {
  try {
    return new MongoClient(url, {
      ...waits(url, patienceMs),
      writeConcern: { w: 'majority', wtimeoutMS: limits.store.answerMs },
      readPreference: 'primary',
      ignoreUndefined: true,
      appName: 'watchkeeper',
    })
  } catch (error) {
    throw new StoreError('permanent', 'The connection string of the database is malformed: correct MONGODB_URL.', error)
  }
}

function createStore(client: MongoClient, databaseName: string): Store {
  const database = client.db(databaseName)
  const at = (name: CollectionName) => database.collection<MongoDocument>(name)
  const put = (mode: PutMode, run: Put) => (name: CollectionName, documents: readonly object[]) =>
    translated(async () => {
      requireMode(name, mode)
      return documents.length === 0 ? [] : await run(at(name), name, documents)
    })
  const puts = {
    insert: put('insert', putInserts),
    replace: put('replace', putReplacements),
    advance: put('advance', putAdvances),
    upsert: put('upsert', putUpserts),
  }
  return {
    ...puts,
    putInOrder: putOneByOne(puts),
    get: (name, ids) => translated(() => getDocuments(at(name), ids)) as never,
    delete: (name, ids) => translated(() => deleteDocuments(at(name), ids)),
    deleteRange: (name, from, to, limit) =>
      translated(async () => {
        const range = at(name).find({ _id: { $gte: from, $lt: to } }, { projection: { _id: 1 }, sort: { _id: 1 }, limit })
        return await deleteDocuments(
          at(name),
          (await range.toArray()).map(document => document._id),
        )
      }),
    find: (name, query) => translated(() => findDocuments(at(name), name, planQuery(name, query))) as never,
    numbers: (name, query) =>
      translated(async () => numbersIn(await findDocuments(at(name), name, planNumbers(name, query)), query)),
    count: (name, where) => translated(() => at(name).countDocuments(filterOf(planWhere(name, where)))),
    expire: name =>
      translated(async () => {
        if (collections[name].expires) return 0
        throw new StoreError('permanent', `Documents of ${name} do not expire.`)
      }),
    snapshot: () => openSnapshot(client, databaseName),
    ping: () => translated(async () => void (await database.command({ ping: 1 }))),
    room: () => translated(async () => roomOf(await database.command({ dbStats: 1 }))),
    close: () => client.close(),
  }
}

/** Returns the space on the server's disk; null: the server does not report the space, because it is not a mongod with files of its own. */
export function roomOf({ fsTotalSize, fsUsedSize }: Record<string, unknown>): Room | null {
  if (typeof fsTotalSize !== 'number' || typeof fsUsedSize !== 'number' || fsTotalSize <= 0) return null
  return { freeBytes: Math.max(0, fsTotalSize - fsUsedSize), totalBytes: fsTotalSize }
}

async function getDocuments(collection: Collection<MongoDocument>, ids: readonly string[]): Promise<(object | null)[]> {
  if (ids.length === 0) return []
  const found = await collection.find({ _id: { $in: [...ids] } }).toArray()
  const byId = new Map(found.map(document => [document._id, fromKept(document)]))
  return ids.map(id => byId.get(id) ?? null)
}

async function deleteDocuments(collection: Collection<MongoDocument>, ids: readonly string[]): Promise<number> {
  return ids.length === 0 ? 0 : (await collection.deleteMany({ _id: { $in: [...ids] } })).deletedCount
}

/** Creates the declared indexes that are missing. */
async function createIndexes(client: MongoClient, databaseName: string): Promise<void> {
  const database = client.db(databaseName)
  for (const [name, { indexes, expires }] of Object.entries(collections)) {
    const declared = indexes.map(index => ({
      name: index.name,
      key: Object.fromEntries(index.fields.map(field => [field === 'id' ? '_id' : field, 1])),
      unique: index.unique ?? false,
    }))
    const expiry = expires ? [{ name: 'byExpiry', key: { [shadow.expireOn]: 1 }, expireAfterSeconds: 0 }] : []
    if (declared.length + expiry.length > 0) await database.collection(name).createIndexes([...declared, ...expiry])
  }
}

/** Beginnings of the names of our indexes; the names that MongoDB and its tools give begin with a field. */
const ourIndex = /^(by|of)[A-Z]/

/**
 * Drops the indexes that an earlier declaration named, because each costs time at each write. A process with that declaration creates them
 * again when it starts. Indexes of other names are left, and an index that another process has dropped meanwhile is no error.
 */
async function dropFormerIndexes(client: MongoClient, databaseName: string): Promise<void> {
  const database = client.db(databaseName)
  for (const [name, { indexes, expires }] of Object.entries(collections)) {
    const declared = new Set([...indexes.map(index => index.name), ...(expires ? ['byExpiry'] : [])])
    const collection = database.collection(name)
    const present: { name?: string }[] = await collection.indexes().catch(ignoreMissing([]))
    for (const { name: index = '' } of present)
      if (ourIndex.test(index) && !declared.has(index)) await collection.dropIndex(index).catch(ignoreMissing({}))
  }
}

/** Codes of the server's errors about a missing collection and a missing index. */
const missing = new Set<unknown>([26, 27])

const ignoreMissing =
  <T>(fallback: T) =>
  (error: { code?: unknown }): T => {
    if (missing.has(error.code)) return fallback
    throw error
  }

/** Returns the driver's timeouts, except those that the address sets. */
function waits(url: string, patienceMs: number): MongoClientOptions {
  const named = new URLSearchParams(url.split('?')[1]?.toLowerCase())
  const defaults = {
    serverSelectionTimeoutMS: patienceMs,
    connectTimeoutMS: patienceMs,
  }
  return Object.fromEntries(Object.entries(defaults).filter(([option]) => !named.has(option.toLowerCase())))
}

export function databaseOf(url: string): string {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?/]+)/.exec(url)?.[1] ?? defaultDatabase
}
