// Cache of prepared statements, by SQL text. The writing connection and the reading connection have separate caches.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'

/**
 * Returns a function that returns the prepared statement of an SQL text. The statement returns rows as arrays. If the cache is full, drops
 * the oldest statement.
 */
export function createStatements(database: DatabaseSync): (text: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return text => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const made = database.prepare(text)
    made.setReturnArrays(true)
    if (prepared.size >= limits.store.preparedStatements) prepared.delete(prepared.keys().next().value as string)
    prepared.set(text, made)
    return made
  }
}
