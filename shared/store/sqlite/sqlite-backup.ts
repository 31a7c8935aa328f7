// Backups: a copy of the SQLite file, with further content in a table of its own. A backup can be made while the store is in use, and
// restored as the file of a store.
import { constants, copyFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { type BackupContent, StoreError } from '#shared/store/port.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import { failureOf, isNoDatabase } from '#shared/store/sqlite/sqlite-errors.ts'

/**
 * Number of pages in one step of a copy: more than any file has, so that one step copies the whole file. A copy in several steps would
 * start again after each write to the file.
 */
const allPages = 2 ** 31 - 1

/**
 * Writes a backup into a new file. The copy has its own connection and runs in a thread of the pool, so it blocks no writer. During the
 * copy, the write-ahead log grows, because it cannot be checkpointed.
 */
export async function backUpSqliteFile(path: string, target: string, content: BackupContent): Promise<void> {
  const database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
  try {
    await backup(database, target, { rate: allPages })
  } finally {
    database.close()
  }
  completeBackup(target, content)
}

/** Makes the file of a store, which nothing has open, a backup with this content. */
export function completeBackup(path: string, content: BackupContent): void {
  const copy = new DatabaseSync(path)
  try {
    // This table is written last, so that an unfinished copy is not accepted as a backup.
    copy.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; CREATE TABLE backup (content TEXT NOT NULL)')
    copy.prepare('INSERT INTO backup VALUES (?)').run(JSON.stringify(content))
  } finally {
    copy.close()
  }
}

/**
 * Returns the content that a backup has in addition to the store. Throws a permanent StoreError if the file is not a backup, or
 * is damaged.
 */
export function readBackup(path: string): BackupContent {
  const absent = new StoreError('permanent', noBackup(path))
  if (!existsSync(path)) throw new StoreError('permanent', `${path} does not exist.`)
  if (!statSync(path).isFile()) throw absent
  const content = withFile(path, true, database => {
    const [said] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (said !== 'ok') throw new StoreError('permanent', `The backup ${path} is damaged: take another one.`)
    const isBackup = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'backup'`).get() !== undefined
    return isBackup ? database.prepare('SELECT content FROM backup').get()?.['content'] : undefined
  })
  if (typeof content !== 'string') throw absent
  return JSON.parse(content) as BackupContent
}

const noBackup = (path: string): string =>
  `${path} is no backup of Watchkeeper, or not all of one: name a file that \`backup\` wrote.`

/** Creates the file of a store from a backup that `readBackup` has accepted. The file must not exist. */
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
    if (isNoDatabase(error)) throw new StoreError('permanent', noBackup(path), error)
    const { kind, message } = failureOf(error, path)
    throw new StoreError(kind, message, error)
  } finally {
    database?.close()
  }
}
