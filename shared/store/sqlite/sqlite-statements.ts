// Cache of the prepared statements of an open SQLite file, one per text, for the writing and the reading connection.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'

/** Returns the prepared statement of a text; its rows are arrays. Drops the oldest statement if the cache is full. */
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
