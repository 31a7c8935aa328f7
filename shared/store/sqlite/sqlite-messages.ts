// Messages between the caller's thread and the worker thread of the SQLite adapter. They contain flat lists of plain values, which are
// cheap to copy between threads.
import type { CollectionName } from '#shared/store/collections.ts'
import type { PutMode, StoreErrorKind } from '#shared/store/port.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'

/** One put. `rows`: whole rows in the order of the table's columns, concatenated. */
export interface RowsToPut {
  mode: PutMode
  collection: CollectionName
  rows: SqlValue[]
  /** True: if any row of this put is not written, the later puts are not made, and all their rows count as refused. */
  isClaim: boolean
}

export type Operation =
  /**
   * Writes the puts in the order of the list. Outcome: one text for each put, with one letter for each row: w written, r refused, t
   * taken.
   */
  | { kind: 'put'; puts: RowsToPut[] }
  /** Runs a query. Outcome: the values of the found rows, concatenated. */
  | { kind: 'rows'; text: string; parameters: SqlValue[] }
  /**
   * Runs a query whose rows have two numbers. Outcome: the first numbers of all rows, then the second numbers of all rows. Both lists are
   * in the reverse order of the query.
   */
  | { kind: 'numbers'; text: string; parameters: SqlValue[] }
  /** Runs the statement once for each key. Outcome: the values of the found rows, concatenated. */
  | { kind: 'rowsByKey'; collection: CollectionName; text: string; keys: readonly string[] }
  /** Outcome: the number of changed rows. */
  | { kind: 'change'; text: string; parameters: SqlValue[] }
  /** Deletes at most `limit` rows with `from` <= id < `to`. Outcome: the number of deleted rows. */
  | { kind: 'deleteRange'; collection: CollectionName; from: string; to: string; limit: number }
  /** Runs the statement once for each key. Outcome: the number of changed rows. */
  | { kind: 'changeByKey'; collection: CollectionName; text: string; keys: readonly string[] }
  /** Outcome: the number of commits with changes since the file was created. */
  | { kind: 'commits' }

export type Outcome = string | number | SqlValue[] | Float64Array<ArrayBuffer>

export interface Failure {
  kind: StoreErrorKind
  message: string
}

/** Operations of one turn of the event loop. The first operation has the number `first`. The outcomes may arrive in any order. */
export interface Request {
  first: number
  operations: Operation[]
  /** Closes the file after these operations. */
  close?: true
}

/** Returns the total number of characters of the values that are texts, which measures the memory that the values need. */
export function charactersOf(values: readonly SqlValue[], from = 0): number {
  let characters = 0
  for (let at = from; at < values.length; at++) {
    const value = values[at]
    if (typeof value === 'string') characters += value.length
  }
  return characters
}

/**
 * A message of the worker thread. The first message reports whether the worker could open the file. A later message has the outcomes of a
 * transaction, or some of the values that one operation has found.
 */
export type WorkerAnswer =
  | { ready: true }
  | { ready: false; failure: Failure }
  /** Some of the values that operation number `part` has found, in order. The last values are in the operation's outcome. */
  | { part: number; values: SqlValue[] }
  | { numbers: number[]; outcomes: (Outcome | Failure)[] }
  | { closed: true }
