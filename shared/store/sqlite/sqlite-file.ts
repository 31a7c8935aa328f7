// The open SQLite file of the writing thread: its pragmas, lock, schema, prepared statements and count of commits. With WAL and synchronous
// NORMAL, a killed process loses no acknowledged write. After a power failure the file is intact, but it may lack the latest commits;
// keepers then read the reports of these commits from the observation stream again. The space of deleted rows is used again.
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { numberToReach } from '#shared/store/migrations/migrate.ts'
import type { Migration } from '#shared/store/migrations/migration.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { StoreError } from '#shared/store/port.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import { usedByAnother } from '#shared/store/sqlite/sqlite-errors.ts'
import { type Gathered, openGathered } from '#shared/store/sqlite/sqlite-gathered.ts'
import { lockPath, lockSqliteFile } from '#shared/store/sqlite/sqlite-lock.ts'
import { openMark } from '#shared/store/sqlite/sqlite-mark.ts'
import {
  indexNames,
  quoted,
  schemaStatements,
  tableColumns,
  type WriteStatements,
  writeStatements,
} from '#shared/store/sqlite/sqlite-schema.ts'
import { createStatements } from '#shared/store/sqlite/sqlite-statements.ts'

export interface SqliteFile {
  /** Returns the prepared statement of an SQL text. The statement returns rows as arrays. */
  statement(text: string): StatementSync
  writes(collection: CollectionName): WriteStatements
  /** Returns the small tables of a gathered collection; null: the collection is not gathered. */
  gathered(collection: CollectionName): Gathered | null
  run(text: string): void
  /** Called after a rollback. Gathered collections then read the ids of their small tables again at their next use. */
  markStale(): void
  /** Commits a transaction. A commit with `changes` is counted, and a later start checks that the file contains all counted commits. */
  commit(changes: boolean): void
  /** Number of commits with changes since the file was created. */
  commits(): number
  inTransaction(): boolean
  close(): void
}

/** SQLite's default page size. */
const pageBytes = 4_096

const names = Object.keys(collections) as CollectionName[]

/**
 * Opens and locks the file. Throws a permanent StoreError if another process uses the file, if the file is not migrated
 * (sqlite-migrate.ts), or if the path is a folder. `list`: the migrations of this program.
 */
export function openSqliteFile(path: string, list: readonly Migration[] = migrations): SqliteFile {
  refuseFolders(path)
  const lock = lockSqliteFile(path)
  const database = openFile(path, lock, list)
  const statement = createStatements(database)
  let commits = readCommits(database)
  const mark = openMark(path, commits)
  const writes = new Map<CollectionName, WriteStatements>()
  const gathered = new Map<CollectionName, Gathered>()
  for (const collection of names) {
    writes.set(collection, writeStatements(collection))
    if (collections[collection].gathered) gathered.set(collection, openGathered(database, collection))
  }
  return {
    statement,
    writes: collection => writes.get(collection) as WriteStatements,
    gathered: collection => gathered.get(collection) ?? null,
    run: text => void statement(text).run(),
    markStale: () => {
      for (const one of gathered.values()) one.markStale()
    },
    commit: changes => {
      if (changes) statement('UPDATE progress SET commits = ?').run(commits + 1)
      statement('COMMIT').run()
      if (changes) mark.note(++commits)
    },
    commits: () => commits,
    inTransaction: () => database.isTransaction,
    close: () => {
      database.close()
      mark.close(commits)
      lock.close()
    },
  }
}

/**
 * Throws a permanent StoreError for a folder. For a folder, SQLite reports only that it cannot open the file, which looks as if a retry
 * could help.
 */
export function refuseFolders(path: string): void {
  for (const file of [path, lockPath(path)]) {
    if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) continue
    throw new StoreError('permanent', `${file} is a folder where a file of the embedded store must be: move it away.`)
  }
}

function openFile(path: string, lock: DatabaseSync, list: readonly Migration[]): DatabaseSync {
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
    prepareSchema(database, list)
    // Flushes all commits to the file, because the mark that is opened next stores them as durable.
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
    return database
  } catch (error) {
    database.close()
    lock.close()
    throw usedByAnother(error)
  }
}

function prepareSchema(database: DatabaseSync, list: readonly Migration[]): void {
  const number = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  const isMigrating = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'migration'`).get() !== undefined
  if (number !== 0 && (numberToReach({ number }, { list }) > number || isMigrating)) {
    throw new StoreError('permanent', 'The data folder must be converted for this version: start Watchkeeper on it.')
  }
  database.exec(`
    PRAGMA user_version = ${latestNumber(list)};
    CREATE TABLE IF NOT EXISTS progress (commits INTEGER NOT NULL);
    INSERT INTO progress SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM progress)`)
  for (const collection of names) {
    const [table = '', ...rest] = schemaStatements(collection)
    database.exec(table)
    requireColumns(database, collection)
    dropFormerIndexes(database, collection)
    for (const statement of rest) database.exec(statement)
  }
}

/**
 * Drops the indexes of this collection that an earlier declaration named, because each costs time at each write. A program with that
 * declaration creates them again when it starts. Indexes of other names are left.
 */
function dropFormerIndexes(database: DatabaseSync, collection: CollectionName): void {
  const declared = new Set(indexNames(collection))
  const present = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?`).all(collection)
  for (const name of present.map(row => String(row['name']))) {
    if (name.startsWith(`${collection}.`) && !declared.has(name)) database.exec(`DROP INDEX ${quoted(name)}`)
  }
}

/** Throws if a table in the file lacks a column that this version declares, and that no migration has added. */
function requireColumns(database: DatabaseSync, collection: CollectionName): void {
  const present = new Set(
    database
      .prepare(`PRAGMA table_info(${quoted(collection)})`)
      .all()
      .map(({ name }) => name),
  )
  const missing = tableColumns(collection).find(name => !present.has(name))
  if (missing === undefined) return
  const cause = `its table ${collection} has no column ${missing}`
  throw new StoreError(
    'permanent',
    `The data folder was written by another version (${cause}): start that version, or move the folder away.`,
  )
}

/** Returns the number of commits of a file that has the table `progress`. */
export function readCommits(database: DatabaseSync): number {
  return Number(database.prepare('SELECT commits FROM progress').get()?.['commits'] ?? 0)
}
