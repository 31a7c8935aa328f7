// A copy of the SQLite file while it is used, as one file that needs no other beside it.
import { backup, DatabaseSync } from 'node:sqlite'
import { sqliteAddress } from '#shared/store/sqlite-address.ts'

/** More than any file has: a copy in several steps begins anew whenever the file is written to in between. */
const allPages = 2 ** 31 - 1

/**
 * Reads on a connection of its own and in a thread of the pool, so that it holds up no writer. Meanwhile the write-ahead log can't be
 * folded and grows.
 */
export async function backUpSqliteFile(path: string, target: string): Promise<void> {
  const database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
  try {
    await backup(database, target, { rate: allPages })
  } finally {
    database.close()
  }
}
