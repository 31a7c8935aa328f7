// The open SQLite file of the thread that writes: its pragmas, its lock, its schema, its prepared statements.
// Durability: WAL with synchronous NORMAL. A killed process loses nothing that was answered; after a power failure the file is
// intact but may lack the last moments, which the observation stream still has and repeats. Space of expired rows is re-used.
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { StoreError } from '#shared/store/port.ts'
import { columnsOf } from '#shared/store/query.ts'
import { sqliteAddress } from '#shared/store/sqlite-address.ts'
import { usedByAnother } from '#shared/store/sqlite-errors.ts'
import { bringToLayout } from '#shared/store/sqlite-layout.ts'
import { lockPath, lockSqliteFile } from '#shared/store/sqlite-lock.ts'
import { quoted, schemaStatements, tableColumns, type WriteStatements, writeStatements } from '#shared/store/sqlite-schema.ts'
import { createStatements } from '#shared/store/sqlite-statements.ts'

export interface SqliteFile {
  /** The prepared statement of a text; rows come as arrays. */
  statement(text: string): StatementSync
  writes(collection: CollectionName): WriteStatements
  run(text: string): void
  inTransaction(): boolean
  close(): void
}

/** SQLite's own page size, which the file has. */
const pageBytes = 4_096

/** Opens and locks the file. Throws a permanent StoreError where another process has it, another layout wrote it, or it is a folder. */
export function openSqliteFile(path: string): SqliteFile {
  for (const file of [path, lockPath(path)]) {
    // SQLite only says that it cannot be opened, which may pass.
    if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) continue
    throw new StoreError('permanent', `${file} is a folder where a file of the embedded store must be: move it away.`)
  }
  const lock = lockSqliteFile(path)
  const database = openFile(path, lock)
  const statement = createStatements(database)
  const writes = new Map<CollectionName, WriteStatements>()
  for (const collection of Object.keys(collections) as CollectionName[]) writes.set(collection, writeStatements(collection))
  return {
    statement,
    writes: collection => writes.get(collection) as WriteStatements,
    run: text => void statement(text).run(),
    inTransaction: () => database.isTransaction,
    close: () => {
      database.close()
      lock.close()
    },
  }
}

function openFile(path: string, lock: DatabaseSync): DatabaseSync {
  const database = new DatabaseSync(sqliteAddress(path), { timeout: 0 })
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = ${limits.store.walPages};
      PRAGMA cache_size = -${limits.store.writerCacheKib};
      PRAGMA journal_size_limit = ${limits.store.walPages * pageBytes};
      PRAGMA temp_store = MEMORY;
      BEGIN IMMEDIATE`)
    prepareSchema(database)
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    lock.close()
    throw usedByAnother(error)
  }
}

function prepareSchema(database: DatabaseSync): void {
  bringToLayout(database)
  for (const collection of Object.keys(collections) as CollectionName[]) {
    const [table = '', ...indexes] = schemaStatements(collection)
    database.exec(table)
    addMissingColumns(database, collection)
    for (const index of indexes) database.exec(index)
  }
}

/** A column declared after the file was made is added, and takes its plain values out of the bodies. */
function addMissingColumns(database: DatabaseSync, collection: CollectionName): void {
  const table = quoted(collection)
  const present = new Set(
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(column => column['name']),
  )
  for (const name of tableColumns(collection)) {
    if (present.has(name)) continue
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${quoted(name)} ${columnsOf(collection).get(name)?.toUpperCase() ?? 'TEXT'}`)
    if (collections[collection].compact) continue
    const path = `'$."${name}"'`
    database.exec(`UPDATE ${table} SET ${quoted(name)} = json_extract(body, ${path}), body = json_remove(body, ${path})
      WHERE json_type(body, ${path}) IN ('text', 'integer', 'real', 'null')`)
  }
}
