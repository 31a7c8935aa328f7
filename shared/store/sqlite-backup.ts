// A backup: the SQLite file as one file that needs no other beside it, with what else must be kept in a table of its own. It is made
// while the store is used, and becomes the file of a store again.
import { constants, copyFileSync, existsSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { type BackupContent, StoreError } from '#shared/store/port.ts'
import { sqliteAddress } from '#shared/store/sqlite-address.ts'
import { failureOf } from '#shared/store/sqlite-errors.ts'

/** More than any file has: a copy in several steps begins anew whenever the file is written to in between. */
const allPages = 2 ** 31 - 1

/**
 * Writes a new file. The copy reads on a connection of its own and in a thread of the pool, so that it holds up no writer. Meanwhile the
 * write-ahead log can't be folded and grows.
 */
export async function backUpSqliteFile(path: string, target: string, content: BackupContent): Promise<void> {
  const database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
  try {
    await backup(database, target, { rate: allPages })
  } finally {
    database.close()
  }
  const copy = new DatabaseSync(target)
  try {
    // The last thing that is written: a copy without it is no backup.
    copy.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; CREATE TABLE backup (content TEXT NOT NULL)')
    copy.prepare('INSERT INTO backup VALUES (?)').run(JSON.stringify(content))
  } finally {
    copy.close()
  }
}

/** What a backup has beside the store. Throws a permanent StoreError if the file is no backup, or a damaged one. */
export function readBackup(path: string): BackupContent {
  const absent = new StoreError('permanent', `${path} is no backup of Watchkeeper, or not all of one.`)
  if (!existsSync(path)) throw new StoreError('permanent', `${path} does not exist.`)
  const content = withFile(path, true, database => {
    const [said] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (said !== 'ok') throw new StoreError('permanent', `The backup ${path} is damaged: take another one.`)
    const isBackup = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'backup'`).get() !== undefined
    return isBackup ? database.prepare('SELECT content FROM backup').get()?.['content'] : undefined
  })
  if (typeof content !== 'string') throw absent
  return JSON.parse(content) as BackupContent
}

/** Makes the file of a store, which must not exist, of a backup that `readBackup` has read. */
export function restoreSqliteFile(path: string, target: string): void {
  try {
    copyFileSync(path, target, constants.COPYFILE_EXCL)
    withFile(target, false, database => database.exec('PRAGMA synchronous = FULL; DROP TABLE backup'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(target, { force: true })
    throw error
  }
}

function withFile<T>(path: string, readOnly: boolean, run: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(path, { readOnly, timeout: 0 })
    return run(database)
  } catch (error) {
    const { kind, message } = failureOf(error, path)
    throw new StoreError(kind, message, error)
  } finally {
    database?.close()
  }
}
