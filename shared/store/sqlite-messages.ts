// What the two sides of the sqlite adapter say to each other: flat lists of plain values, because they cross threads cheaply.
import type { CollectionName } from '#shared/store/collections.ts'
import type { PutMode, StoreErrorKind } from '#shared/store/port.ts'
import type { SqlValue } from '#shared/store/sqlite-query.ts'

/** `rows` are whole rows in table order, one after the other. */
export interface RowsToPut {
  mode: PutMode
  collection: CollectionName
  rows: SqlValue[]
}

export type Operation =
  /** In order; answered with a text for each, with one letter a row: w written, r refused, t taken. */
  | { kind: 'put'; puts: RowsToPut[] }
  /** Answered with the values of the rows found, one after the other. */
  | { kind: 'rows'; text: string; parameters: SqlValue[] }
  /** Rows of two numbers each; answered with all the first ones and then all the second ones, those of the last row first. */
  | { kind: 'numbers'; text: string; parameters: SqlValue[] }
  /** The same statement once for each key; answered as `rows`. */
  | { kind: 'rowsByKey'; text: string; keys: readonly string[] }
  /** Answered with the number of rows changed. */
  | { kind: 'change'; text: string; parameters: SqlValue[] }
  /** The same statement once for each key; answered with the number of rows changed. */
  | { kind: 'changeByKey'; text: string; keys: readonly string[] }
  /** Answered with the number of commits that changed something, since the file was made. */
  | { kind: 'commits' }

export type Outcome = string | number | SqlValue[] | Float64Array<ArrayBuffer>

export interface Failure {
  kind: StoreErrorKind
  message: string
}

/** One operation or several of the same turn; numbers are answered in any order. */
export interface Request {
  first: number
  operations: Operation[]
  /** Close the file after these. */
  close?: true
}

/** Characters in these values: what they take in a thread's memory, but for numbers. */
export function charactersOf(values: readonly SqlValue[], from = 0): number {
  let characters = 0
  for (let at = from; at < values.length; at++) {
    const value = values[at]
    if (typeof value === 'string') characters += value.length
  }
  return characters
}

/**
 * The first message of the worker says whether the file is open; every further one answers a transaction, or tells a part of what one of its
 * operations finds.
 */
export type Answer =
  | { ready: true }
  | { ready: false; failure: Failure }
  /** Of the operation of this number, in order; its outcome has the rest. */
  | { part: number; values: SqlValue[] }
  | { numbers: number[]; outcomes: (Outcome | Failure)[] }
  | { closed: true }
