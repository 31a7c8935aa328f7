// The statements of an open SQLite file, prepared once a text; shared by the connection that writes and the one that reads.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { limits } from '#shared/limits.ts'

/** The prepared statement of a text; rows come as arrays. The oldest is let go where there are too many. */
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
