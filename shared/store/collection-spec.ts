// Declaration of a collection: its columns, its indexes, the only service that writes it.

export type ColumnType = 'text' | 'integer' | 'real'

export interface CollectionSpec {
  /** The only service that writes the collection. */
  writer: 'keeper' | 'directory' | 'notifier'
  /** Fields stored in columns; queries may name only these. Booleans are stored as 0 and 1. */
  columns: Record<string, ColumnType>
  indexes: { name: string; fields: string[]; unique?: true }[]
  /**
   * Every field is a column, without rev and body. Rows are stored in id order. This is the cheapest form, for the collections with the
   * most rows. It supports only insert, upsert, get, find, count, delete, deleteRange and, if it `expires`, expire.
   */
  compact?: true
  /**
   * Ids are random: a store may gather inserts and merge them later (ADR 34). Only for compact collections that never expire and have no
   * index.
   */
  gathered?: true
  /** Replacements seldom change an indexed field. A store may first try a cheaper statement that writes no index. */
  inPlace?: true
  /** Documents have `expireAt` (ms since the epoch) and are deleted after it; `expireAt` null: never. */
  expires?: true
}
