// Gathered collection of the SQLite file: inserts are appended to a small table, and merged into the main table in the order of their ids.
// Without it, each random id would write a page. Buys 7 points of the rate of Observations with ids (ADR 34). Owns which ids the small
// tables have. The small tables are part of the file, so their rows survive a crash.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { quoted, recentTables, tableColumns } from '#shared/store/sqlite/sqlite-schema.ts'

export interface Gathered {
  /** Inserts one row, in the order of the table's columns. Returns false if its id exists. */
  insert(row: readonly SqlValue[]): boolean
  /** Returns the row of an id in the small tables; null: only the main table may have the id. */
  row(id: string): SqlValue[] | null
  /** Deletes an id from the small tables. Returns whether one had it. The main table may have the id too. */
  forget(id: string): boolean
  /** Merges all rows, so that the main table alone has the whole collection. */
  merge(): void
  /** Reads the small tables anew, because a transaction was rolled back. */
  reload(): void
}

/** One small table. */
interface Recent {
  /** Row numbers by id. A merged row stays until the whole table is merged. */
  rows: Map<string, number>
  insert: StatementSync
  read: StatementSync
  delete: StatementSync
  clear: StatementSync
  merge: StatementSync
  all: StatementSync
}

/** Rows merged for each insert: a table is merged before the other one is full. */
const mergedPerInsert = 2

/** Opens the collection with the rows that the last run left in the small tables. `most`: rows in one small table. */
export function openGathered(
  database: DatabaseSync,
  collection: CollectionName,
  most: number = limits.store.gatheredRows,
): Gathered {
  const isStored = database.prepare(`SELECT 1 FROM ${quoted(collection)} WHERE id = ?`)
  /** The first table takes inserts, the second is merged. */
  let tables = recentTables(collection).map(name => openRecent(database, collection, name)) as [Recent, Recent]
  /** Row numbers still to merge from the second table, the smallest id last. */
  let left: number[] = []

  const begin = () => {
    left = [...tables[1].rows].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, row]) => row)
  }
  const drain = (count: number) => {
    const [, merged] = tables
    for (let i = 0; i < count && left.length > 0; i++) {
      merged.merge.run(left.at(-1) as number)
      left.pop()
    }
    if (left.length > 0 || merged.rows.size === 0) return
    merged.clear.run()
    merged.rows.clear()
  }
  const swap = () => {
    tables = [tables[1], tables[0]]
    begin()
  }
  const reload = () => {
    for (const { rows, all } of tables) {
      rows.clear()
      for (const [id, row] of all.all() as unknown as [string, number][]) rows.set(id, row)
    }
    if (tables[0].rows.size > tables[1].rows.size) swap()
    else begin()
  }
  reload()
  return {
    insert: row => {
      const [filled, merged] = tables
      const id = row[0] as string
      if (filled.rows.has(id) || merged.rows.has(id) || isStored.get(id) !== undefined) return false
      filled.rows.set(id, Number(filled.insert.run(...row).lastInsertRowid))
      drain(mergedPerInsert)
      if (filled.rows.size >= most && merged.rows.size === 0) swap()
      return true
    },
    row: id => {
      for (const { rows, read } of tables) {
        const row = rows.get(id)
        if (row !== undefined) return read.get(row) as unknown as SqlValue[]
      }
      return null
    },
    forget: id => {
      let isFound = false
      for (const { rows, delete: remove } of tables) {
        const row = rows.get(id)
        if (row === undefined) continue
        remove.run(row)
        isFound = rows.delete(id)
      }
      return isFound
    },
    merge: () => {
      for (let turn = 0; turn < tables.length; turn++) {
        drain(left.length)
        swap()
      }
    },
    reload,
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
  }
}
