// Small inline reads of the SQLite file on the caller's thread, beside the writing thread (ADR 16). With a write-ahead log, a read never
// waits for the writer. A message to the worker and back would take longer than a read of microseconds. Leaves longer reads to the worker.
// Slowest percent of API reads at 2,014 checks a second: 11.9 ms, 20.0 by the worker alone (ADR 33).
import { DatabaseSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import type { Sql, SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { createStatements } from '#shared/store/sqlite/sqlite-statements.ts'

/**
 * Each read returns the values of the found rows, concatenated, as committed at the call. It returns null if the worker has to read: for
 * too many rows, without an index, if this turn's budget is used up, or if the file cannot be read now.
 */
export interface SqliteReader {
  /** `limit`: the maximum of rows that the query finds. */
  rows(sql: Sql, limit: number): SqlValue[] | null
  /** Runs the statement once for each key. */
  rowsByKey(text: string, keys: readonly string[]): SqlValue[] | null
  close(): void
}

const { rows: rowsMax, rowsPerTurn, cacheKib } = limits.store.near

/** Opens a file that the worker has already opened. */
export function openSqliteReader(path: string): SqliteReader {
  const database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
  database.exec(`PRAGMA cache_size = -${cacheKib}`)
  const statement = createStatements(database)
  const isServed = createPlans(database)
  const turn = createTurn()
  /** Statements that have found too many rows for an inline read. */
  const long = new Set<string>()
  const read = (text: string, attempt: () => SqlValue[][] | null): SqlValue[] | null => {
    if (long.has(text) || turn.isSpent() || !database.isOpen) return null
    try {
      if (!isServed(text)) return null
      const found = attempt()
      turn.spend(found?.length ?? rowsMax)
      return found?.flat() ?? null
    } catch {
      // The worker repeats the read; if it fails there too, the worker reports the reason.
      if (database.isTransaction) database.exec('ROLLBACK')
      return null
    }
  }
  const all = (text: string, parameters: readonly SqlValue[]) => statement(text).all(...parameters) as unknown as SqlValue[][]
  /** Returns null if there are too many rows; the statement is then never run inline again. */
  const few = (text: string, parameters: readonly SqlValue[]) => {
    const found: SqlValue[][] = []
    for (const row of statement(text).iterate(...parameters)) {
      if (found.push(row as unknown as SqlValue[]) <= rowsMax) continue
      if (long.size >= limits.store.preparedStatements) long.clear()
      long.add(text)
      return null
    }
    return found
  }
  return {
    rows: ({ text, parameters }, limit) => read(text, () => (limit > rowsMax ? few : all)(text, parameters)),
    rowsByKey: (text, keys) => {
      if (keys.length > rowsMax) return null
      return read(text, () => {
        database.exec('BEGIN')
        const found = keys.flatMap(key => all(text, [key]))
        database.exec('COMMIT')
        return found
      })
    },
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/**
 * Returns a predicate: true if the cost of a statement is proportional to the rows it finds. The statement must use an index, or read a
 * whole table in index order. SQLite is asked once for each text.
 */
function createPlans(database: DatabaseSync): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return text => {
    let isServed = known.get(text)
    if (isServed === undefined) {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all()
      const scans = steps.map(({ detail }) => String(detail)).filter(detail => /^SCAN (?!json_each)/.test(detail))
      const isInOrder = !text.includes(' WHERE ') && !steps.some(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY')
      isServed = scans.length === 0 || isInOrder
      if (known.size >= limits.store.preparedStatements) known.clear()
      known.set(text, isServed)
    }
    return isServed
  }
}

/** Budget of inline reads in one turn of the event loop. Without it, a caller with many reads in a row would delay sockets and timers. */
function createTurn() {
  let left: number = rowsPerTurn
  return {
    isSpent: () => left <= 0,
    spend: (rows: number) => {
      if (left === rowsPerTurn) {
        setImmediate(() => {
          left = rowsPerTurn
        })
      }
      left -= 1 + rows
    },
  }
}
