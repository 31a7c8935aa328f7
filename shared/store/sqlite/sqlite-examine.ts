// Examination of an SQLite file that no process uses, for `./watchkeeper doctor`. Changes nothing.
import { existsSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { Progress } from '#shared/store/migrations/migrate.ts'
import { firstNumber } from '#shared/store/migrations/migrations.ts'
import { sqliteAddress } from '#shared/store/sqlite/sqlite-address.ts'
import { failureOf, usedByAnother } from '#shared/store/sqlite/sqlite-errors.ts'

export interface ExaminedSqlite {
  path: string
  /** False: the file is missing or empty. */
  exists: boolean
  /** Sentence with which a start would end; null: the file can be used. */
  fault: string | null
  /** Null: there is no file. */
  level: Pick<Progress, 'number' | 'done'> | null
  /** Such as `subjects.byOutbox`. */
  missingIndexes: string[]
  /** Name of the key with which secrets are sealed; null: none. */
  sealingKeyId: string | null
}

/** Never throws: a file that cannot be read has a `fault`. */
export function examineSqlite(path: string): ExaminedSqlite {
  const nothing = { path, level: null, missingIndexes: [], sealingKeyId: null }
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return { ...nothing, exists: false, fault: null }
  // A read creates these files; those that were not there before are removed again.
  const helpers = [`${path}-wal`, `${path}-shm`].filter(file => !existsSync(file))
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(sqliteAddress(path), { readOnly: true, timeout: 0 })
    return { path, exists: true, fault: null, ...read(database) }
  } catch (error) {
    return { ...nothing, exists: true, fault: failureOf(usedByAnother(error), path).message }
  } finally {
    database?.close()
    for (const helper of helpers) rmSync(helper, { force: true })
  }
}

function read(database: DatabaseSync): Pick<ExaminedSqlite, 'level' | 'missingIndexes' | 'sealingKeyId'> {
  const names = new Set(
    database
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map(({ name }) => String(name)),
  )
  const number = Number(database.prepare('PRAGMA user_version').get()?.['user_version']) || firstNumber
  const migration = names.has('migration') ? database.prepare('SELECT done FROM migration').get() : undefined
  const sealing = names.has('settings')
    ? database.prepare(`SELECT json_extract(body, '$.value') AS value FROM settings WHERE id = 'sealing-key'`).get()
    : undefined
  return {
    level: { number, done: Number(migration?.['done'] ?? number) },
    missingIndexes: declaredIndexes().filter(name => !names.has(name)),
    sealingKeyId: typeof sealing?.['value'] === 'string' ? sealing['value'] : null,
  }
}

const declaredIndexes = (): string[] =>
  (Object.keys(collections) as CollectionName[]).flatMap(name => {
    const { indexes, expires } = collections[name]
    return [...indexes.map(index => index.name), ...(expires ? ['byExpiry'] : [])].map(index => `${name}.${index}`)
  })
