// Gathered collection of the SQLite file, held against a plain map of its rows.
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import t from 'tap'
import { type Gathered, openGathered } from '#shared/store/sqlite/sqlite-gathered.ts'
import { schemaStatements, writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'

const name = 'observationIds'
const most = 4

type Row = [id: string, signalKey: string, atUs: number, createdSignal: number]

const id = fc.integer({ min: 0, max: 30 }).map(number => `subject.${number}`)
const deed = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('insert' as const), id, atUs: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('upsert' as const), id, atUs: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), id }) },
  { weight: 1, arbitrary: fc.constant({ does: 'merge' as const }) },
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
  } else if (one.does === 'merge') gathered.merge()
  else if (one.does === 'reopen') world.gathered = openGathered(database, name, most)
  else {
    database.exec('BEGIN')
    for (const each of one.ids) gathered.insert([each, 's3', 1, 0])
    database.exec('ROLLBACK')
    gathered.reload()
  }
}

/** Returns the row as the collection shows it to a read by key. */
function rowOf({ database, gathered }: World, key: string): Row | undefined {
  const statement = database.prepare(`SELECT * FROM ${name} WHERE id = ?`)
  statement.setReturnArrays(true)
  return (gathered.row(key) ?? statement.get(key)) as Row | undefined
}

t.test('gathered collection has the rows of a plain map after any deeds', async t => {
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
        world.gathered.merge()
        const { count } = world.database.prepare(`SELECT count(*) AS count FROM ${name}`).get() as { count: number }
        if (count !== world.expected.size) throw new Error(`${count} rows after the merge, not ${world.expected.size}`)
      } finally {
        world.database.close()
      }
    }),
    { numRuns: 2_000 },
  )
  t.pass('2,000 runs')
})

t.test('small table is merged before the other one is full', async t => {
  const { database, gathered } = openWorld()
  const sizes = () =>
    ['recent1', 'recent2'].map(one => database.prepare(`SELECT count(*) AS n FROM "${name}.${one}"`).get()?.['n'] as number)
  for (let number = 0; number < 200; number++) {
    gathered.insert([`id.${(number * 7_919) % 1_000}`, 's1', number, 0])
    if (Math.max(...sizes()) > most) t.fail(`the small tables have ${sizes().join(' and ')} rows after ${number + 1} inserts`)
  }
  gathered.merge()
  t.strictSame(sizes(), [0, 0], 'a merge leaves nothing in the small tables')
  t.equal(database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.['n'], 200)
  database.close()
})
