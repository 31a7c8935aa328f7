// Messages between the two threads of the SQLite adapter: flat lists of plain values, which are cheap to copy between threads.
import type { CollectionName } from '#shared/store/collections.ts'
import type { PutMode, StoreErrorKind } from '#shared/store/port.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'

/** One put. `rows`: whole rows in the order of the table's columns, concatenated. */
export interface RowsToPut {
  mode: PutMode
  collection: CollectionName
  rows: SqlValue[]
  /** The later puts are made only if every row of this put is written. Otherwise their rows are refused. */
  isClaim: boolean
}

export type Operation =
  /** Writes the puts in the order of the list. Outcome: one text for each put, one letter for each row: w written, r refused, t taken. */
  | { kind: 'put'; puts: RowsToPut[] }
  /** Outcome: the values of the found rows, concatenated. */
  | { kind: 'rows'; text: string; parameters: SqlValue[] }
  /** Rows of two numbers. Outcome: all first numbers, then all second numbers, both from the last row to the first. */
  | { kind: 'numbers'; text: string; parameters: SqlValue[] }
  /** Runs the statement once for each key. Outcome: as for `rows`. */
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

/** The operations of one turn, numbered from `first`. Their outcomes may arrive in any order. */
export interface Request {
  first: number
  operations: Operation[]
  /** Closes the file after these operations. */
  close?: true
}

/** Returns the number of characters in the values, which is their size in a thread's memory without the numbers. */
export function charactersOf(values: readonly SqlValue[], from = 0): number {
  let characters = 0
  for (let at = from; at < values.length; at++) {
    const value = values[at]
    if (typeof value === 'string') characters += value.length
  }
  return characters
}

/**
 * A message of the worker thread. The first message says whether the worker could open the file. Every later message has the outcomes of a
 * transaction, or a part of the values that one operation finds.
 */
export type Answer =
  | { ready: true }
  | { ready: false; failure: Failure }
  /** Values of the operation with this number, in order; the outcome has the rest. */
  | { part: number; values: SqlValue[] }
  | { numbers: number[]; outcomes: (Outcome | Failure)[] }
  | { closed: true }
