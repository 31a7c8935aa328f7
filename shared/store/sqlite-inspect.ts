// A look at an SQLite file that nobody has open, before the store opens it: SQLite itself would make a missing file anew, and fold what
// is left of a damaged write-ahead log into the file. Nothing that lies there is changed.
import { existsSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { limits } from '#shared/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { StoreError } from '#shared/store/port.ts'
import { sqliteAddress } from '#shared/store/sqlite-address.ts'
import { failureOf } from '#shared/store/sqlite-errors.ts'
import { readCommits, refuseFolders } from '#shared/store/sqlite-file.ts'
import { leastCommits, readMark } from '#shared/store/sqlite-mark.ts'
import { quoted } from '#shared/store/sqlite-schema.ts'

/** Of what SQLite says of a damaged file, in a sentence for a person. */
const faultCharacters = 120

export interface InspectedFile {
  /** False: there is no file, or an empty one. */
  exists: boolean
  /** Whether a mark says that there was one. */
  hasMark: boolean
  /** Commits that changed something, since the file was made. */
  commits: number
  /** How many there must be by the mark. */
  leastCommits: number
  /** The value of this setting; null: not set. */
  setting: string | null
}

/** Throws a permanent StoreError if the file is no database or, unless `mayBeDamaged`, if a part of it is damaged. */
export function inspectSqliteFile(path: string, settingId: string, mayBeDamaged: boolean): InspectedFile {
  refuseFolders(path)
  const mark = readMark(path)
  const marked = { hasMark: mark !== null, leastCommits: mark === null ? 0 : leastCommits(mark) }
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return { exists: false, commits: 0, setting: null, ...marked }
  return { exists: true, ...marked, ...read(path, mayBeDamaged ? null : size, settingId) }
}

/** `bytes`: its size; null: it may be damaged. */
function read(path: string, bytes: number | null, settingId: string): Pick<InspectedFile, 'commits' | 'setting'> {
  // Left by the look itself.
  const helpers = [`${path}-wal`, `${path}-shm`].filter(file => !existsSync(file))
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
    const tables = new Set(
      database
        .prepare('SELECT name FROM sqlite_schema')
        .all()
        .map(({ name }) => String(name)),
    )
    if (bytes !== null) requireWhole(database, path, bytes, tables)
    return {
      commits: tables.has('progress') ? readCommits(database) : 0,
      setting: tables.has('settings') ? readSetting(database, settingId) : null,
    }
  } catch (error) {
    const { kind, message } = failureOf(error, path)
    throw new StoreError(kind, message, error)
  } finally {
    database?.close()
    for (const helper of helpers) rmSync(helper, { force: true })
  }
}

function readSetting(database: DatabaseSync, id: string): string | null {
  const row = database.prepare(`SELECT json_extract(body, '$.value') AS value FROM settings WHERE id = ?`).get(id)
  return typeof row?.['value'] === 'string' ? row['value'] : null
}

/** Of a large file only the tables are looked at that hold what nobody could report again. */
function requireWhole(database: DatabaseSync, path: string, bytes: number, tables: ReadonlySet<string>): void {
  const isLasting = (name: CollectionName) => !collections[name].compact && !collections[name].expires && tables.has(name)
  const lasting = (Object.keys(collections) as CollectionName[]).filter(isLasting)
  const looks = bytes <= limits.store.checkedBytes ? [''] : lasting.map(name => `(${quoted(name)})`)
  for (const table of looks) {
    const said = Object.values(database.prepare(`PRAGMA quick_check${table || '(1)'}`).get() ?? {}).join()
    if (said === 'ok') continue
    // It begins with a line that says which database is meant.
    const fault = said.split('\n').find(line => !line.startsWith('***')) ?? said
    const advice = 'restore it from a backup, or start with --accept-loss to go on with what of it can be read'
    throw new StoreError('permanent', `The file ${path} is damaged (${fault.slice(0, faultCharacters)}): ${advice}.`)
  }
}
