// One process at a time: the lock is an empty SQLite file beside the data, held by a transaction that never ends. The operating system
// lets go of it with the process, however that ends. The data file keeps other processes out by itself where its address can say so
// (sqlite-address.ts); this also keeps out a second store of this process, and all others on Windows.
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '#shared/store/port.ts'
import { isNoDatabase, usedByAnother } from '#shared/store/sqlite-errors.ts'

export const lockPath = (path: string): string => `${path}-lock`

/** Held until it is closed. Throws a permanent StoreError where another process, or another store of this one, has it. */
export function lockSqliteFile(path: string): DatabaseSync {
  const lock = new DatabaseSync(lockPath(path), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (isNoDatabase(error))
      throw new StoreError('permanent', `The file ${lockPath(path)} is damaged and holds no data: remove it.`)
    throw usedByAnother(error)
  }
}
