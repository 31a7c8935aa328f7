// SQLite file on a full disk. SQLite rolls back the whole transaction by itself, and the store must forget the gathered ids of its rows.
import { join } from 'node:path'
import t from 'tap'
import { openSqliteChannel } from '#shared/store/sqlite/sqlite-channel.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'

t.test('ids of new rows can be inserted again when their transaction failed at a full disk', async t => {
  const channel = await openSqliteChannel(join(t.testdir(), 'watchkeeper.db'))
  t.teardown(() => channel.close())
  const collection = 'observationIds'
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `subject.${from + i}`)
  const insert = async (keys: readonly string[]) => {
    const rows = keys.flatMap((id): SqlValue[] => [id, 's1', 1, 0])
    const put = { mode: 'insert' as const, collection: collection as typeof collection, rows, isClaim: true }
    const [letters] = (await channel.send({ kind: 'put', puts: [put] }, keys.length)) as string[]
    return letters
  }
  const pages = (most: number) => channel.send({ kind: 'rows', text: `PRAGMA max_page_count = ${most}`, parameters: [] }, 1)
  const read = async (keys: readonly string[]) => {
    const text = `SELECT id FROM "${collection}" WHERE id = ?`
    return ((await channel.send({ kind: 'rowsByKey', collection, text, keys }, keys.length)) as SqlValue[]).filter(value =>
      String(value).startsWith('subject.'),
    )
  }
  t.equal(await insert(ids(0, 10)), 'w'.repeat(10))
  await pages(1)
  const lost = ids(10, 5_000)
  await t.rejects(insert(lost), { kind: 'unavailable', message: /full/ })
  t.strictSame(await read([...ids(0, 10), ...lost]), ids(0, 10), 'only the committed ids are known')
  await pages(1_000_000)
  t.match(await insert(lost), /^w+$/, 'ids that were never stored are new')
  t.match(await insert(ids(0, 12)), /^r+$/)
})
