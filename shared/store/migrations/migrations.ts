// The migrations of the store, and the number that they give it. A migration is a file `NNNN-<what>.ts` in this folder and a line in the
// list. A released migration never changes, and none is removed. Not needed for a new collection or index, which a start creates, nor for
// an optional member of a document whose absence has a meaning.
import type { CollectionName } from '#shared/store/collections.ts'

export type StoredDocument = Record<string, unknown>

/** A change to one collection, in both stores. Older programs refuse a store as soon as its first document may have changed. */
export interface Migration {
  /** Number of the store after this migration, one more than before it; the file's name begins with it. */
  number: number
  /** First release with this migration, such as `2.1.0`. */
  release: string
  /** For the person at the terminal, such as `each monitor gets the kind of its check`. */
  what: string
  collection: CollectionName
  /** Columns in `collections.ts` that the table of the SQLite file lacks so far. Documents get values in them only by `change`. */
  columns?: readonly string[]
  /** Indexes whose fields have changed. They are dropped, and created again when the store opens. */
  dropIndexes?: readonly string[]
  /**
   * Returns the changed document, or null if it needs no change. Called with its own result it must return null, or the same again: after
   * a killed start, some documents are read a second time. Absent: the documents stay as they are.
   */
  change?(document: StoredDocument): StoredDocument | null
}

/** Number of a store that version 2.0.0 wrote. Its SQLite file has this number, as its layout; its MongoDB has none. */
export const firstNumber = 3
const firstRelease = '2.0.0'

export const migrations: readonly Migration[] = []

export const latestNumber = (list: readonly Migration[]): number => firstNumber + list.length

/** Returns the release that left a store with this number. */
export const releaseOf = (number: number, list: readonly Migration[]): string =>
  list[number - firstNumber - 1]?.release ?? firstRelease
