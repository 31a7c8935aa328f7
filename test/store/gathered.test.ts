// A gathered collection of the SQLite file collects new rows in small tables and merges these into its main table. The tests compare the
// collection with a map of its rows.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import t from 'tap'
import type { CollectionSpec } from '#shared/store/collection-spec.ts'
import { collections } from '#shared/store/collections.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { type Gathered, openGathered } from '#shared/store/sqlite/sqlite-gathered.ts'
import { recentTables, schemaStatements, wholeOf, writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'

const name = 'observationIds'
const most = 4

type Row = [id: string, signalKey: string, atUs: number, createdSignal: number]

const id = fc.integer({ min: 0, max: 30 }).map(number => `subject.${number}`)
const deed = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('insert' as const), id, atUs: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('upsert' as const), id, atUs: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), id }) },
  { weight: 1, arbitrary: fc.constant({ does: 'reopen' as const }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('roll back' as const), ids: fc.array(id, { maxLength: 12 }) }) },
)

interface World {
  database: DatabaseSync
  gathered: Gathered
  /** The rows that the collection must have. */
  expected: Map<string, Row>
}

function openWorld(): World {
  const database = new DatabaseSync(':memory:')
  for (const statement of schemaStatements(name)) database.exec(statement)
  return { database, gathered: openGathered(database, name, most), expected: new Map() }
}

function act(world: World, one: typeof deed extends fc.Arbitrary<infer Deed> ? Deed : never): void {
  const { database, gathered, expected } = world
  if (one.does === 'insert') {
    const row: Row = [one.id, 's1', one.atUs, 0]
    if (gathered.insert(row) === expected.has(one.id)) throw new Error(`the insert of ${one.id} has the wrong outcome`)
    if (!expected.has(one.id)) expected.set(one.id, row)
  } else if (one.does === 'upsert') {
    const row: Row = [one.id, 's2', one.atUs, 1]
    gathered.forget(one.id)
    database.prepare(writeStatements(name).upsert).run(...row)
    expected.set(one.id, row)
  } else if (one.does === 'delete') {
    gathered.forget(one.id)
    database.prepare(`DELETE FROM ${name} WHERE id = ?`).run(one.id)
    expected.delete(one.id)
  } else if (one.does === 'reopen') world.gathered = openGathered(database, name, most)
  else {
    database.exec('BEGIN')
    for (const each of one.ids) gathered.insert([each, 's3', 1, 0])
    database.exec('ROLLBACK')
    gathered.markStale()
  }
}

/** Returns the row that a read by key gets. */
function rowOf({ database, gathered }: World, key: string): Row | undefined {
  const statement = database.prepare(`SELECT * FROM ${name} WHERE id = ?`)
  statement.setReturnArrays(true)
  return (gathered.row(key) ?? statement.get(key)) as Row | undefined
}

t.test('gathered collection has the rows of a plain map after any operations', async t => {
  const keys = Array.from({ length: 31 }, (_, number) => `subject.${number}`)
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 120 }), deeds => {
      const world = openWorld()
      try {
        for (const one of deeds) act(world, one)
        for (const key of keys) {
          const [found, expected] = [rowOf(world, key), world.expected.get(key)]
          if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${key} is ${found}, not ${expected}`)
        }
        const counts = world.database.prepare(`SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM "${wholeOf(name)}"`).get()
        const { size } = world.expected
        if (counts?.['rows'] !== size || counts['ids'] !== size) throw new Error(`${JSON.stringify(counts)}, not ${size} rows`)
        const between = (id: string) => id >= 'subject.1' && id < 'subject.2'
        for (const found of world.gathered.idsBetween('subject.1', 'subject.2'))
          if (!between(found) || !world.expected.has(found)) throw new Error(`${found} is not an id of the range`)
      } finally {
        world.database.close()
      }
    }),
    { numRuns: 2_000 },
  )
  t.pass('2,000 runs')
})

t.test('small table is merged before the other small table is full', async t => {
  const { database, gathered } = openWorld()
  const sizes = () => recentTables(name).map(one => database.prepare(`SELECT count(*) AS n FROM "${one}"`).get()?.['n'] as number)
  for (let number = 0; number < 200; number++) {
    gathered.insert([`id.${(number * 7_919) % 1_000}`, 's1', number, 0])
    if (number % 3 === 0) gathered.markStale()
    if (Math.max(...sizes()) > most) t.fail(`the small tables have ${sizes().join(' and ')} rows after ${number + 1} inserts`)
  }
  t.equal(database.prepare(`SELECT count(*) AS n FROM "${wholeOf(name)}"`).get()?.['n'], 200)
  database.close()
})

t.test('deletion of a range from the small tables and the main table deletes at most the given number of rows', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  t.teardown(() => store.close())
  const places = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `${prefix}.${i}`, signalKey: 's1', atUs: i, createdSignal: 0 as const }))
  const inRange = { id: { gte: 'a.', lt: 'a.~' } }
  await store.upsert(name, places('a', 4))
  await store.insert(name, places('a', 10))
  await store.insert(name, places('b', 3))
  t.equal(await store.count(name, inRange), 10)
  t.equal((await store.find(name, { where: inRange, limit: 100 })).length, 10)
  t.equal(await store.deleteRange(name, 'a.', 'a.~', 3), 3)
  t.equal(await store.count(name, inRange), 7)
  t.equal(await store.deleteRange(name, 'a.', 'a.~', 100), 7)
  t.equal(await store.count(name, {}), 3)
  t.strictSame(await store.insert(name, places('a', 1)), ['written'], 'a deleted id is new')
})

t.test('only collections that never expire and have no index are gathered', async t => {
  for (const [collection, spec] of Object.entries<CollectionSpec>(collections))
    if (spec.gathered) t.strictSame([collection, spec.compact, spec.expires, spec.indexes], [collection, true, undefined, []])
})
