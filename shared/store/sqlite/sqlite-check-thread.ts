// The thread of a search for damage (sqlite-check.ts). Sends one message for each damaged collection, and ends.
import { constants, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { pause } from '#shared/async/pause.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import { lastingCollections, quoted } from '#shared/store/sqlite/sqlite-schema.ts'
import { createSystemClock } from '#shared/time/clock.ts'

/** A damaged collection. `after`: id of the last document before the damage; empty: the first documents are damaged. */
export interface CheckAnswer {
  collection: CollectionName
  after: string
  fault: string
}

const { slice, pauseMs } = limits.store.check
const clock = createSystemClock()

/** Reads all documents of a collection, in the order of their ids. Returns what is wrong; null: nothing. */
async function check(database: DatabaseSync, collection: CollectionName): Promise<CheckAnswer | null> {
  const text = `SELECT id, json_valid(body) AS isWhole FROM ${quoted(collection)} WHERE id > ? ORDER BY id LIMIT ?`
  let after = ''
  try {
    const statement = database.prepare(text)
    for (;;) {
      const rows = statement.all(after, slice)
      for (const { id, isWhole } of rows) {
        if (isWhole !== 1) return { collection, after, fault: `the document ${id} is no JSON` }
        after = String(id)
      }
      if (rows.length < slice) return null
      await pause(clock, pauseMs)
    }
  } catch (error) {
    return { collection, after, fault: (error as Error).message }
  }
}

if (parentPort !== null) {
  // On Linux this is the priority of this thread, elsewhere that of the process.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
  const { path } = workerData as { path: string }
  const database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
  for (const collection of lastingCollections) {
    const fault = await check(database, collection)
    if (fault !== null) parentPort.postMessage(fault)
  }
  database.close()
  clock.stop()
}
