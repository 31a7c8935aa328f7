// Execution of one operation of the SQLite adapter, in the worker, within its open transaction. If a guard fails or a unique value is
// taken, this is an outcome; all other errors are thrown.
import type { StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { PutMode } from '#shared/store/port.ts'
import { isUniqueViolation } from '#shared/store/sqlite/sqlite-errors.ts'
import type { SqliteFile } from '#shared/store/sqlite/sqlite-file.ts'
import type { Gathered } from '#shared/store/sqlite/sqlite-gathered.ts'
import { charactersOf, type Operation, type Outcome, type RowsToPut } from '#shared/store/sqlite/sqlite-messages.ts'
import { deleteRangeSql, type SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { quoted } from '#shared/store/sqlite/sqlite-schema.ts'

/** First letter of a PutResult: `written`, `refused` or `taken`. */
type Letter = 'w' | 'r' | 't'

/**
 * Runs one operation and returns its outcome. If the found values do not fit one message, passes them to `emit` in parts, and returns only
 * the last part. `emit` must send a part before it returns.
 */
export function runOperation(file: SqliteFile, operation: Operation, emit: (values: SqlValue[]) => void): Outcome {
  switch (operation.kind) {
    case 'put':
      return putAll(file, operation.puts)
    case 'rows':
      return readRows(run(file, operation.text, [operation.parameters]), emit)
    case 'numbers':
      return readNumbers(file.statement(operation.text), operation.parameters)
    case 'rowsByKey':
      return readRows(rowsByKey(file, operation), emit)
    case 'change':
      return Number(file.statement(operation.text).run(...operation.parameters).changes)
    case 'deleteRange':
      return deleteRange(file, operation)
    case 'changeByKey':
      return changeByKey(file, operation)
    case 'commits':
      return file.commits()
  }
}

type OfKeys<K> = Extract<Operation, { kind: K }>

/** Runs the statement once for each list of parameters, and yields the found rows. */
function* run(file: SqliteFile, text: string, runs: Iterable<SqlValue[]>): Iterable<SqlValue[]> {
  const statement = file.statement(text)
  for (const parameters of runs) yield* statement.iterate(...parameters) as Iterable<unknown> as Iterable<SqlValue[]>
}

function* rowsByKey(file: SqliteFile, { collection, text, keys }: OfKeys<'rowsByKey'>): Iterable<SqlValue[]> {
  const gathered = file.gathered(collection)
  for (const key of keys) {
    const recent = gathered?.row(key) ?? null
    if (recent !== null) yield recent
    else yield* run(file, text, [[key]])
  }
}

function changeByKey(file: SqliteFile, { collection, text, keys }: OfKeys<'changeByKey'>): number {
  const gathered = file.gathered(collection)
  const statement = file.statement(text)
  let changes = 0
  for (const key of keys) {
    const isRecent = gathered?.forget(key) ?? false
    const changed = Number(statement.run(key).changes)
    changes += isRecent ? 1 : changed
  }
  return changes
}

/** Deletes up to `limit` rows: first rows that the small tables have, then rows of the main table until the limit is reached. */
function deleteRange(file: SqliteFile, { collection, from, to, limit }: OfKeys<'deleteRange'>): number {
  const recent = file.gathered(collection)?.idsBetween(from, to).slice(0, limit) ?? []
  const text = `DELETE FROM ${quoted(collection)} WHERE id = ?`
  const deleted = changeByKey(file, { kind: 'changeByKey', collection, text, keys: recent })
  if (deleted >= limit) return deleted
  const rest = deleteRangeSql(collection, from, to, limit - deleted)
  return deleted + Number(file.statement(rest.text).run(...rest.parameters).changes)
}

/**
 * Returns the values of the rows, concatenated. If the values do not fit into one message, splits them into parts, passes each part but the
 * last to `emit`, and returns the last part.
 */
function readRows(rows: Iterable<SqlValue[]>, emit: (values: SqlValue[]) => void): SqlValue[] {
  let values: SqlValue[] = []
  let characters = 0
  for (const row of rows) {
    values.push(...row)
    characters += charactersOf(row)
    if (characters < limits.store.workerCharacters) continue
    emit(values)
    values = []
    characters = 0
  }
  return values
}

/** Reads all rows at once, because reading them one by one takes twice as long. The query bounds the number of rows. */
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
  const gathered = file.gathered(collection)
  const inPlace = statements.replaceInPlace === null ? null : file.statement(statements.replaceInPlace)
  let letters = ''
  for (let at = 0; at < rows.length; at += statements.width) {
    const row = rows.slice(at, at + statements.width)
    if (gathered !== null) letters += putGathered(gathered, mode, statement, row)
    else if (mode !== 'replace') letters += putRow(statement, row)
    else if (inPlace !== null && row[1] !== 1 && putRow(inPlace, row) === 'w') letters += 'w'
    else letters += replaceRow(file, row[1] === 1 ? insert : statement, collection, row)
  }
  return letters
}

/** Inserts or upserts one row of a gathered collection. A gathered collection is compact and permits no other modes. */
function putGathered(gathered: Gathered, mode: PutMode, upsert: StatementSync, row: SqlValue[]): Letter {
  if (mode === 'insert') return gathered.insert(row) ? 'w' : 'r'
  gathered.forget(row[0] as string)
  return putRow(upsert, row)
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

/**
 * Replaces one row. A refused replacement counts as written if the stored row has the same revision and writer, because an earlier
 * attempt wrote the row.
 */
function replaceRow(file: SqliteFile, statement: StatementSync, collection: CollectionName, row: SqlValue[]): Letter {
  const letter = putRow(statement, row)
  if (letter !== 'r') return letter
  const writer = (body: string) => `json_extract(${body}, '$.writer')`
  const mine = `SELECT 1 FROM ${quoted(collection)} WHERE id = ? AND rev = ? AND ${writer('body')} = ${writer('?')}`
  const found = file.statement(mine).all(row[0] as string, row[1] as number, row.at(-1) as string)
  return found.length > 0 ? 'w' : 'r'
}
