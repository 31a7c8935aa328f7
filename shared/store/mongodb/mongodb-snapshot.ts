// View of a MongoDB database as of one instant: a session whose reads all have the time of its first read. Needs a replica set or a sharded
// cluster of version 5.0 or later, which keeps its past for some minutes.
import type { ClientSession, MongoClient } from 'mongodb'
import type { CollectionName } from '#shared/store/collections.ts'
import type { MongoDocument } from '#shared/store/mongodb/mongodb-documents.ts'
import { findDocuments, translated } from '#shared/store/mongodb/mongodb-reads.ts'
import { StoreError, type StoreSnapshot } from '#shared/store/port.ts'
import { planQuery } from '#shared/store/query.ts'
import { randomId } from '#shared/text/ids.ts'

/** Collection that the adapter alone uses. */
const ownCollection = 'migration'
const snapshotTooOld = 239

/** Rejects with a StoreError: permanent if the server does not read as of one instant. */
export async function openSnapshot(client: MongoClient, databaseName: string): Promise<StoreSnapshot> {
  const session = client.startSession({ snapshot: true })
  const close = () => session.endSession()
  try {
    await requireHolds(client, databaseName, session)
  } catch (error) {
    await close()
    throw error
  }
  return {
    find: (name: CollectionName, query) =>
      translated(async () => {
        const collection = client.db(databaseName).collection<MongoDocument>(name)
        return await findDocuments(collection, name, planQuery(name, query), session).catch(error => {
          throw error.code === snapshotTooOld ? tooOld(error) : error
        })
      }) as never,
    close,
  }
}

/** Some servers take the session and read the present all the same. So a document is written that the session must not see. */
async function requireHolds(client: MongoClient, databaseName: string, session: ClientSession): Promise<void> {
  const own = client.db(databaseName).collection<MongoDocument>(ownCollection)
  const probe = `snapshot-${randomId(16)}`
  const seen = () => own.findOne({ _id: probe }, { session })
  try {
    await translated(seen)
    await translated(() => own.insertOne({ _id: probe }))
    if ((await translated(seen)) === null) return
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'unavailable') throw error
    throw cannot(error)
  } finally {
    await own.deleteOne({ _id: probe }).catch(() => undefined)
  }
  throw cannot()
}

const cannot = (cause?: unknown): StoreError =>
  new StoreError(
    'permanent',
    'This database can not be read as of one instant: a replica set of MongoDB 5.0 or later can.',
    cause,
  )

const tooOld = (cause: unknown): StoreError =>
  new StoreError(
    'permanent',
    'The copy took longer than the database keeps its past: raise its parameter minSnapshotHistoryWindowInSeconds.',
    cause,
  )
