// Migrations of both stores: nothing is lost or changed twice by a process that is killed at any point, older programs refuse the store,
// and of several processes only one migrates.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { type MigrateOptions, migrate } from '#shared/store/migrations/migrate.ts'
import type { Migration } from '#shared/store/migrations/migration.ts'
import { firstNumber, latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import { migrateMongodb } from '#shared/store/mongodb/mongodb-migrate.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { readBackup } from '#shared/store/sqlite/sqlite-backup.ts'
import { openSqliteFile } from '#shared/store/sqlite/sqlite-file.ts'
import { migrateSqliteFile } from '#shared/store/sqlite/sqlite-migrate.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { subject } from './documents.ts'
import { ids, twoMigrations, writeEarlierFile } from './two-migrations.ts'

const program = join(import.meta.dirname, 'migrating-program.ts')

async function runProgram(store: string, point: string) {
  const child = spawn(process.execPath, [program, store, point], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { said, signal }
}

/** Options of a migration in this process. Its pauses end at once and count as passed time, unless `pauses` is given. */
function optionsFor(given: Partial<MigrateOptions> = {}) {
  const sentences: string[] = []
  let now = 0
  const schedule = (ms: number, run: () => void) => {
    now += ms
    setImmediate(run)
    return () => undefined
  }
  const options: MigrateOptions = {
    clock: { monotonic: () => now, schedule },
    tell: sentence => void sentences.push(sentence),
    content: async () => ({ installationId: 'none', at: 0, files: {} }),
    list: twoMigrations(),
    ...given,
  }
  return { sentences, options }
}

function contentOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const [version] = Object.values(database.prepare('PRAGMA user_version').get() ?? {})
  const columns = database.prepare('PRAGMA table_info(subjects)').all()
  const hasSlug = columns.some(({ name }) => name === 'slug')
  const bodies = database.prepare('SELECT body FROM subjects ORDER BY id').all()
  const counts = bodies.map(({ body }) => JSON.parse(String(body))).map(({ first, second }) => `${first} ${second}`)
  const slugs = hasSlug
    ? database
        .prepare('SELECT slug FROM subjects ORDER BY id')
        .all()
        .map(({ slug }) => slug)
    : null
  const isMigrating = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'migration'`).get() !== undefined
  database.close()
  return { version, counts, slugs, isMigrating }
}

t.test('numbers of the migrations follow each other, and the names of their files begin with them', async t => {
  t.strictSame(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => firstNumber + 1 + index),
  )
  const files = readdirSync(join(import.meta.dirname, '../../shared/store/migrations')).filter(name => /^\d/.test(name))
  t.strictSame(
    files.map(name => Number(name.slice(0, 4))),
    migrations.map(({ number }) => number),
  )
})

for (const point of ['content', 'copied', '1', '201', '451', '700']) {
  t.test(`sqlite: a process killed at the point ${point} loses nothing, and the next one changes nothing twice`, async t => {
    const folder = t.testdir()
    const path = join(folder, 'watchkeeper.db')
    await writeEarlierFile(path)
    t.match(await runProgram(path, point), { signal: 'SIGKILL' })
    const isChanged = contentOf(path).version !== firstNumber
    t.equal(isChanged, !['content', 'copied'].includes(point))
    if (isChanged)
      t.throws(() => openSqliteFile(path, twoMigrations().slice(0, 1)), {
        kind: 'permanent',
        message: /A newer version of Watchkeeper/,
      })
    const { said, signal } = await runProgram(path, 'never')
    t.equal(signal, null)
    t.match(said, /The store is converted\./)
    const { version, counts, slugs, isMigrating } = contentOf(path)
    t.strictSame({ version, isMigrating }, { version: firstNumber + 2, isMigrating: false })
    t.strictSame([...new Set(counts)], ['1 1'])
    t.strictSame(
      slugs,
      ids.map(id => `slug-${id}`),
    )
    const copy = join(folder, 'backup-of-2.0.0.db')
    t.ok(readBackup(copy).installationId, 'the copy is a backup')
    t.match(contentOf(copy), { version: firstNumber, slugs: null })
    t.strictSame([...new Set(contentOf(copy).counts)], ['undefined undefined'], 'from before the first change')
    t.notOk(existsSync(`${copy}.draft`))
    const file = openSqliteFile(path, twoMigrations())
    file.close()
    const { sentences, options } = optionsFor()
    await migrateSqliteFile(path, options)
    t.strictSame(sentences, [], 'the next start has nothing to do')
  })
}

t.test('sqlite: the person is told of the steps, the progress and the copy', async t => {
  const path = join(t.testdir(), 'watchkeeper.db')
  await writeEarlierFile(path)
  let now = 0
  const { sentences, options } = optionsFor({
    clock: { monotonic: () => (now += limits.store.migration.tellMs / 2), schedule: () => () => undefined },
  })
  await migrateSqliteFile(path, options)
  t.match(sentences, [
    'The store of version 2.0.0 is converted for this version.',
    /^Its copy is \S+backup-of-2\.0\.0\.db: with it, \.\/watchkeeper restore of version 2\.0\.0 brings back the store/,
    'Step 1 of 2: each subject gets a column for its slug.',
    /^ {2}\d+ documents so far$/,
  ])
  t.match(sentences.at(-1), /^The store is converted\. It took \d+ s\.$/)
})

t.test('sqlite: a new file has the newest number, and files of unknown numbers are refused and stay as they are', async t => {
  const path = join(t.testdir(), 'watchkeeper.db')
  await migrateSqliteFile(path, optionsFor().options)
  t.notOk(existsSync(path), 'a missing file is not made')
  const store = await openSqliteStore(path)
  await store.close()
  t.equal(contentOf(path).version, latestNumber(migrations))
  for (const [number, sentence] of [
    [firstNumber + 3, /newer version of Watchkeeper has converted this store .* go back to the copy/],
    [firstNumber - 1, /written before version 2\.0\.0/],
  ] as const) {
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA user_version = ${number}`)
    database.close()
    await t.rejects(migrateSqliteFile(path, optionsFor().options), { kind: 'permanent', message: sentence })
    await t.rejects(openSqliteStore(path), { kind: 'permanent', message: sentence })
    t.equal(contentOf(path).version, number)
  }
})

t.test('sqlite: without a copy, nothing is converted', async t => {
  const path = join(t.testdir({ 'backup-of-2.0.0.db': {} }), 'watchkeeper.db')
  await writeEarlierFile(path)
  await t.rejects(migrateSqliteFile(path, optionsFor().options), {
    kind: 'permanent',
    message: /could not be copied to .* Nothing was changed/,
  })
  t.match(contentOf(path), { version: firstNumber, slugs: null, isMigrating: false })
})

t.test('a conversion that another program began is continued by a newer one', async t => {
  const noted: string[] = []
  const ground = {
    progress: async () => ({ number: firstNumber + 1, done: firstNumber, after: 'm' }),
    note: async (progress: object) => void noted.push(JSON.stringify(progress)),
    keep: async () => void t.fail('the copy of the first attempt stays the one'),
    prepare: async () => undefined,
    page: async (_: string, after: string) => (after < 'n' ? [{ id: 'n' }] : []),
    write: async () => undefined,
  }
  const { sentences, options } = optionsFor()
  await migrate(ground, options)
  t.equal(sentences[0], 'The conversion of the store goes on.')
  t.equal(noted[0], JSON.stringify({ number: firstNumber + 2, done: firstNumber, after: 'm' }))
  t.equal(noted.at(-1), JSON.stringify({ number: firstNumber + 2, done: firstNumber + 2, after: '' }))
})

async function earlierDatabase(t: Test) {
  const url = await sharedMongodb(t)
  if (url === null) return null
  const store = await openMongodbStore(url)
  await store.insert('settings', [{ id: 'installation', rev: 1, value: 'known' }])
  await store.insert(
    'subjects',
    ids.map(id => subject(id)),
  )
  await store.close()
  const client = new MongoClient(url)
  t.teardown(() => client.close())
  const database = client.db(new URL(url).pathname.slice(1) || 'watchkeeper')
  const counts = async () =>
    (await database.collection('subjects').find().toArray()).map(({ first, second, rev }) => `${first} ${second} ${rev}`)
  return { url, counts, database }
}

t.test('mongodb: a process killed in the middle is followed by one that waits for the end of its lease', async t => {
  const found = await earlierDatabase(t)
  if (found === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const { url, counts } = found
  t.match(await runProgram(url, '470'), { signal: 'SIGKILL' })
  const { sentences, options } = optionsFor()
  await migrateMongodb(url, options)
  t.strictSame([...new Set(await counts())], ['1 1 3'])
  t.equal(sentences[0], 'Another process converts the store. This one waits for it, or goes on 30 s after its end.')
  t.equal(sentences[1], 'The conversion of the store goes on.')
  await t.rejects(migrateMongodb(url, optionsFor({ list: [] }).options), { kind: 'permanent', message: /newer version/ })
})

t.test('mongodb: of several processes one migrates, the others wait, and a keeper’s write meanwhile is not lost', async t => {
  const found = await earlierDatabase(t)
  if (found === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const { url, counts, database } = found
  const first = Promise.withResolvers<void>()
  const told: string[] = []
  let isWritten: Promise<unknown> = Promise.resolve()
  const list = twoMigrations(call => {
    if (call !== 1) return
    // The page is read, and not yet written. The driver sends this write before that of the page.
    isWritten = database
      .collection<{ _id: string }>('subjects')
      .updateOne({ _id: ids[0] as string }, { $set: { name: 'kept' }, $inc: { rev: 1 } })
  })
  const tell = (sentence: string) => void told.push(sentence)
  const schedule = (_: number, run: () => void) => {
    void first.promise.then(run)
    return () => undefined
  }
  const clock = { monotonic: () => 0, schedule }
  const running = [0, 1, 2].map(() => migrateMongodb(url, optionsFor({ list, tell, clock }).options))
  void Promise.race(running).then(
    () => first.resolve(),
    () => first.resolve(),
  )
  await Promise.all([...running, isWritten])
  await isWritten
  t.equal(told.filter(sentence => sentence.startsWith('Another process')).length, 2)
  t.equal(told.filter(sentence => sentence.startsWith('The store is converted')).length, 1)
  t.match(told.join('\n'), /MongoDB is not copied\. To go back to version 2\.0\.0, restore the backup/)
  t.strictSame(new Set(await counts()), new Set(['1 1 4', '1 1 3']))
  t.match(await database.collection<{ _id: string }>('subjects').findOne({ _id: ids[0] as string }), { name: 'kept' })
})

t.test('mongodb: a start stops before a held migration, and the person who finishes the upgrade runs it', async t => {
  const found = await earlierDatabase(t)
  if (found === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const { url, counts } = found
  const [first, second] = twoMigrations() as [Migration, Migration]
  const list = [first, { ...second, isHeld: true }]
  t.equal(await migrateMongodb(url, optionsFor({ list }).options), firstNumber + 1)
  t.strictSame([...new Set(await counts())], ['1 undefined 2'])
  t.equal(await migrateMongodb(url, optionsFor({ list: [first] }).options), firstNumber + 1, 'an older program still works on it')
  t.equal(await migrateMongodb(url, optionsFor({ list, upTo: latestNumber(list) }).options), firstNumber + 2)
  t.strictSame([...new Set(await counts())], ['1 1 3'])
  await t.rejects(migrateMongodb(url, optionsFor({ list: [first] }).options), { kind: 'permanent', message: /newer version/ })
  const { sentences, options } = optionsFor({ list })
  t.equal(await migrateMongodb(url, options), firstNumber + 2)
  t.strictSame(sentences, [], 'a later start has nothing to do')
})

t.test('a held migration that was interrupted is finished by the next start', async t => {
  const noted: string[] = []
  const ground = {
    progress: async () => ({ number: firstNumber + 2, done: firstNumber + 1, after: '' }),
    note: async (progress: object) => void noted.push(JSON.stringify(progress)),
    keep: async () => undefined,
    prepare: async () => undefined,
    page: async () => [],
    write: async () => undefined,
  }
  await migrate(ground, optionsFor({ upTo: firstNumber + 1 }).options)
  t.equal(noted.at(-1), JSON.stringify({ number: firstNumber + 2, done: firstNumber + 2, after: '' }))
})

t.test('mongodb: a new database has the newest number at once', async t => {
  const url = await sharedMongodb(t)
  if (url === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const { sentences, options } = optionsFor()
  await migrateMongodb(url, options)
  t.strictSame(sentences, [])
  await t.rejects(migrateMongodb(url, optionsFor({ list: [] }).options), { kind: 'permanent', message: /newer version/ })
})
