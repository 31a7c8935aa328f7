// Runs one operation of the sqlite adapter against the open file, and says what its errors mean. Runs in the worker, inside the
// transaction of a drain; a guard that does not hold and a taken name are outcomes, everything else is thrown.
import type { StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { type PutMode, StoreError } from '#shared/store/port.ts'
import type { SqliteFile } from '#shared/store/sqlite-file.ts'
import { charactersOf, type Failure, type Operation, type Outcome } from '#shared/store/sqlite-messages.ts'
import type { SqlValue } from '#shared/store/sqlite-query.ts'
import { quoted } from '#shared/store/sqlite-schema.ts'

type Letter = 'w' | 'r' | 't'

const uniqueViolation = 2067

/** Results of SQLite (busy, locked, out of memory, read-only, input and output, full, cannot open) after which a retry may succeed. */
const passing = new Set([5, 6, 7, 8, 10, 13, 14])

/** `tell` is given what the rows found have beyond the outcome, as often as one answer is full, and must be done with it. */
export function runOperation(file: SqliteFile, operation: Operation, tell: (values: SqlValue[]) => void): Outcome {
  switch (operation.kind) {
    case 'put':
      return operation.puts.map(({ mode, collection, rows }) => put(file, mode, collection, rows))
    case 'rows':
      return readRows(file.statement(operation.text), [operation.parameters], tell)
    case 'rowsByKey':
      return readRows(
        file.statement(operation.text),
        operation.keys.map(key => [key]),
        tell,
      )
    case 'change':
      return Number(file.statement(operation.text).run(...operation.parameters).changes)
    case 'changeByKey': {
      const statement = file.statement(operation.text)
      return operation.keys.reduce((sum, key) => sum + Number(statement.run(key).changes), 0)
    }
    case 'nothing':
      return 0
  }
}

/** The values of the rows of one run after the other, but for what was told. */
function readRows(statement: StatementSync, runs: readonly SqlValue[][], tell: (values: SqlValue[]) => void): SqlValue[] {
  let values: SqlValue[] = []
  let characters = 0
  for (const parameters of runs) {
    for (const row of statement.iterate(...parameters) as Iterable<unknown> as Iterable<SqlValue[]>) {
      values.push(...row)
      characters += charactersOf(row)
      if (characters < limits.store.workerCharacters) continue
      tell(values)
      values = []
      characters = 0
    }
  }
  return values
}

/** Results of SQLite (corrupt, not a database) after which nothing helps but another file. */
const damaged = new Set([11, 26])

/** What an error of the file at `path` means to the caller. Messages of SQLite name tables and columns, never values. */
export function failureOf(error: unknown, path: string): Failure {
  if (error instanceof StoreError) return { kind: error.kind, message: error.message }
  const { errcode, message } = error as { errcode?: number; message: string }
  if (errcode !== undefined && damaged.has(errcode % 256)) {
    const advice = 'restore it from a backup, or move it away to begin anew'
    return { kind: 'permanent', message: `The file ${path} is damaged or none of Watchkeeper's (${message}): ${advice}.` }
  }
  const kind = errcode !== undefined && passing.has(errcode % 256) ? 'unavailable' : 'permanent'
  return { kind, message: `The embedded store failed: ${message}.` }
}

function put(file: SqliteFile, mode: PutMode, collection: CollectionName, rows: readonly SqlValue[]): string {
  const statements = file.writes(collection)
  const insert = file.statement(statements.insert)
  const statement = file.statement(statements[mode])
  const inPlace = statements.replaceInPlace === null ? null : file.statement(statements.replaceInPlace)
  let letters = ''
  for (let at = 0; at < rows.length; at += statements.width) {
    const row = rows.slice(at, at + statements.width)
    if (mode !== 'replace') letters += putRow(statement, row)
    else if (inPlace !== null && row[1] !== 1 && putRow(inPlace, row) === 'w') letters += 'w'
    else letters += replaceRow(file, row[1] === 1 ? insert : statement, collection, row)
  }
  return letters
}

/** A collision on the id is a guard that does not hold, even where another unique value collides as well. */
function putRow(statement: StatementSync, row: SqlValue[]): Letter {
  try {
    return statement.run(...row).changes === 1 ? 'w' : 'r'
  } catch (error) {
    if ((error as { errcode?: number }).errcode === uniqueViolation) return 't'
    throw error
  }
}

/** A refused replacement whose own revision is the stored one, by the same writer, was written by an earlier try. */
function replaceRow(file: SqliteFile, statement: StatementSync, collection: CollectionName, row: SqlValue[]): Letter {
  const letter = putRow(statement, row)
  if (letter !== 'r') return letter
  const writer = (body: string) => `json_extract(${body}, '$.writer')`
  const mine = `SELECT 1 FROM ${quoted(collection)} WHERE id = ? AND rev = ? AND ${writer('body')} = ${writer('?')}`
  const found = file.statement(mine).all(row[0] as string, row[1] as number, row.at(-1) as string)
  return found.length > 0 ? 'w' : 'r'
}
