// Layouts of the SQLite file: a file of an earlier version is converted when it is opened, in one transaction. Added columns and indexes
// need no new layout (sqlite-file.ts).
import type { DatabaseSync } from 'node:sqlite'
import { fromLayout1, type PushedOfLayout1 } from '#shared/store/layout-1.ts'
import { StoreError } from '#shared/store/port.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { schemaStatements, writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'

/** Raised when the tables change in a way that added columns cannot express. */
const layout = 2

/**
 * Converts the file in the transaction that opens it. Throws a permanent StoreError if the file has a layout that this version does not
 * know.
 */
export function bringToLayout(database: DatabaseSync): void {
  const [version] = Object.values(database.prepare('PRAGMA user_version').get() ?? {})
  if (version === 1) takeOverPushed(database)
  else if (version !== 0 && version !== layout) {
    throw new StoreError('permanent', `The data folder was written in layout ${version}; this version knows layout ${layout}.`)
  }
  database.exec(`PRAGMA user_version = ${layout}`)
}

/** Converts pushed observations of layout 1, which had a body and three indexes. */
function takeOverPushed(database: DatabaseSync): void {
  if (database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'pushedObservations'`).get() === undefined) return
  const [table = ''] = schemaStatements('pushedObservations')
  database.exec(`ALTER TABLE "pushedObservations" RENAME TO "pushedObservations.1"; ${table}`)
  const insert = database.prepare(writeStatements('pushedObservations').upsert)
  const { encode } = rowCodec('pushedObservations')
  // Reads in the order of an existing index, so that SQLite need not sort and few rows are in memory.
  const order = 'ORDER BY "subjectId", "signalKey", "observedAtUs"'
  for (const row of database.prepare(`SELECT id, "expireAt", body FROM "pushedObservations.1" ${order}`).iterate()) {
    const { id, expireAt, body } = row as { id: string; expireAt: number; body: string }
    const values: SqlValue[] = []
    encode(fromLayout1({ ...(JSON.parse(body) as PushedOfLayout1), id, expireAt }), values)
    insert.run(...values)
  }
  database.exec('DROP TABLE "pushedObservations.1"')
}
