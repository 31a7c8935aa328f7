// Collection of the SQLite file with gathered inserts (ADR 34). A new row is appended to one of two small tables, and merged into the main
// table later, together with other rows in the order of ids. This code keeps the ids in the small tables in memory. The small tables are
// part of the file, so a crash loses no row.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { quoted, recentTables, tableColumns } from '#shared/store/sqlite/sqlite-schema.ts'

export interface Gathered {
  /** Inserts one row, in the order of the table's columns. Returns false if its id exists. */
  insert(row: readonly SqlValue[]): boolean
  /** Returns the row with this id from the small tables; null: the small tables do not have the id, but the main table may have it. */
  row(id: string): SqlValue[] | null
  /**
   * Deletes a row from the small tables. Returns true if a small table had the row. The caller must also delete it from the main table,
   * which may have a merged copy.
   */
  forget(id: string): boolean
  /** Returns the ids with `from` <= id < `to` in the small tables, in no order. */
  idsBetween(from: string, to: string): string[]
  /** Called after a rollback. At the next use, the ids in the small tables are read again. */
  markStale(): void
}

interface Recent {
  /** Row numbers by id. A merged row stays in the small table until all rows of this table are merged. */
  rows: Map<string, number>
  insert: StatementSync
  read: StatementSync
  delete: StatementSync
  clear: StatementSync
  merge: StatementSync
  all: StatementSync
  /** Reads the row numbers of the rows that the main table lacks, in descending order of ids. */
  left: StatementSync
}

/** Number of rows that are merged at each insert. With two, one small table is merged before the other is full. */
const mergedPerInsert = 2

/** Opens the collection with the rows that the last run left in the small tables. `most`: maximum of rows in one small table. */
export function openGathered(
  database: DatabaseSync,
  collection: CollectionName,
  most: number = limits.store.gatheredRows,
): Gathered {
  const isStored = database.prepare(`SELECT 1 FROM ${quoted(collection)} WHERE id = ?`)
  /** The first table takes inserts; the rows of the second table are merged. */
  let tables = recentTables(collection).map(name => openRecent(database, collection, name)) as [Recent, Recent]
  /** Row numbers of the second table's rows that are not merged yet, in descending order of ids. */
  let left: number[] = []
  let isStale = true

  const swap = () => {
    tables = [tables[1], tables[0]]
    left = [...tables[1].rows].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, row]) => row)
  }
  const merge = (count: number) => {
    const [, merged] = tables
    for (let i = 0; i < count && left.length > 0; i++) {
      merged.merge.run(left.at(-1) as number)
      left.pop()
    }
    if (left.length > 0 || merged.rows.size === 0) return
    merged.clear.run()
    merged.rows.clear()
  }
  const fresh = () => {
    if (!isStale) return tables
    for (const { rows, all } of tables) {
      rows.clear()
      for (const [id, row] of all.all() as unknown as [string, number][]) rows.set(id, row)
    }
    if (tables[0].rows.size > tables[1].rows.size) tables = [tables[1], tables[0]]
    left = (tables[1].left.all() as unknown as [number][]).map(([row]) => row)
    isStale = false
    return tables
  }
  return {
    insert: row => {
      const [filled, merged] = fresh()
      const id = row[0] as string
      if (filled.rows.has(id) || merged.rows.has(id) || isStored.get(id) !== undefined) return false
      filled.rows.set(id, Number(filled.insert.run(...row).lastInsertRowid))
      merge(mergedPerInsert)
      if (filled.rows.size >= most && merged.rows.size === 0) swap()
      return true
    },
    row: id => {
      for (const { rows, read } of fresh()) {
        const row = rows.get(id)
        if (row !== undefined) return read.get(row) as unknown as SqlValue[]
      }
      return null
    },
    forget: id => {
      let isFound = false
      for (const { rows, delete: remove } of fresh()) {
        const row = rows.get(id)
        if (row === undefined) continue
        remove.run(row)
        isFound = rows.delete(id)
      }
      return isFound
    },
    idsBetween: (from, to) => fresh().flatMap(({ rows }) => [...rows.keys()].filter(id => id >= from && id < to)),
    markStale: () => {
      isStale = true
    },
  }
}

function openRecent(database: DatabaseSync, collection: CollectionName, name: string): Recent {
  const table = quoted(name)
  const columns = tableColumns(collection).map(quoted).join(', ')
  const prepare = (text: string) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return statement
  }
  const given = tableColumns(collection).map(() => '?')
  return {
    rows: new Map(),
    insert: prepare(`INSERT INTO ${table} (${columns}) VALUES (${given.join(', ')})`),
    read: prepare(`SELECT ${columns} FROM ${table} WHERE rowid = ?`),
    delete: prepare(`DELETE FROM ${table} WHERE rowid = ?`),
    clear: prepare(`DELETE FROM ${table}`),
    merge: prepare(
      `INSERT INTO ${quoted(collection)} (${columns}) SELECT ${columns} FROM ${table} WHERE rowid = ? ON CONFLICT (id) DO NOTHING`,
    ),
    all: prepare(`SELECT id, rowid FROM ${table}`),
    left: prepare(
      `SELECT rowid FROM ${table} AS recent WHERE NOT EXISTS (SELECT 1 FROM ${quoted(collection)} WHERE id = recent.id) ORDER BY id DESC`,
    ),
  }
}
