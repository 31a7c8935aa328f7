// Lock that only one store at a time can have: an open transaction on an empty SQLite file beside the data file. When the process ends in
// any way, the operating system releases the lock. A data file that was opened by the address of sqlite-address.ts already excludes other
// processes. The lock also excludes a second store in this process and, on Windows, other processes.
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '#shared/store/port.ts'
import { isNoDatabase, usedByAnother } from '#shared/store/sqlite/sqlite-errors.ts'

export const lockPath = (path: string): string => `${path}-lock`

/**
 * Takes the lock until the returned database is closed. Throws a permanent StoreError if another process, or another store of this
 * process, has the lock.
 */
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
