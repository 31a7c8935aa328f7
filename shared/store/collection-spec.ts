// Declaration of a collection: its columns, its indexes, and the only service that writes the collection.

export type ColumnType = 'text' | 'integer' | 'real'

export interface CollectionSpec {
  /** The only service that writes the collection. */
  writer: 'keeper' | 'directory' | 'notifier'
  /** Fields stored in columns; queries may name only these fields. Booleans are stored as 0 and 1. */
  columns: Record<string, ColumnType>
  /**
   * Indexes, to which a start of either store adds what is missing. It drops the indexes of an earlier declaration, so an index whose fields
   * change gets another name; the name begins with `by` or `of`.
   */
  indexes: readonly { name: string; fields: readonly string[]; unique?: true }[]
  /** Columns that have a value in every document. A page in their descending order begins at its position, not at the newest row. */
  neverNull?: readonly string[]
  /**
   * Cheapest form, for the collections with the most rows. Every field is a column, there is no revision and no body, and rows are stored
   * in id order. A compact collection supports only insert, upsert, get, find, count, delete, deleteRange and, if it `expires`, expire.
   */
  compact?: true
  /**
   * The ids are random, so a store may gather inserted rows and merge them into the table later, in id order (ADR 34). Only for compact
   * collections that never expire and have no index.
   */
  gathered?: true
  /** Replacements of documents seldom change an indexed field, so a store may first try a cheaper statement that writes no index. */
  inPlace?: true
  /**
   * Documents have a field `expireAt`, ms since the epoch, and are deleted after this instant. If `expireAt` is null, they never expire.
   */
  expires?: true
}
