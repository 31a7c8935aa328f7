// Readers whose server's copy of the stream is behind the leader's (ADR 24). A real copy cannot be kept behind on command, so the connection names
// a later sequence of the leader than it has. The heartbeats, by which readers notice, are those of real servers.
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { connectToNats } from '#shared/bus/nats/nats-connect.ts'
import { createLink } from '#shared/bus/nats/nats-link.ts'
import { createObservationStream } from '#shared/bus/nats/nats-stream.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startTestCluster } from '../support/bus/nats-cluster.ts'
import { collector, publishNumbers, subjectOn, upTo } from './contract.ts'

t.test(
  'reader leaves a copy that lacks what the leader had, and hears again when heartbeats show that its copy has it',
  {
    timeout: 120 * second,
  },
  async t => {
    const cluster = await startTestCluster()
    t.teardown(() => cluster.stop())
    const bus = await cluster.connect('publisher')
    await cluster.whole()
    const { stream, consumers, leadBy, close } = await connectBehind(cluster.urlOf(0))
    t.teardown(close)
    const [got, deaf, hearing] = [collector<number>(), collector<number>(), collector<number>()]
    const feed = await stream.open({
      partition: 1,
      from: { sequence: 1 },
      onMessage: ({ body }) => {
        got.add((body as { n: number }).n)
        return true
      },
      onDeaf: deaf.add,
      onHearing: () => hearing.add(got.items.length),
      onBroken: reason => t.fail(reason),
    })
    await publishNumbers(bus, subjectOn(1), upTo(3))
    await got.reached(3)
    await stream.state()
    const first = await consumers()
    leadBy(5)
    await stream.state()
    await deaf.reached(1)
    t.ok((deaf.items[0] ?? 0) >= limits.bus.readerUnprovenMs, 'from the last proof on')
    for (let present = first; present.join() === first.join(); present = await consumers());
    t.equal(hearing.items.length, 0)
    // The reader's own partition gets no message: heartbeats show the last sequence of the copy, whatever the filter.
    await publishNumbers(bus, subjectOn(2), upTo(5))
    leadBy(0)
    await hearing.reached(1)
    await publishNumbers(bus, subjectOn(1), [4])
    await got.reached(4)
    t.strictSame(got.items, upTo(4), 'no message is lost or repeated')
    await feed.close()
  },
)

/** Opens a stream whose leader is ahead of what the cluster has by as many messages as `leadBy` said last. */
async function connectBehind(url: string) {
  const clock = createSystemClock()
  const { host, username: user, password: pass } = new URL(url)
  const connection = await connectToNats({ servers: host, user, pass })
  const real = await jetstreamManager(connection)
  let ahead = 0
  const info = async (name: string) => {
    const told = await real.streams.info(name)
    return { ...told, state: { ...told.state, last_seq: told.state.last_seq + ahead } }
  }
  const manager = Object.create(real, { streams: { value: Object.create(real.streams, { info: { value: info } }) } })
  const link = createLink({
    connection,
    manager,
    clock,
    logger: createLogger('silent'),
    inboxPrefix: undefined,
    pace: limits.bus.clustered,
    refusals: { count: 0 },
    declare: async () => undefined,
  })
  return {
    stream: createObservationStream(link),
    consumers: async () => {
      const names: string[] = []
      for await (const { name } of real.consumers.list('OBSERVATIONS')) names.push(name)
      return names
    },
    leadBy: (messages: number) => {
      ahead = messages
    },
    close: async () => {
      await link.close()
      clock.stop()
    },
  }
}
