// Migration 5: rows of the delivery log get their monitor, in both stores. Until then, the log about a monitor also has rows without it.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MongoClient } from 'mongodb'
import t from 'tap'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { levelOf } from '#shared/store/level.ts'
import { messagesByMonitor } from '#shared/store/migrations/0005-messages-by-monitor.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import { migrateMongodb } from '#shared/store/mongodb/mongodb-migrate.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { migrateSqliteFile } from '#shared/store/sqlite/sqlite-migrate.ts'
import { randomId } from '#shared/text/ids.ts'
import { listDeliveryLog } from '../../services/directory/notifications/delivery-log.ts'
import { sharedMongodb } from '../support/store/secantus.ts'

const site = 'siteAAAAAA'
/** A row as an earlier version wrote it. */
const row = (number: number, incidentId: string | null): DeliveryLogDocument => ({
  id: `log${number}`,
  rev: 1,
  number,
  workspaceId: 'w',
  destinationId: 'd',
  destinationNumber: 1,
  destinationName: 'Ops',
  destinationType: 'webhook',
  alertKind: 'problem',
  event: 'problem',
  status: 'delivered',
  reason: null,
  shownInV2: 1,
  payload: '{}',
  error: '',
  incidentId,
  at: number,
  expireAt: 5e12,
})
const rows = [row(1, `${site}.1`), row(2, null), row(3, `${site}.12`), row(4, 'siteAAAAAB.1'), row(5, `${site}.2`)]

const migrating = {
  clock: { monotonic: () => 0, schedule: () => () => undefined },
  tell: () => undefined,
  content: async () => ({ installationId: 'none', at: 0, files: {} }),
}

async function instantsAt(store: Store, number: number): Promise<number[]> {
  const asked = { workspaceId: 'w', status: null, destinationId: null, subjectId: site, limit: 50, after: null }
  const { items } = await listDeliveryLog({ store, level: levelOf(number) } as never, asked as never)
  return items.map(({ at }) => at)
}

t.test('sqlite: file of number 4 gets the column, and the messages about a monitor are those of before', async t => {
  const path = join(t.testdir(), 'watchkeeper.db')
  const former = await openSqliteStore(path)
  await former.insert('deliveryLog', rows)
  await former.close()
  const database = new DatabaseSync(path)
  database.exec('DROP INDEX "deliveryLog.ofSubjectByInstant"; ALTER TABLE "deliveryLog" DROP COLUMN "subjectId"')
  database.exec(`PRAGMA user_version = ${messagesByMonitor - 1}`)
  database.close()
  await migrateSqliteFile(path, migrating)
  const store = await openSqliteStore(path)
  t.teardown(() => store.close())
  t.strictSame(await instantsAt(store, messagesByMonitor), [5, 3, 1])
  t.match(await store.get('deliveryLog', ['log1', 'log2']), [{ subjectId: site, payload: '{}' }, { subjectId: null }])
})

t.test('mongodb: log has all messages about a monitor before and after the upgrade is finished', async t => {
  const server = await sharedMongodb(t)
  if (server === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const url = `${server.replace(/\/[^/]*$/, '')}/messages_${randomId(8)}`
  const client = new MongoClient(url)
  t.teardown(() => client.close())
  const mark = { number: messagesByMonitor - 1, done: messagesByMonitor - 1, after: '', holder: null, beat: 0 }
  await client
    .db()
    .collection<{ _id: string }>('migration')
    .insertOne({ _id: 'store', ...mark })
  const store = await openMongodbStore(url)
  t.teardown(() => store.close())
  await store.insert('deliveryLog', rows)
  await store.insert('deliveryLog', [{ ...row(6, `${site}.13`), subjectId: site }])
  t.equal(await migrateMongodb(url, migrating), messagesByMonitor - 1, 'a start leaves it')
  t.strictSame(await instantsAt(store, messagesByMonitor - 1), [6, 5, 3, 1])
  t.equal(await migrateMongodb(url, { ...migrating, upTo: messagesByMonitor }), messagesByMonitor)
  t.strictSame(await instantsAt(store, messagesByMonitor), [6, 5, 3, 1])
  await client.db().collection<{ _id: string }>('migration').updateOne({ _id: 'store' }, { $set: mark })
  const again = { ...migrating, upTo: messagesByMonitor }
  t.equal(await migrateMongodb(url, again), messagesByMonitor, 'a page without a row to change is passed over')
})
