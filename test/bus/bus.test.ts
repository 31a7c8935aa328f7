// The bus contract on the memory hub and on a real nats-server, and the restarts of the real server.
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { observationStream } from '#shared/bus/declarations.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { parsePosition } from '#shared/bus/nats/nats-consumer.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { eventually } from '../infra/run-program.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { startTestBus, type TestBus } from '../support/bus/nats.ts'
import { collector, describeBus, type Harness, openFeed, publishNumbers, subjectOn, upTo } from './contract.ts'
import { describeRequests } from './request-contract.ts'

t.test('bus in memory keeps the contract of every bus', async t => {
  const clock = createSystemClock()
  const hub = createMemoryHub({ clock })
  t.teardown(() => clock.stop())
  const harness: Harness = {
    connect: async () => hub.connect(),
    now: clock.now,
    recreateStream: async () => hub.recreateStream(),
    fillable: async () => {
      hub.recreateStream()
      hub.limitStream(100)
      return { bus: hub.connect(), undo: async () => hub.limitStream(Number.POSITIVE_INFINITY) }
    },
    cutOff: async bus => {
      hub.cut(bus)
      return async () => hub.restore(bus)
    },
    cutsAll: false,
  }
  describeBus(t, harness)
  describeRequests(t, harness)
})

t.test('bus on a nats-server keeps the contract of every bus', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())
  const harness: Harness = {
    connect: () => server.connect('contract'),
    now: Date.now,
    recreateStream: () => recreateStream(server, limits.stream.bytes),
    fillable: async () => {
      await recreateStream(server, 200_000)
      const bus = await server.connect('full', { streamBytes: 200_000 })
      return { bus, undo: () => recreateStream(server, limits.stream.bytes) }
    },
    cutOff: async () => {
      await server.stopServer()
      return () => server.startServer()
    },
    cutsAll: true,
  }
  describeBus(t, harness)
  describeRequests(t, harness)
})

async function recreateStream({ url, token, connect: connectTo }: TestBus, streamBytes: number): Promise<void> {
  const connection = await connect({ servers: url, token })
  const manager = await jetstreamManager(connection)
  await manager.streams.delete(observationStream)
  await connection.close()
  await connectTo('declares', { streamBytes })
}

/** Resolves at the next connection of the bus. */
const backAgain = (bus: Bus) => new Promise<void>(resolve => bus.onConnection(connected => connected && resolve()))

t.test('each feed and watch either continues or reports a loss when the nats-server restarts', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())

  t.test('each of 64 feeds delivers all messages in order when the server restarts while clients publish', async t => {
    const bus = await server.connect('reader')
    const publisher = await server.connect('publisher')
    const feeds = await Promise.all(upTo(limits.partitions, 0).map(partition => openFeed(bus, partition, { sequence: 1 })))
    const chosen = upTo(limits.partitions, 0).map(subjectOn)
    /** Retries until the publish is acknowledged, so a message may be in the stream twice. */
    const publishSurely = async (subject: string, n: number) => {
      for (;;) {
        const back = backAgain(publisher)
        try {
          return await publisher.observations.publish(subject, { n })
        } catch {
          if (!publisher.connected()) await back
        }
      }
    }
    const publishing = Promise.all(
      chosen.map(async subject => {
        for (const n of upTo(300)) await publishSurely(subject, n)
      }),
    )
    const half = feeds[0]!.got.reached(100)
    await half
    await server.restart()
    await feeds[0]!.got.reached(200)
    await server.restart()
    await publishing
    const reference = await server.connect('reference')
    for (const [partition, { got, broken }] of feeds.entries()) {
      const last = await reference.observations.lastSequenceOf(partition)
      while (got.items.at(-1)?.sequence !== last) await got.reached(got.items.length + 1)
      const whole = await openFeed(reference, partition, { sequence: 1 })
      while (whole.got.items.at(-1)?.sequence !== last) await whole.got.reached(whole.got.items.length + 1)
      const sequences = got.items.map(message => message.sequence)
      if (sequences.join() !== whole.got.items.map(message => message.sequence).join()) t.fail(`partition ${partition} differs`)
      if (broken.items.length > 0) t.fail(`partition ${partition} broke: ${broken.items}`)
    }
    t.pass('what 64 feeds saw over two restarts is what the stream has')
  })

  t.test('watches, subscriptions and revisions survive a restart of the nats-server that keeps its store', async t => {
    const bus = await server.connect('watcher')
    const bucket = bus.bucket('checks')
    const revision = await bucket.put('loc1.1.kept', 1)
    const told = collector<string>()
    await bucket.watch('loc1.>', { onEntry: ({ key, value }) => told.add(`${key}=${value}`), onReady: () => told.add('ready') })
    await told.reached(2)
    await bus.subscribe('echo', message => message.respond(message.body))
    const back = backAgain(bus)
    await server.restart()
    await back
    t.ok(await bucket.update('loc1.1.kept', 2, revision), 'the revision still counts')
    while (told.items.at(-1) !== 'loc1.1.kept=2') await told.reached(told.items.length + 1)
    t.equal(told.items.filter(item => item === 'ready').length, 1)
    t.equal(await bus.request('echo', 'still there', { timeoutMs: 5_000 }), 'still there')
  })

  t.test('watch reports lost and new keys, and feeds break, when the server has lost its store', async t => {
    const bus = await server.connect('survivor')
    const subject = subjectOn(1)
    await publishNumbers(bus, subject, upTo(3))
    const feed = await openFeed(bus, 1, { sequence: 1 })
    await feed.got.reached(3)
    const bucket = bus.bucket('checks')
    await bucket.put('loc7.1.lost', 1)
    const told = collector<string>()
    await bucket.watch('loc7.>', { onEntry: ({ key, value }) => told.add(`${key}=${value}`) })
    await told.reached(1)
    const back = backAgain(bus)
    await server.stopServer()
    await server.wipe()
    await server.startServer()
    await back
    await feed.broken.reached(1)
    await told.reached(2)
    t.strictSame(told.items, ['loc7.1.lost=1', 'loc7.1.lost=null'])
    t.ok(await bucket.update('loc7.1.new', 1, 0), 'the buckets were declared again')
    await told.reached(3)
    t.equal(told.items[2], 'loc7.1.new=1')
    await publishNumbers(bus, subject, [1])
    const fresh = await openFeed(bus, 1, { sequence: 1 })
    await fresh.got.reached(1)
    t.strictSame(fresh.numbers(), [1])
  })

  t.test('feed continues at its position when the server has lost its consumer', async t => {
    const bus = await server.connect('restored')
    const subject = subjectOn(2)
    await publishNumbers(bus, subject, upTo(5))
    const { got, broken, numbers, deaf, hearing } = await openFeed(bus, 2, { sequence: 1 })
    await got.reached(5)
    const connection = await connect({ servers: server.url, token: server.token })
    const manager = await jetstreamManager(connection)
    const names: string[] = []
    for await (const { name } of manager.consumers.list(observationStream)) names.push(name)
    // Feeds of earlier tests remove their consumers at the same time, so a consumer may already be absent.
    for (const name of names) await manager.consumers.delete(observationStream, name).catch(() => false)
    await connection.close()
    await publishNumbers(bus, subject, upTo(5, 6))
    await got.reached(10)
    t.strictSame(numbers(), upTo(10))
    t.strictSame(broken.items, [])
    await hearing.reached(1)
    t.strictSame([deaf.items, hearing.items.length], [[5], 1], 'it was deaf for a moment')
  })

  t.test('feed breaks when the stream lost its newest messages and has grown again while the feed was disconnected', async t => {
    const bus = await server.connect('cut')
    const subject = subjectOn(3)
    await publishNumbers(bus, subject, upTo(2))
    const { got, broken } = await openFeed(bus, 3, { sequence: 1 })
    await got.reached(2)
    await server.stopServer()
    const kept = await server.keep()
    await server.startServer()
    const publisher = await server.connect('publisher')
    await publishNumbers(publisher, subject, upTo(3, 3))
    await got.reached(5)
    await server.stopServer()
    await kept()
    await server.startServer()
    const other = await server.connect('other')
    await publishNumbers(other, subject, upTo(9, 100))
    await broken.reached(1)
    t.match(broken.items, ['the stream ends before what was read'])
  })

  t.test('watch continues when its bucket was removed and declared again', async t => {
    const bus = await server.connect('mender')
    const bucket = bus.bucket('presence')
    await bucket.put('keeper.a', 1)
    const told = collector<string>()
    await bucket.watch('keeper.*', { onEntry: ({ key, value }) => told.add(`${key}=${value}`) })
    await told.reached(1)
    const connection = await connect({ servers: server.url, token: server.token })
    t.teardown(() => connection.close())
    const { streams } = await jetstreamManager(connection)
    await streams.delete('KV_presence')
    await told.reached(2)
    t.equal(told.items[1], 'keeper.a=null')
    // On a busy machine, a nats-server now and then never acknowledges anything to a stream that was made right after its removal. Such a
    // stream is removed once more.
    const putOrRemove = async () => {
      try {
        await bucket.put('keeper.b', 2)
        return true
      } catch {
        await streams.delete('KV_presence').catch(() => false)
        return false
      }
    }
    await eventually('the bucket took the entry', putOrRemove)
    await told.reached(3)
    t.equal(told.items[2], 'keeper.b=2')
  })
})

t.test('connection to a nats-server waits for the server, declares the streams and hides its token', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())
  const logger = createLogger('silent')
  const port = new URL(server.url).port

  t.test('connection uses the token in its address, and no error contains the token', async t => {
    const bus = await connectBus({ servers: `nats://${server.token}@127.0.0.1:${port}`, name: 'url', patienceMs: 5_000, logger })
    t.equal(bus.connected(), true)
    await bus.close()
    t.equal(bus.connected(), false)
    for (const [title, servers, patienceMs, expected] of [
      ['a wrong token', `nats://secret-word@127.0.0.1:${port}`, 10_000, /refuses the credentials/],
      ['nobody there', 'nats://user:secret-word@127.0.0.1:1', 300, /127\.0\.0\.1:1 does not answer/],
      ['no address', 'nats://', 300, /must be nats:\/\/host:port/],
    ] as const) {
      const error = await connectBus({ servers, name: 'refused', patienceMs, logger }).then(
        () => null,
        error => error as Error,
      )
      t.match(error?.message, expected, title)
      t.notMatch(error?.message, /secret-word/, `${title}: without the secret`)
    }
  })

  t.test('bus declares its streams before it reports a connection when the store was lost', async t => {
    const bus = await server.connect('publisher only')
    const back = backAgain(bus)
    await server.stopServer()
    await server.wipe()
    await server.startServer()
    await back
    await publishNumbers(bus, subjectOn(1), [1])
    t.equal((await bus.observations.state()).lastSequence, 1)
    await bus.close()
  })

  t.test('connection waits for a server that starts late', async t => {
    await server.stopServer()
    const connecting = connectBus({ servers: server.url, token: server.token, name: 'early', patienceMs: 10_000, logger })
    await server.startServer()
    const bus = await connecting
    t.equal(bus.connected(), true)
    await bus.close()
  })
})

t.test('connection drops messages that match no subscription', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())
  const metrics = new Registry()
  const lines: { first?: string; subscribed?: string; msg: string }[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const bus = await server.connect('receiver', { metrics, logger })
  const bare = await connect({ servers: server.url, token: server.token })
  t.teardown(() => bare.close())
  const strays = async () => /watchkeeper_bus_strays_total (\d+)/.exec(await metrics.metrics())?.[1] ?? '0'

  t.test('bus drops and counts messages that a consumer pushes to a subscription, and logs the count once a minute', async t => {
    const heard = collector<string>()
    await bus.subscribe(subjects.testMessage, message => heard.add(message.subject), { queue: 'members' })
    await bus.subscribe(subjects.alertNudge, message => heard.add(message.subject), { queue: 'members' })
    const manager = await jetstreamManager(bare)
    for (const n of upTo(5)) await bus.bucket('presence').put(`prober.loc1.p${n}`, { destinationId: 'x' })
    for (const target of [subjects.testMessage, subjects.alertNudge]) {
      const pushed = { deliver_subject: target, deliver_group: 'members', ack_policy: AckPolicy.None }
      await manager.consumers.add('KV_presence', { name: `evil-${target.replace('.', '-')}`, ...pushed })
    }
    await eventually('all were dropped', async () => (await strays()) === '10')
    bare.publish(subjects.alertNudge, '{}')
    await heard.reached(1)
    t.strictSame(heard.items, [subjects.alertNudge])
    const said = lines.filter(({ msg }) => msg === 'messages dropped that are not what was subscribed to')
    t.strictSame(said.map(({ subscribed }) => subscribed).toSorted(), [subjects.alertNudge, subjects.testMessage].toSorted())
    t.match(said[0]?.first, /^\$KV\.presence\.prober\.loc1\.p1$/)
  })

  t.test('request gets no response when its reply subject is not an inbox', async t => {
    const before = Number(await strays())
    const heard = collector<string>()
    await bus.subscribe('cmd.2.*', message => heard.add(message.subject))
    await bus.subscribe('echo', message => message.respond(message.body))
    for (const reply of ['cmd.2.x', 'INBOX.x', '_INBOXES.x']) bare.publish('echo', '{"kind":"command"}', { reply })
    t.equal((await bare.request('echo', '1')).string(), '1')
    bare.publish('cmd.2.y', '{}')
    await heard.reached(1)
    t.strictSame(heard.items, ['cmd.2.y'])
    t.equal(Number(await strays()), before + 3)
  })

  t.test('process that has a store removes the consumers of other programs when it connects', async t => {
    const manager = await jetstreamManager(bare)
    const reading = await openFeed(bus, 3, { sequence: 1 })
    const foreign = async () => {
      const names: string[] = []
      for (const stream of ['OBSERVATIONS', 'KV_checks', 'KV_presence', 'KV_leases']) {
        for await (const { name } of manager.consumers.list(stream)) if (!name.startsWith('r_')) names.push(name)
      }
      return names
    }
    for (const stream of ['KV_checks', 'OBSERVATIONS']) {
      const many = upTo(400).map(n =>
        manager.consumers.add(stream, { durable_name: `r_${n}`.padEnd(18, '0'), ack_policy: AckPolicy.Explicit }),
      )
      await Promise.all(many)
    }
    t.equal((await foreign()).length, 2, 'those of before, beside many that are called as ours are')
    await server.connect('prober', { declare: false })
    t.equal((await foreign()).length, 2, 'a process without a store leaves them')
    await server.connect('keeper')
    t.strictSame(await foreign(), [])
    t.equal((await manager.streams.info('KV_checks')).state.consumer_count, 0)
    t.equal((await manager.streams.info('OBSERVATIONS')).state.consumer_count, 1, 'the reader stays')
    await publishNumbers(bus, subjectOn(3), [1])
    await reading.got.reached(1)
  })
})

t.test('stream position of a message is read from each known form of its reply subject', async t => {
  const expected = { sequence: 12, delivery: 3, at: 1_700_000_000_123, pending: 7 }
  t.strictSame(parsePosition('$JS.ACK.S.c.1.12.3.1700000000123456789.7'), expected)
  t.strictSame(parsePosition('$JS.ACK._.acc.S.c.1.12.3.1700000000123456789.7'), expected)
  t.strictSame(parsePosition('$JS.ACK.hub.acc.S.c.1.12.3.1700000000123456789.7.rnd'), expected)
})
