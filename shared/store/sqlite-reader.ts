// Small reads of the SQLite file on the asker's own thread, beside the thread that writes (ADR 16): a read of the write-ahead log waits
// for no writer, and what takes microseconds is not worth two changes of thread. Whatever may take longer is left to the worker.
import { DatabaseSync } from 'node:sqlite'
import { limits } from '#shared/limits.ts'
import { sqliteAddress } from '#shared/store/sqlite-address.ts'
import type { Sql, SqlValue } from '#shared/store/sqlite-query.ts'
import { createStatements } from '#shared/store/sqlite-statements.ts'

/**
 * Each read answers the values of the rows found, one after the other, as they were committed when it was asked; or null where the
 * worker must be asked: many rows, no index, enough read in this turn of the loop, or a file that cannot be read at this moment.
 */
export interface SqliteReader {
  /** `limit`: the most rows that the query finds. */
  rows(sql: Sql, limit: number): SqlValue[] | null
  /** The same statement once for each key. */
  rowsByKey(text: string, keys: readonly string[]): SqlValue[] | null
  close(): void
}

const { rows: rowsMax, rowsPerTurn, cacheKib } = limits.store.near

/** Opens a file that the worker has opened already. */
export function openSqliteReader(path: string): SqliteReader {
  const database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
  database.exec(`PRAGMA cache_size = -${cacheKib}`)
  const statement = createStatements(database)
  const isServed = createPlans(database)
  const turn = createTurn()
  /** Statements that have found more than is read here. */
  const long = new Set<string>()
  const read = (text: string, attempt: () => SqlValue[][] | null): SqlValue[] | null => {
    if (long.has(text) || turn.isSpent() || !database.isOpen) return null
    try {
      if (!isServed(text)) return null
      const found = attempt()
      turn.spend(found?.length ?? rowsMax)
      return found?.flat() ?? null
    } catch {
      // The worker meets the same and says what it means, or does not meet it.
      if (database.isTransaction) database.exec('ROLLBACK')
      return null
    }
  }
  const all = (text: string, parameters: readonly SqlValue[]) => statement(text).all(...parameters) as unknown as SqlValue[][]
  /** Null, and never again, where there are more. */
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
 * Whether what a statement costs is what it finds, asked of SQLite once a text: an index leads to its rows, or it asks for all there are in
 * the order of one.
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

/** What may still be read in this turn of the loop: who reads one thing after another lets sockets and timers have their turn. */
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
