// Reads in the thread of their caller are bounded by the rows that they look at, whatever SQLite's plan says about them.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import type { Query } from '#shared/store/port.ts'
import { planQuery } from '#shared/store/query.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { selectSql } from '#shared/store/sqlite/sqlite-query.ts'
import { openSqliteReader } from '#shared/store/sqlite/sqlite-reader.ts'
import { subject } from './documents.ts'

const { steps, rows } = limits.store.near

/** Opens a reader beside a store with so many archived subjects and an active one, which comes last. */
async function readerOf(t: Test, archived: number) {
  const path = join(t.testdir(), 'watchkeeper.db')
  const store = await openSqliteStore(path)
  const id = (i: number) => `s${String(i).padStart(5, '0')}`
  const kept = Array.from({ length: archived }, (_, i) => subject(id(i), { archivedAt: 1, createdAt: i }))
  await store.insert('subjects', [...kept, subject('t', { archivedAt: null, createdAt: archived })])
  const reader = openSqliteReader(path)
  t.teardown(async () => {
    reader.close()
    await store.close()
  })
  return (query: Omit<Query, 'limit'>) =>
    reader.rows(selectSql('subjects', ['id'], planQuery('subjects', { limit: rows, ...query })), rows)
}

const { workspaceId } = subject('any')
const active = { workspaceId, archivedAt: null }
const turn = () => new Promise(resolve => setImmediate(resolve))

t.test('read that looks at the permitted number of rows is made in the thread of its caller', async t => {
  const read = await readerOf(t, steps - 1)
  t.strictSame(read({ where: active }), ['t'])
})

t.test('read that filters or sorts more rows is left to the worker, also the next time', async t => {
  for (const sort of [undefined, [['name', 'asc']]] as Query['sort'][]) {
    const read = await readerOf(t, steps)
    const query = { where: active, ...(sort === undefined ? {} : { sort }) }
    t.equal(read(query), null)
    await turn()
    t.equal(read(query), null)
    t.strictSame(read({ where: { id: 't' } }), ['t'], 'other reads go on')
  }
})

t.test('read of a range looks only at the rows of its page', async t => {
  const read = await readerOf(t, 3 * steps)
  t.equal(read({ where: { workspaceId }, sort: [['createdAt', 'asc']], after: { values: [steps * 2], id: 'a' } })?.length, rows)
})
