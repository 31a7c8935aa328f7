// Conversion of a database of an earlier layout when the store opens. It may run twice or stop halfway; reports that were sent again since
// then are kept. Documents that a process of the earlier version writes afterwards stay unconverted until they expire.
import type { Db } from 'mongodb'
import { limits } from '#shared/limits/limits.ts'
import { fromLayout1, type PushedOfLayout1 } from '#shared/store/layout-1.ts'
import { fromKept, type Kept, toKept } from '#shared/store/mongodb/mongodb-documents.ts'

/** Converts pushed observations of layout 1, which had other ids and an index that is no longer needed. Drops the index last. */
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
  // Another process may have dropped the index already.
  await collection.dropIndex(oldIndex).catch(async error => {
    if (await isOld()) throw error
  })
}

const oldIndex = 'bySignal'
