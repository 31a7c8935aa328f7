// A read of a bucket creates a consumer on a real nats-server and removes the consumer at its end.
import { connect } from '@nats-io/transport-node'
import t, { type Test } from 'tap'
import { bucketStream } from '#shared/bus/declarations.ts'
import { startTestBus, type TestBus } from '../support/bus/nats.ts'

t.test('list of a bucket removes its consumer whether an entry matches or not', { timeout: 400_000 }, async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())
  const bucket = (await server.connect('lister')).bucket('checks')
  await bucket.put('loc1.1.a', 1)
  const removals = await readerRemovals(t, server)
  for (const [filter, found] of [
    ['loc1.*.*', ['loc1.1.a']],
    ['loc2.*.*', []],
  ] as const) {
    const entries = await bucket.list(filter)
    t.strictSame(
      entries.map(entry => entry.key),
      found,
    )
    await removals.next()
    t.pass(`the reader of ${filter} is gone`)
  }
})

/** Subscribes to the messages that the server sends when a consumer of the bucket `checks` was removed. */
async function readerRemovals(t: Test, { url, token }: TestBus) {
  const connection = await connect({ servers: url, token })
  t.teardown(() => connection.close())
  const subscription = connection.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.DELETED.${bucketStream('checks')}.>`)
  await connection.flush()
  return subscription[Symbol.asyncIterator]()
}
