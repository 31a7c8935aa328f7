// Reads of the MongoDB adapter, and the time limit of all its operations.
import type { ClientSession, Collection } from 'mongodb'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { findOptions, fromKept, type MongoDocument } from '#shared/store/mongodb/mongodb-documents.ts'
import { storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { StoreError } from '#shared/store/port.ts'
import type { QueryPlan } from '#shared/store/query.ts'

/** `session`: reads as of the instant of this session. */
export async function findDocuments(
  collection: Collection<MongoDocument>,
  name: CollectionName,
  plan: QueryPlan,
  session?: ClientSession,
): Promise<object[]> {
  const { filter, sort, projection } = findOptions(name, plan)
  const options = { sort, limit: plan.limit, ...(projection === null ? {} : { projection }), ...(session && { session }) }
  const found = collection.find(filter, options)
  return (await found.toArray()).map(fromKept)
}

/** Runs an operation of the port with a timeout and translates its errors. An operation that timed out may still happen at the server. */
export async function translated<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await within(limits.store.answerMs, run())
  } catch (error) {
    throw storeErrorOf(error)
  }
}

/** Rejects after a timeout. The driver's own retries can take several times its time limits, which is too long for callers. */
export async function within<T>(timeoutMs: number, running: Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs)
  return await new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new StoreError('unavailable', `The database has not answered for ${timeoutMs} ms.`))
    signal.addEventListener('abort', giveUp, { once: true })
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
