// Two migrations for tests, and an SQLite file as the version before them leaves it.
import { DatabaseSync } from 'node:sqlite'
import type { Migration, StoredDocument } from '#shared/store/migrations/migration.ts'
import { firstNumber } from '#shared/store/migrations/migrations.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { subject } from './documents.ts'

/** Ids of more documents than two pages have. */
export const ids = Array.from({ length: 450 }, (_, index) => `s${String(index).padStart(4, '0')}`)

/** `onChange` is called before each change of a document, with the number of the call. */
export function twoMigrations(onChange: (call: number) => void = () => undefined): Migration[] {
  let calls = 0
  const once = (member: string) => {
    return (document: StoredDocument) => {
      onChange(++calls)
      return document[member] === 1 ? null : { ...document, [member]: Number(document[member] ?? 0) + 1 }
    }
  }
  return [
    {
      number: firstNumber + 1,
      release: '2.1.0',
      what: 'each subject gets a column for its slug',
      collection: 'subjects',
      columns: ['slug'],
      dropIndexes: ['bySlug'],
      change: once('first'),
    },
    {
      number: firstNumber + 2,
      release: '2.2.0',
      what: 'each subject is counted',
      collection: 'subjects',
      change: once('second'),
    },
  ]
}

/** Writes a file with the number 3, without the column `slug`. */
export async function writeEarlierFile(path: string): Promise<void> {
  const store = await openSqliteStore(path)
  await store.insert(
    'subjects',
    ids.map(id => subject(id)),
  )
  await store.close()
  const database = new DatabaseSync(path)
  database.exec(`
    UPDATE subjects SET body = json_set(body, '$.slug', slug);
    PRAGMA user_version = ${firstNumber};
    DROP INDEX "subjects.bySlug";
    ALTER TABLE subjects DROP COLUMN slug`)
  database.close()
}
