// Migrations of a MongoDB database, before the stores open it. The document `store` of the collection `migration` has the number and the
// progress, and names the process that migrates. A holder counts up `beat` with each page. Another process takes over when `beat` has not
// changed for the length of a lease, measured on its own clock. Documents are replaced only if their revision is unchanged, so that neither
// an earlier holder nor a keeper of an older version can lose a write.
import type { Collection, Db } from 'mongodb'
import { pause } from '#shared/async/pause.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { collections } from '#shared/store/collections.ts'
import { type Ground, type MigrateOptions, migrate, numberToReach, type Progress } from '#shared/store/migrations/migrate.ts'
import type { Migration, StoredDocument } from '#shared/store/migrations/migration.ts'
import { firstNumber, migrations, numberAtStart } from '#shared/store/migrations/migrations.ts'
import { createClient, databaseOf } from '#shared/store/mongodb/mongodb.ts'
import { fromKept, type MongoDocument } from '#shared/store/mongodb/mongodb-documents.ts'
import { duplicateKey, storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { putReplacements, putUpserts } from '#shared/store/mongodb/mongodb-put.ts'
import { within } from '#shared/store/mongodb/mongodb-reads.ts'
import { StoreError } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'

interface Mark extends Partial<Progress> {
  _id: 'store'
  /** Id of the process that migrates; null: none. */
  holder: string | null
  beat: number
}

const markId = 'store'
const noIndex = 27
const noNamespace = 26

/**
 * Migrates the database, or waits while another process does, and returns its number. Without `upTo`, stops before a migration that is
 * held. Rejects with a StoreError.
 */
export async function migrateMongodb(url: string, options: MigrateOptions): Promise<number> {
  try {
    const client = createClient(url)
    try {
      await client.connect()
      const upTo = options.upTo ?? numberAtStart(options.list ?? migrations)
      return await migrateDatabase(client.db(databaseOf(url)), { ...options, upTo })
    } finally {
      await client.close()
    }
  } catch (error) {
    throw storeErrorOf(error)
  }
}

/** Returns the number of the database; null: it is new. Rejects with a StoreError. */
export async function numberOfMongodb(url: string): Promise<number | null> {
  try {
    const client = createClient(url)
    try {
      await client.connect()
      return (await progressIn(client.db(databaseOf(url))))?.done ?? null
    } finally {
      await client.close()
    }
  } catch (error) {
    throw storeErrorOf(error)
  }
}

async function progressIn(database: Db): Promise<Progress | null> {
  const progress = progressOf(await answered(database.collection<Mark>('migration').findOne({ _id: markId })))
  if (progress !== null) return progress
  // A store of version 2.0.0 has no progress, but the id of its installation among its settings.
  const isUsed = (await answered(database.collection('settings').findOne({}))) !== null
  return isUsed ? { number: firstNumber, done: firstNumber, after: '' } : null
}

async function migrateDatabase(database: Db, options: MigrateOptions): Promise<number> {
  const marks = database.collection<Mark>('migration')
  const me = randomId(16)
  if (await take(marks, me, options)) {
    try {
      await migrate(groundOf(database, marks, me, options), options)
    } finally {
      await answered(marks.updateOne({ _id: markId, holder: me }, { $set: { holder: null } })).catch(() => undefined)
    }
  }
  return progressOf(await answered(marks.findOne({ _id: markId })))?.number ?? firstNumber
}

/** Resolves with true once this process is the one that migrates, and with false if nothing is to be migrated. */
async function take(marks: Collection<Mark>, me: string, options: MigrateOptions): Promise<boolean> {
  const { clock, tell } = options
  const { lookMs, leaseMs } = limits.store.migration
  let seen = { beat: -1, at: 0 }
  for (;;) {
    const mark = await answered(marks.findOne({ _id: markId }))
    if (mark === null) {
      const made = marks.insertOne({ _id: markId, holder: me, beat: 0 })
      if (await answered(made).then(() => true, isTaken)) return true
      continue
    }
    const progress = progressOf(mark)
    if (progress !== null && progress.done === numberToReach(progress, options)) return false
    const isDead = mark.beat === seen.beat && clock.monotonic() - seen.at >= leaseMs
    if (mark.holder === null || isDead) {
      const claim = { $set: { holder: me, beat: mark.beat + 1 } }
      if ((await answered(marks.updateOne({ _id: markId, holder: mark.holder, beat: mark.beat }, claim))).matchedCount === 1)
        return true
      continue
    }
    if (seen.beat === -1)
      tell(`Another process converts the store. This one waits for it, or goes on ${leaseMs / second} s after its end.`)
    if (mark.beat !== seen.beat) seen = { beat: mark.beat, at: clock.monotonic() }
    await pause(clock, lookMs)
  }
}

function groundOf(database: Db, marks: Collection<Mark>, me: string, { tell }: MigrateOptions): Ground {
  const note = async (progress: Progress) => {
    const change = { $set: { ...progress }, $inc: { beat: 1 } }
    const { matchedCount } = await answered(marks.updateOne({ _id: markId, holder: me }, change))
    if (matchedCount === 0) throw new StoreError('unavailable', 'Another process has taken over the conversion of the store.')
  }
  const write = async ({ collection: name, change }: Migration, documents: readonly StoredDocument[]) => {
    const collection = database.collection<MongoDocument>(name)
    let open = documents
    const changeOf = change ?? (() => null)
    while (open.length > 0) {
      const changed = open.map(changeOf).filter(document => document !== null)
      if (changed.length === 0) return
      if (collections[name].compact) return void (await answered(putUpserts(collection, name, changed)))
      // The writer tells this write from one that a keeper made meanwhile, with the same rev and the writer of the document that was read.
      const next = changed.map(document => ({
        ...document,
        rev: Number(document['rev']) + 1,
        ...(document['writer'] === undefined ? {} : { writer: me }),
      }))
      const results = await answered(putReplacements(collection, name, next))
      const refused = changed.filter((_, index) => results[index] !== 'written').map(document => String(document['id']))
      open = (await answered(collection.find({ _id: { $in: refused } }).toArray())).map(fromKept)
    }
  }
  return {
    progress: () => progressIn(database),
    note,
    keep: async release =>
      tell(
        `MongoDB is not copied. To go back to version ${release}, restore the backup from before this start (docs/upgrading.md).`,
      ),
    prepare: async ({ collection, dropIndexes = [] }) => {
      for (const name of dropIndexes) {
        await answered(database.collection(collection).dropIndex(name)).catch(error => {
          if (error.code !== noIndex && error.code !== noNamespace) throw error
        })
      }
    },
    page: async (name, after) => {
      const rows = database
        .collection<MongoDocument>(name)
        .find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit: limits.store.migration.pageDocuments })
      return (await answered(rows.toArray())).map(fromKept)
    },
    write: async (migration, documents, progress) => {
      await write(migration, documents)
      await note(progress)
    },
  }
}

function progressOf(mark: Mark | null): Progress | null {
  if (mark?.number === undefined) return null
  return { number: mark.number, done: mark.done ?? mark.number, after: mark.after ?? '' }
}

const answered = <T>(running: Promise<T>): Promise<T> => within(limits.store.answerMs, running)

/** Returns false if another process has inserted the mark; rethrows every other error. */
function isTaken(error: { code?: unknown }): false {
  if (error.code === duplicateKey) return false
  throw error
}
