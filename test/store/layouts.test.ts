// Documents of an earlier version are still present after this version has opened them: in the embedded file and in the database.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MongoClient } from 'mongodb'
import t from 'tap'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { pushedObservationId, seriesId } from '#shared/text/ids.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { pushed, subject } from './documents.ts'

/** A store as layout 1 had it. */
function oldRow(observedAtUs: number, labels: Record<string, string>, given: object = {}) {
  const kept = { rev: 1, subjectId: 'sub1', signalKey: 's1', observedAtUs, receivedAtUs: 7, status: 'ok', value: null, error: '' }
  const id = `${seriesId('sub1', 's1', labels)}.${observedAtUs}`
  return { id, ...kept, labels, rejectReason: 'accepted', expireAt: 4e12, ...given }
}

/** The hash of these labels begins with `-`, the character that stands for no labels. */
const dashed = Array.from({ length: 1_000 }, (_, i) => ({ host: `db${i}` })).find(labels =>
  seriesId('sub1', 's1', labels).startsWith('sub1.s1.-'),
) as { host: string }

const now = 1_790_000_000_000_001
const rejected = { rejectReason: 'out_of_retention', expireAt: 5e12 }
const cases: [title: string, old: ReturnType<typeof oldRow>, wanted: PushedObservationDocument][] = [
  ['nothing but a status', oldRow(now, {}), wantedRow(now, {})],
  [
    'everything',
    oldRow(now + 1, dashed, { status: 'problem', value: -0.5, error: 'disk\u0000full ✓' }),
    wantedRow(now + 1, dashed, { ok: 0, value: -0.5, error: 'disk\u0000full ✓', labels: JSON.stringify(dashed) }),
  ],
  ['before 1970', oldRow(-62_167_219_200_000_000, {}, rejected), wantedRow(-62_167_219_200_000_000, {}, rejected as never)],
  [
    'at the end of time',
    oldRow(253_402_300_799_999_000, {}, { rejectReason: 'clock_skew' }),
    wantedRow(253_402_300_799_999_000, {}, { rejectReason: 'clock_skew', expireAt: 4e12 }),
  ],
  ['half a character', oldRow(now + 2, {}, { error: 'a\ud83d' }), wantedRow(now + 2, {}, { error: 'a\ufffd' })],
]

function wantedRow(observedAtUs: number, labels: Record<string, string>, given: Partial<PushedObservationDocument> = {}) {
  const nothing = { receivedAtUs: 7, ok: 1, value: null, error: null, labels: null, rejectReason: null, expireAt: null } as const
  return pushed(pushedObservationId('sub1', 's1', labels, observedAtUs), { ...nothing, ...given })
}

const stored = (store: Store) => store.find('pushedObservations', { limit: 100 })
const wanted = cases.map(([, , row]) => row).sort((one, other) => (one.id < other.id ? -1 : 1))

t.test('sqlite: layout 1 is converted with its pushed observations, as if this version had made the file', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const made = await openSqliteStore(file)
  await made.insert('subjects', [subject('before')])
  await made.close()
  const schemaOf = (database: DatabaseSync) => database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  const old = new DatabaseSync(file)
  const schema = schemaOf(old)
  old.exec(`
    DROP TABLE "pushedObservations";
    CREATE TABLE "pushedObservations" (id TEXT NOT NULL PRIMARY KEY, rev INTEGER NOT NULL, "subjectId" TEXT, "signalKey" TEXT,
      "observedAtUs" INTEGER, "expireAt" INTEGER, coded TEXT, body TEXT NOT NULL);
    CREATE INDEX "pushedObservations.bySignal" ON "pushedObservations" ("subjectId", "signalKey", "observedAtUs");
    CREATE INDEX "pushedObservations.byExpiry" ON "pushedObservations" ("expireAt");
    PRAGMA user_version = 1`)
  const insert = old.prepare('INSERT INTO "pushedObservations" VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  for (const [, { id, rev, subjectId, signalKey, observedAtUs, expireAt, ...body }] of cases) {
    const isSafe = Number.isSafeInteger(observedAtUs)
    const instant = isSafe ? BigInt(observedAtUs) : `[${observedAtUs}]`
    insert.run(id, rev, subjectId, signalKey, instant, expireAt, isSafe ? null : 'observedAtUs', JSON.stringify(body))
  }
  old.close()
  for (const time of ['first', 'second']) {
    const store = await openSqliteStore(file)
    t.strictSame(await stored(store), wanted, `${time} opening`)
    t.strictSame(await store.get('subjects', ['before']), [subject('before')])
    await store.close()
  }
  const after = new DatabaseSync(file)
  t.strictSame(schemaOf(after), schema)
  t.strictSame(Object.values(after.prepare('PRAGMA user_version').get() ?? {}), [2])
  after.close()
})

t.test('sqlite: layout 1 opens when it holds no pushed observations', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const old = new DatabaseSync(file)
  old.exec('PRAGMA user_version = 1')
  old.close()
  const store = await openSqliteStore(file)
  t.same(await stored(store), [])
  await store.close()
})

t.test('mongodb: layout 1 is converted with its pushed observations, and later reports win', async t => {
  const server = await startSecantus()
  if (server === null) return t.comment('skipped: SecantusDB could not be installed')
  t.teardown(() => server.stop())
  await (await openMongodbStore(server.url)).close()
  const client = new MongoClient(server.url)
  t.teardown(() => client.close())
  const collection = client.db('watchkeeper').collection<{ _id: string }>('pushedObservations')
  const old = cases.map(([, { id, ...rest }]) => ({ _id: id, ...rest, _expireOn: new Date(rest.expireAt) }))
  await collection.insertMany(old)
  await collection.createIndex({ subjectId: 1, signalKey: 1, observedAtUs: 1 }, { name: 'bySignal' })
  const again = { ...(wanted[1] as PushedObservationDocument), value: 99 }
  const { id, ...rest } = again
  await collection.insertOne({ _id: id, ...rest } as never)

  const opened = async () => {
    const store = await openMongodbStore(server.url)
    t.teardown(() => store.close())
    return stored(store)
  }
  for (const rows of [...(await Promise.all([opened(), opened()])), await opened()])
    t.strictSame(rows, wanted.with(1, again), 'to two at once, and to a third')
  t.same((await collection.indexes()).map(({ name }) => name).sort(), ['_id_', 'byExpiry'])
  t.equal(await collection.countDocuments({ _expireOn: { $exists: true } }), 2, 'only what was not accepted')
})
