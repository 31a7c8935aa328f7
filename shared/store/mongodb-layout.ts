// What an earlier version kept in the database is brought into the form of this one when it is opened; a crash or a second opener in the
// midst of it does no harm, and what was reported again since counts. What a process of the version before writes after that stays
// as it is until it expires.
import type { Db } from 'mongodb'
import { limits } from '#shared/limits.ts'
import { fromLayout1, type PushedOfLayout1 } from '#shared/store/layout-1.ts'
import { fromKept, type Kept, toKept } from '#shared/store/mongodb-documents.ts'

/** Layout 1 kept what senders reported under other ids, with an index that nothing needs any more: it goes last. */
export async function bringToLayout(database: Db): Promise<void> {
  const collection = database.collection<Kept>('pushedObservations')
  const isOld = async () => (await collection.indexes()).some(({ name }) => name === oldIndex)
  if (!(await isOld())) return
  const old = { signalKey: { $exists: true } }
  for (;;) {
    const found = await collection.find(old, { limit: limits.store.findMax }).toArray()
    if (found.length === 0) break
    const taken = found.map(kept => toKept('pushedObservations', fromLayout1(fromKept(kept) as PushedOfLayout1)))
    await collection.bulkWrite(
      taken.map(({ _id, ...rest }) => ({ updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true } })),
      { ordered: false },
    )
    await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } })
  }
  // A second opener may have done so already.
  await collection.dropIndex(oldIndex).catch(async error => {
    if (await isOld()) throw error
  })
}

const oldIndex = 'bySignal'
