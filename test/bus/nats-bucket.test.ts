// Consumers that reads of a bucket leave on a real nats-server.
import { connect } from '@nats-io/transport-node'
import t, { type Test } from 'tap'
import { bucketStream } from '#shared/bus/declarations.ts'
import { startTestBus, type TestBus } from '../support/bus/nats.ts'

t.test('list leaves no reader behind, with or without entries', { timeout: 400_000 }, async t => {
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

/** Each removed reader of the bucket `checks`, as the server announces it. */
async function readerRemovals(t: Test, { url, token }: TestBus) {
  const connection = await connect({ servers: url, token })
  t.teardown(() => connection.close())
  const subscription = connection.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.DELETED.${bucketStream('checks')}.>`)
  await connection.flush()
  return subscription[Symbol.asyncIterator]()
}
