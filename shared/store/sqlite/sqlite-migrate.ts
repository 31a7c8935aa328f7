// Migrations of the SQLite file, before the store opens it. Its number is the file's `user_version`; while it is migrated, the table
// `migration` has the progress. The file's lock keeps other processes away. Before the first change a backup is written beside the file.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { type Ground, type MigrateOptions, migrate, type Progress } from '#shared/store/migrations/migrate.ts'
import type { StoredDocument } from '#shared/store/migrations/migration.ts'
import { firstNumber } from '#shared/store/migrations/migrations.ts'
import { StoreError } from '#shared/store/port.ts'
import { columnsOf } from '#shared/store/query.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import { backUpSqliteFile } from '#shared/store/sqlite/sqlite-backup.ts'
import { failureOf, usedByAnother } from '#shared/store/sqlite/sqlite-errors.ts'
import { lockSqliteFile } from '#shared/store/sqlite/sqlite-lock.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { quoted, recentTables, tableColumns, wholeOf, writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'

/** Migrates the file if it exists. Rejects with a StoreError. */
export async function migrateSqliteFile(path: string, options: MigrateOptions): Promise<void> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const lock = lockSqliteFile(path)
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(sqliteAddress(path), { timeout: 0 })
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    await migrate(groundOf(database, path, options), options)
  } catch (error) {
    const { kind, message } = failureOf(usedByAnother(error), path)
    throw new StoreError(kind, message, error)
  } finally {
    database?.close()
    lock.close()
  }
}

/** Gives a file that nothing has open another number. Throws a StoreError. */
export function renumberSqliteFile(path: string, number: number): void {
  const lock = lockSqliteFile(path)
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(sqliteAddress(path), { timeout: 0 })
    database.exec(`PRAGMA synchronous = FULL; PRAGMA user_version = ${number}`)
  } catch (error) {
    const { kind, message } = failureOf(usedByAnother(error), path)
    throw new StoreError(kind, message, error)
  } finally {
    database?.close()
    lock.close()
  }
}

function groundOf(database: DatabaseSync, path: string, options: MigrateOptions): Ground {
  const hasTable = (name: string) => database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
  const inTransaction = (run: () => void) => {
    database.exec('BEGIN IMMEDIATE')
    run()
    database.exec('COMMIT')
  }
  const noteInside = ({ number, done, after }: Progress) => {
    database.exec('DROP TABLE IF EXISTS migration')
    if (done < number) {
      database.exec('CREATE TABLE migration (done INTEGER NOT NULL, after TEXT NOT NULL)')
      database.prepare('INSERT INTO migration VALUES (?, ?)').run(done, after)
    }
    database.exec(`PRAGMA user_version = ${number}`)
  }
  return {
    progress: async () => {
      const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
      if (version === 0 && !hasTable('progress')) return null
      const number = version || firstNumber
      const row = hasTable('migration') ? database.prepare('SELECT done, after FROM migration').get() : undefined
      return { number, done: Number(row?.['done'] ?? number), after: String(row?.['after'] ?? '') }
    },
    note: async progress => inTransaction(() => noteInside(progress)),
    keep: release => copyFile(path, release, options),
    prepare: async ({ collection, columns = [], dropIndexes = [] }) =>
      inTransaction(() => {
        for (const name of dropIndexes) database.exec(`DROP INDEX IF EXISTS ${quoted(`${collection}.${name}`)}`)
        if (collections[collection].gathered) mergeRecent(database, collection)
        for (const column of columns) addColumn(database, collection, column)
      }),
    page: async (collection, after) => {
      const names = tableColumns(collection).map(quoted).join(', ')
      const read = database.prepare(`SELECT ${names} FROM ${quoted(collection)} WHERE id > ? ORDER BY id LIMIT ?`)
      read.setReturnArrays(true)
      const rows = read.all(after, limits.store.migration.pageDocuments) as unknown as SqlValue[][]
      return rowCodec(collection).decode(null, rows.flat())
    },
    write: async ({ collection, change }, documents, progress) =>
      inTransaction(() => {
        const upsert = database.prepare(writeStatements(collection).upsert)
        for (const document of documents) {
          const changed = change?.(document) ?? null
          if (changed !== null) upsert.run(...rowOf(collection, changed))
        }
        noteInside(progress)
      }),
  }
}

function rowOf(collection: CollectionName, document: StoredDocument): SqlValue[] {
  const row: SqlValue[] = []
  rowCodec(collection).encode(document, row)
  return row
}

/** Moves the rows of the small tables into the main table, and drops the view and the small tables; a start creates them again. */
function mergeRecent(database: DatabaseSync, collection: CollectionName): void {
  database.exec(`DROP VIEW IF EXISTS ${quoted(wholeOf(collection))}`)
  for (const name of recentTables(collection)) {
    const present = database
      .prepare(`PRAGMA table_info(${quoted(name)})`)
      .all()
      .map(column => quoted(String(column['name'])))
    if (present.length === 0) continue
    const columns = present.join(', ')
    database.exec(`INSERT OR IGNORE INTO ${quoted(collection)} (${columns}) SELECT ${columns} FROM ${quoted(name)}`)
    database.exec(`DROP TABLE ${quoted(name)}`)
  }
}

function addColumn(database: DatabaseSync, collection: CollectionName, column: string): void {
  const present = database.prepare(`PRAGMA table_info(${quoted(collection)})`).all()
  if (present.length === 0 || present.some(({ name }) => name === column)) return
  const type = columnsOf(collection).get(column) ?? 'text'
  database.exec(`ALTER TABLE ${quoted(collection)} ADD COLUMN ${quoted(column)} ${type.toUpperCase()}`)
}

/** Writes a backup beside the file; it replaces an earlier one of the same release only when it is complete. */
async function copyFile(path: string, release: string, { content, tell }: MigrateOptions): Promise<void> {
  const target = join(dirname(path), `backup-of-${release}.db`)
  const draft = `${target}.draft`
  for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${ending}`, { force: true })
  const bytes = sizeOf(path) + sizeOf(`${path}-wal`)
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < bytes) {
    throw new StoreError(
      'permanent',
      `Before the conversion, the store is copied to ${target}, but the disk has ${megabytes(bavail * bsize)} free and the copy needs ` +
        `${megabytes(bytes)}: make room and start again. Nothing was changed.`,
    )
  }
  closeSync(openSync(draft, 'wx', 0o600))
  try {
    await backUpSqliteFile(path, draft, await content())
    flush(draft)
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    const why = `The store could not be copied to ${target} (${(error as Error).message}): make room and start again. Nothing was changed.`
    throw new StoreError('permanent', why, error)
  }
  if (process.platform !== 'win32') flush(dirname(path))
  tell(`Its copy is ${target}: with it, ./watchkeeper restore of version ${release} brings back the store as it was.`)
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)
const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`

function flush(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
