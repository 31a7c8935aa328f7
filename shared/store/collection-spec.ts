// How a collection is declared: its columns, its indexes, who alone writes it.

export type ColumnType = 'text' | 'integer' | 'real'

export interface CollectionSpec {
  /** The service that alone writes it. */
  writer: 'keeper' | 'directory' | 'notifier'
  /** Fields kept as columns of their own: what queries may name. Booleans are stored as 0 and 1. */
  columns: Record<string, ColumnType>
  indexes: { name: string; fields: string[]; unique?: true }[]
  /**
   * Every field is a column, there is no rev and no body, rows lie in id order: the cheapest form, for what is most numerous.
   * Such a collection knows insert, upsert, get, find, count, delete, deleteRange and, where it `expires`, expire only.
   */
  compact?: true
  /** Replaced mostly without a change of what is indexed: a store may try that first, where it is cheaper. */
  inPlace?: true
  /** Documents carry `expireAt` (ms since the epoch) and leave after it; null: not by themselves. */
  expires?: true
}
