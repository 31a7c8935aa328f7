// Inspection of an SQLite file before the store opens it, while no process uses it. The inspection changes nothing. Opening the file
// normally would create a missing file, and would apply the intact part of a damaged write-ahead log.
import { existsSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import { failureOf } from '#shared/store/sqlite/sqlite-errors.ts'
import { readCommits, refuseFolders } from '#shared/store/sqlite/sqlite-file.ts'
import { leastCommits, mayHaveLostPower, readMark } from '#shared/store/sqlite/sqlite-mark.ts'
import { lastingCollections, quoted } from '#shared/store/sqlite/sqlite-schema.ts'

/** Largest number of characters that an error for people quotes from SQLite's report about a damaged file. */
const faultCharacters = 120

export interface InspectedFile {
  /** False if the file is missing or empty. */
  exists: boolean
  /** True if a mark exists beside the file. If the file is missing, the mark proves that it existed. */
  hasMark: boolean
  /** Number of commits with changes since the file was created. */
  commits: number
  /** Number of commits that the file must have at least, according to its mark. */
  leastCommits: number
  /** Value of the setting `settingId`; null: not set. */
  setting: string | null
}

/** Throws a permanent StoreError if the file is not a database. Also throws if a part of the file is damaged, unless `mayBeDamaged`. */
export function inspectSqliteFile(path: string, settingId: string, mayBeDamaged: boolean): InspectedFile {
  refuseFolders(path)
  const mark = readMark(path)
  const marked = { hasMark: mark !== null, leastCommits: mark === null ? 0 : leastCommits(mark) }
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return { exists: false, commits: 0, setting: null, ...marked }
  const isLarge = size > limits.store.checkedBytes
  const check = mayBeDamaged ? 'nothing' : !isLarge ? 'all' : mayHaveLostPower(mark) ? 'lasting' : 'nothing'
  return { exists: true, ...marked, ...read(path, check, settingId) }
}

/** Tables in which damage is searched. */
type Check = 'all' | 'lasting' | 'nothing'

/** Reads the number of commits and the setting, after the check. */
function read(path: string, check: Check, settingId: string): Pick<InspectedFile, 'commits' | 'setting'> {
  // Files that SQLite creates during the inspection, and that are removed afterwards.
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
    if (check !== 'nothing') requireWhole(database, path, check, tables)
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

/**
 * Throws if the file is damaged. In a large file, checks only the lasting tables, because senders could not report their content again, and
 * only if the file may be damaged: the check takes 6 s a GB. Else the check follows the start (sqlite-check.ts).
 */
function requireWhole(database: DatabaseSync, path: string, check: Check, tables: ReadonlySet<string>): void {
  const lasting = lastingCollections.filter(name => tables.has(name))
  const looks = check === 'all' ? [''] : lasting.map(name => `(${quoted(name)})`)
  for (const table of looks) {
    const said = Object.values(database.prepare(`PRAGMA quick_check${table || '(1)'}`).get() ?? {}).join()
    if (said === 'ok') continue
    // Skips the first line of the report, which only names the database.
    const fault = said.split('\n').find(line => !line.startsWith('***')) ?? said
    const advice = 'restore it from a backup, or start with --accept-loss to go on with what of it can be read'
    throw new StoreError('permanent', `The file ${path} is damaged (${fault.slice(0, faultCharacters)}): ${advice}.`)
  }
}
