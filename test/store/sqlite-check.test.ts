// Search for damage in an SQLite file: beside the open store, and when a start makes it before.
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { checkSqliteFile } from '#shared/store/sqlite/sqlite-check.ts'
import { mayHaveLostPower } from '#shared/store/sqlite/sqlite-mark.ts'
import { bootId } from '#shared/time/boot-id.ts'
import { subject } from './documents.ts'

const pageBytes = 4_096
const many = Array.from({ length: 1_000 }, (_, i) => subject(`s${String(i).padStart(4, '0')}`, { name: 'n'.repeat(200) }))

/** Writes a store with many subjects, and returns its path. */
async function written(folder: string): Promise<string> {
  const path = join(folder, 'watchkeeper.db')
  const store = await openSqliteStore(path)
  await store.insert('subjects', many)
  await store.close()
  return path
}

/** Returns the faults that a check finds beside the open store. */
async function faultsBeside(path: string) {
  const store = await openSqliteStore(path)
  const faults = await checkSqliteFile(path).faults
  await store.close()
  return faults
}

t.test('check beside the open store finds nothing in a whole file', async t => {
  t.strictSame(await faultsBeside(await written(t.testdir())), [])
})

t.test('check beside the open store finds a document that is no JSON', async t => {
  const path = await written(t.testdir())
  const database = new DatabaseSync(path)
  database.exec(`UPDATE subjects SET body = '{"half' WHERE id = 's0700'`)
  database.close()
  t.match(await faultsBeside(path), [{ collection: 'subjects', after: 's0699', fault: 'the document s0700 is no JSON' }])
})

t.test('check beside the open store finds damaged pages', async t => {
  const path = await written(t.testdir())
  const database = new DatabaseSync(path)
  const root = Number(database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'subjects'`).get()?.['rootpage'])
  database.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(64, 0xff), 0, 64, (root - 1) * pageBytes)
  closeSync(file)
  t.ok(statSync(path).size > pageBytes)
  t.match(await faultsBeside(path), [{ collection: 'subjects', after: '', fault: /malformed/ }])
})

t.test('start checks a large file first only if its machine may have ended while it was open', async t => {
  const [now, before] = [bootId(), 'another']
  const rows: [what: string, mark: Parameters<typeof mayHaveLostPower>[0], isChecked: boolean][] = [
    ['clean stop', { commits: 5, durable: 5, boot: now }, false],
    ['clean stop, machine restarted', { commits: 5, durable: 5, boot: before }, false],
    ['killed process', { commits: 9, durable: 5, boot: now }, false],
    ['power failure', { commits: 9, durable: 5, boot: before }, true],
    ['no mark: a file from elsewhere', null, true],
  ]
  for (const [what, mark, isChecked] of rows) t.equal(mayHaveLostPower(mark), isChecked, what)
})
