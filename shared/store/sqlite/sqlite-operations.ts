// Execution of one operation of the SQLite adapter, in the worker, within its open transaction. A failed guard and a taken unique value are
// outcomes; all other errors are thrown.
import type { StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { PutMode } from '#shared/store/port.ts'
import { isUniqueViolation } from '#shared/store/sqlite/sqlite-errors.ts'
import type { SqliteFile } from '#shared/store/sqlite/sqlite-file.ts'
import { charactersOf, type Operation, type Outcome, type RowsToPut } from '#shared/store/sqlite/sqlite-messages.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { quoted } from '#shared/store/sqlite/sqlite-schema.ts'

/** First letter of a PutResult: written, refused, taken. */
type Letter = 'w' | 'r' | 't'

/**
 * Runs one operation and returns its outcome. If its rows exceed one message, `emit` gets all parts of the values but the last, and must
 * have sent each part when it returns.
 */
export function runOperation(file: SqliteFile, operation: Operation, emit: (values: SqlValue[]) => void): Outcome {
  switch (operation.kind) {
    case 'put':
      return putAll(file, operation.puts)
    case 'rows':
      return readRows(file.statement(operation.text), [operation.parameters], emit)
    case 'numbers':
      return readNumbers(file.statement(operation.text), operation.parameters)
    case 'rowsByKey':
      return readRows(
        file.statement(operation.text),
        operation.keys.map(key => [key]),
        emit,
      )
    case 'change':
      return Number(file.statement(operation.text).run(...operation.parameters).changes)
    case 'changeByKey': {
      const statement = file.statement(operation.text)
      return operation.keys.reduce((sum, key) => sum + Number(statement.run(key).changes), 0)
    }
    case 'commits':
      return file.commits()
  }
}

/** Returns the values of the rows that the runs find, concatenated, without those given to `emit`. */
function readRows(statement: StatementSync, runs: readonly SqlValue[][], emit: (values: SqlValue[]) => void): SqlValue[] {
  let values: SqlValue[] = []
  let characters = 0
  for (const parameters of runs) {
    for (const row of statement.iterate(...parameters) as Iterable<unknown> as Iterable<SqlValue[]>) {
      values.push(...row)
      characters += charactersOf(row)
      if (characters < limits.store.workerCharacters) continue
      emit(values)
      values = []
      characters = 0
    }
  }
  return values
}

/** Reads all rows at once, which their query bounds; reading them one by one takes twice as long. */
function readNumbers(statement: StatementSync, parameters: readonly SqlValue[]): Float64Array<ArrayBuffer> {
  const rows = statement.all(...parameters) as unknown as [number, number][]
  const numbers = new Float64Array(2 * rows.length)
  let at = rows.length
  for (const [place, value] of rows) {
    at--
    numbers[at] = place
    numbers[rows.length + at] = value
  }
  return numbers
}

function putAll(file: SqliteFile, puts: readonly RowsToPut[]): string[] {
  let isLost = false
  return puts.map(({ mode, collection, rows, isClaim }) => {
    if (isLost) return 'r'.repeat(rows.length / file.writes(collection).width)
    const letters = put(file, mode, collection, rows)
    isLost = isClaim && /[rt]/.test(letters)
    return letters
  })
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

/** Puts one row. A collision on the id counts as a failed guard, even if another unique value collides too. */
function putRow(statement: StatementSync, row: SqlValue[]): Letter {
  try {
    return statement.run(...row).changes === 1 ? 'w' : 'r'
  } catch (error) {
    if (isUniqueViolation(error)) return 't'
    throw error
  }
}

/** Replaces one row. A refused replacement counts as written if the stored row has its revision and writer: an earlier attempt wrote it. */
function replaceRow(file: SqliteFile, statement: StatementSync, collection: CollectionName, row: SqlValue[]): Letter {
  const letter = putRow(statement, row)
  if (letter !== 'r') return letter
  const writer = (body: string) => `json_extract(${body}, '$.writer')`
  const mine = `SELECT 1 FROM ${quoted(collection)} WHERE id = ? AND rev = ? AND ${writer('body')} = ${writer('?')}`
  const found = file.statement(mine).all(row[0] as string, row[1] as number, row.at(-1) as string)
  return found.length > 0 ? 'w' : 'r'
}
