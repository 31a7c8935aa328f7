// Runs one operation of the sqlite adapter against the open file, in the worker, inside the transaction that it opened. A guard that does
// not hold and a taken name are outcomes, everything else is thrown.
import type { StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { PutMode } from '#shared/store/port.ts'
import { isUniqueViolation } from '#shared/store/sqlite-errors.ts'
import type { SqliteFile } from '#shared/store/sqlite-file.ts'
import { charactersOf, type Operation, type Outcome } from '#shared/store/sqlite-messages.ts'
import type { SqlValue } from '#shared/store/sqlite-query.ts'
import { quoted } from '#shared/store/sqlite-schema.ts'

/** written, refused, taken: see PutResult. */
type Letter = 'w' | 'r' | 't'

/**
 * Runs one operation. Where its rows fill more than one answer, `tell` is given all but the last part of their values, a part at a time,
 * and must have sent it when it returns.
 */
export function runOperation(file: SqliteFile, operation: Operation, tell: (values: SqlValue[]) => void): Outcome {
  switch (operation.kind) {
    case 'put':
      return operation.puts.map(({ mode, collection, rows }) => put(file, mode, collection, rows))
    case 'rows':
      return readRows(file.statement(operation.text), [operation.parameters], tell)
    case 'numbers':
      return readNumbers(file.statement(operation.text), operation.parameters)
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
    case 'commits':
      return file.commits()
  }
}

/** The values of the rows that the runs find, one after the other, without what was told already. */
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

/** All rows at once: their query bounds them, and one by one they are twice as dear. */
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
    if (isUniqueViolation(error)) return 't'
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
