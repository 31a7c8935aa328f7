// Contract of every bus, run on the memory hub and on a real nats-server; requests have their own contract (`request-contract.ts`). Each
// case has its own connections, subjects and keys, because all cases of one run share the bus.
import type { Test } from 'tap'
import { type Bus, BusError, type Feed, type FeedOptions, type StreamMessage } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'

export interface Harness {
  connect(): Promise<Bus>
  /** Present instant on the clock of the bus, ms since the epoch. */
  now(): number
  /** Replaces the stream with an empty one. */
  recreateStream(): Promise<void>
  /** Opens a connection whose stream is full after a few messages. `undo` restores the capacity of the stream. */
  fillable(): Promise<{ bus: Bus; undo(): Promise<void> }>
  /** Disconnects this connection from the bus until the returned function is called. */
  cutOff(bus: Bus): Promise<() => Promise<void>>
  /** True: `cutOff` disconnects every connection. False: `cutOff` disconnects only the given one. */
  cutsAll: boolean
}

/** Collects messages, and lets a test wait for the arrival of a given number of messages. */
export function collector<T>() {
  const items: T[] = []
  let wanted = { count: 0, resolve: () => {} }
  return {
    items,
    add: (item: T) => {
      items.push(item)
      if (items.length >= wanted.count) wanted.resolve()
    },
    /** Resolves when this number of messages has arrived in total. */
    reached: async (count: number) => {
      if (items.length >= count) return
      await new Promise<void>(resolve => {
        wanted = { count, resolve }
      })
    },
  }
}

export function subjectOn(partition: number): string {
  for (;;) {
    const subject = subjects.observation('loc1', randomId(10))
    if (subject.startsWith(`obs.${partition}.`)) return subject
  }
}

export async function openFeed(bus: Bus, partition: number, from: FeedOptions['from'], accept: () => boolean = () => true) {
  const got = collector<StreamMessage>()
  const broken = collector<string>()
  /**
   * The feed reports that it is cut off (`deaf`) or has caught up (`hearing`). At each report the list of that name gets
   * the number of messages received so far.
   */
  const deaf = collector<number>()
  const hearing = collector<number>()
  const onMessage = (message: StreamMessage) => {
    got.add(message)
    return accept()
  }
  const feed: Feed = await bus.observations.open({
    partition,
    from,
    onMessage,
    onBroken: broken.add,
    onDeaf: () => deaf.add(got.items.length),
    onHearing: () => hearing.add(got.items.length),
  })
  return { feed, got, broken, deaf, hearing, numbers: () => got.items.map(message => (message.body as { n: number }).n) }
}

export const upTo = (count: number, first = 1): number[] => Array.from({ length: count }, (_, i) => first + i)

export async function publishNumbers(bus: Bus, subject: string, numbers: number[]): Promise<void> {
  for (const n of numbers) await bus.observations.publish(subject, { n })
}

const kindOf = (error: unknown) => (error instanceof BusError ? error.kind : error)
export const refused = (promise: Promise<unknown>) => promise.then(() => 'nothing refused', kindOf)

export function describeBus(t: Test, harness: Harness): void {
  describeFeeds(t, harness)
  describeBuckets(t, harness)
}

function describeFeeds(t: Test, harness: Harness): void {
  t.test('feed delivers present and new messages of one partition in stream order', async t => {
    const bus = await harness.connect()
    const subject = subjectOn(3)
    await publishNumbers(bus, subject, upTo(20))
    await publishNumbers(bus, subjectOn(4), [999])
    const { got, numbers, feed } = await openFeed(bus, 3, { sequence: 1 })
    await publishNumbers(bus, subject, upTo(20, 21))
    await got.reached(40)
    t.strictSame(numbers(), upTo(40))
    t.equal(got.items[0]?.subject, subject)
    const sequences = got.items.map(message => message.sequence)
    t.strictSame(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
    t.ok(got.items.every(message => Number.isInteger(message.at) && Math.abs(message.at - Date.now()) < 60_000))
    await feed.close()
    await publishNumbers(bus, subject, [41])
    const second = await openFeed(bus, 3, { sequence: sequences[30]! })
    await second.got.reached(11)
    t.strictSame(second.numbers(), upTo(11, 31), 'from the sequence itself on')
    t.equal(got.items.length, 40, 'a closed feed hands over nothing')
  })

  t.test('feed with a start time begins with the first message at or after that time', async t => {
    const bus = await harness.connect()
    const subject = subjectOn(5)
    const all = await openFeed(bus, 5, { sequence: 1 })
    await publishNumbers(bus, subject, upTo(3))
    await all.got.reached(3)
    const last = all.got.items[2]!
    // A message with a later time proves that the server's clock has advanced.
    for (let n = 4; all.got.items.at(-1)!.at <= last.at; n++) {
      await publishNumbers(bus, subject, [n])
      await all.got.reached(n)
    }
    const newest = all.got.items.at(-1)!
    const { got } = await openFeed(bus, 5, { time: newest.at })
    await got.reached(1)
    t.ok(got.items.every(message => message.at >= newest.at))
    t.equal(got.items.at(-1)?.sequence, newest.sequence)
  })

  t.test('resumed feed loses no message and repeats no message', async t => {
    const bus = await harness.connect()
    const subject = subjectOn(6)
    const total = limits.bus.readerBatch * 3 + 7
    await Promise.all(upTo(total).map(n => bus.observations.publish(subject, { n })))
    let room = 100
    const { got, feed } = await openFeed(bus, 6, { sequence: 1 }, () => --room > 0)
    await got.reached(100)
    await bus.observations.publish(subjectOn(7), { n: 0 })
    t.equal(got.items.length, 100, 'nothing comes during a pause')
    for (let expected = 200; expected < total; expected += 100) {
      room = 100
      feed.resume()
      await got.reached(expected)
      t.equal(got.items.length, expected)
    }
    room = Number.POSITIVE_INFINITY
    feed.resume()
    await got.reached(total)
    const sequences = got.items.map(message => message.sequence)
    t.equal(new Set(sequences).size, total)
    t.strictSame(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
  })

  t.test('each of many feeds on one connection gets only the messages of its partition', async t => {
    const bus = await harness.connect()
    const publisher = await harness.connect()
    const { lastSequence } = await bus.observations.state()
    const feeds = await Promise.all(
      upTo(limits.partitions, 0).map(partition => openFeed(bus, partition, { sequence: lastSequence + 1 })),
    )
    const chosen = upTo(limits.partitions, 0).map(subjectOn)
    await Promise.all(chosen.flatMap(subject => upTo(10).map(n => publisher.observations.publish(subject, { n }))))
    await Promise.all(feeds.map(({ got }) => got.reached(10)))
    t.ok(feeds.every(({ got }, partition) => got.items.every(message => message.subject === chosen[partition])))
    await Promise.all(feeds.map(({ feed }) => feed.close()))
  })

  t.test('stream reports its state and the newest sequence of a partition, and no longer has purged messages', async t => {
    const bus = await harness.connect()
    t.equal(await bus.observations.lastSequenceOf(50).then(n => n >= 0), true)
    await harness.recreateStream()
    t.equal(await bus.observations.lastSequenceOf(8), 0, 'none yet')
    await publishNumbers(bus, subjectOn(8), upTo(5))
    await publishNumbers(bus, subjectOn(9), upTo(2))
    t.equal(await bus.observations.lastSequenceOf(8), 5)
    const first = (partition: number, from: number) => bus.observations.firstSequenceOf(partition, from)
    t.strictSame([await first(8, 0), await first(8, 3), await first(8, 6), await first(9, 0)], [1, 3, null, 6])
    await bus.observations.purgeBelow(4)
    const { got, numbers } = await openFeed(bus, 8, { sequence: 1 })
    await got.reached(2)
    t.strictSame(numbers(), [4, 5], 'what is below is gone')
    const state = await bus.observations.state()
    t.strictSame([state.firstSequence, state.lastSequence, await first(8, 0)], [4, 7, 4])
    t.ok(Math.abs(state.lastAt - Date.now()) < 60_000, 'with the stamp of the newest message')
    t.ok(
      (state.askedAt ?? 0) >= state.lastAt && (state.askedAt ?? 0) < state.lastAt + 60_000,
      'and the present time of the server',
    )
    await bus.observations.purgeBelow(7)
    t.strictSame([await first(8, 0), await first(9, 0), await bus.observations.lastSequenceOf(8)], [null, 7, 0])
  })

  t.test('recreated stream has a new creation time, and breaks the feeds of its predecessor', async t => {
    const bus = await harness.connect()
    await publishNumbers(bus, subjectOn(10), upTo(5))
    const one = await openFeed(bus, 10, { sequence: 1 })
    const other = await openFeed(bus, 11, { sequence: 1 })
    await one.got.reached(5)
    const before = await bus.observations.state()
    await harness.recreateStream()
    await Promise.all([one.broken.reached(1), other.broken.reached(1)])
    const after = await bus.observations.state()
    t.not(after.createdAt, before.createdAt)
    await publishNumbers(bus, subjectOn(10), [6])
    const again = await openFeed(bus, 10, { sequence: 1 })
    await again.got.reached(1)
    t.strictSame([again.numbers(), one.broken.items.length], [[6], 1], 'a broken feed says so once and delivers nothing more')
    t.equal(one.got.items.length, 5)
  })

  t.test('feed breaks when its start position is after the end of the stream', async t => {
    const bus = await harness.connect()
    const { lastSequence } = await bus.observations.state()
    const { broken } = await openFeed(bus, 12, { sequence: lastSequence + 100 })
    await broken.reached(1)
    t.match(broken.items[0], /ends before/)
  })

  t.test('full stream refuses messages, and stores messages again when its capacity is restored', async t => {
    const { bus, undo } = await harness.fillable()
    const subject = subjectOn(13)
    const pad = 'x'.repeat(4_000)
    let published = 0
    const outcome = await refused(
      (async () => {
        for (; published < 10_000; published++) await bus.observations.publish(subject, { pad })
      })(),
    )
    t.equal(outcome, 'full')
    t.ok(published > 0)
    const last = await bus.observations.lastSequenceOf(13)
    await bus.observations.purgeBelow(last + 1)
    await bus.observations.publish(subject, { pad })
    await undo()
  })

  t.test('disconnected bus refuses every call with `unavailable` at once, and works again after it reconnects', async t => {
    const bus = await harness.connect()
    const other = await harness.connect()
    const subject = subjectOn(14)
    const { got, numbers } = await openFeed(bus, 14, { sequence: 1 })
    await publishNumbers(bus, subject, upTo(3))
    await got.reached(3)
    const silent = await other.subscribe('silent', () => undefined)
    const asked = refused(bus.request('silent', {}, { timeoutMs: 60_000 }))
    const changes = collector<boolean>()
    bus.onConnection(changes.add)
    const reconnect = await harness.cutOff(bus)
    await changes.reached(1)
    t.equal(bus.connected(), false)
    t.equal(await asked, 'unavailable', 'a request in flight')
    for (const [title, task] of [
      ['publish', bus.observations.publish(subject, { n: 0 })],
      ['request', bus.request('silent', {}, { timeoutMs: 60_000 })],
      ['put', bus.bucket('checks').put('a', 1)],
      ['get', bus.bucket('checks').get('a')],
      ['state', bus.observations.state()],
    ] as const) {
      t.equal(await refused(task), 'unavailable', title)
    }
    await reconnect()
    await changes.reached(2)
    t.strictSame(changes.items, [false, true])
    await publishNumbers(bus, subject, upTo(3, 4))
    await got.reached(6)
    t.strictSame(numbers(), upTo(6), 'the feed went on in exact order')
    await silent.close()
  })

  t.test('feed reports the loss of its connection, and reports again when it has caught up', async t => {
    const [bus, publisher] = [await harness.connect(), await harness.connect()]
    const subject = subjectOn(5)
    await publishNumbers(bus, subject, upTo(3))
    const { got, deaf, hearing } = await openFeed(bus, 5, { sequence: 1 })
    await got.reached(3)
    t.strictSame([deaf.items, hearing.items], [[], []], 'not for what waited when it was opened')
    const reconnect = await harness.cutOff(bus)
    await deaf.reached(1)
    if (!harness.cutsAll) await publishNumbers(publisher, subject, upTo(2, 4))
    await reconnect()
    await hearing.reached(1)
    t.strictSame([deaf.items, hearing.items], [[3], [harness.cutsAll ? 3 : 5]])
  })
}

function describeBuckets(t: Test, harness: Harness): void {
  t.test('compare-and-set lets one of 50 concurrent writers win, and revision 0 requires that the key is absent', async t => {
    const buses = await Promise.all([harness.connect(), harness.connect()])
    const [one, other] = buses.map(bus => bus.bucket('leases'))
    const created = await Promise.all(upTo(50).map(n => (n % 2 ? one! : other!).update('race.create', { n }, 0)))
    t.equal(created.filter(revision => revision !== null).length, 1)
    const revision = created.find(found => found !== null)!
    const renewed = await Promise.all(upTo(50).map(n => (n % 2 ? one! : other!).update('race.create', { n }, revision)))
    t.equal(renewed.filter(found => found !== null).length, 1)
    const winner = renewed.findIndex(found => found !== null) + 1
    const entry = await one!.get('race.create')
    t.match(entry, { key: 'race.create', revision: renewed[winner - 1]!, value: { n: winner } })
    t.ok(Math.abs(entry!.at - Date.now()) < 60_000, 'with the time of the server')
    t.equal(await other!.update('race.create', {}, revision), null)
    t.equal(await other!.update('race.create', {}, 0), null)
  })

  t.test('removed key reads as absent and may be created again', async t => {
    const bucket = (await harness.connect()).bucket('checks')
    t.equal(await bucket.get('gone.1.a'), null)
    const first = await bucket.put('gone.1.a', 'first')
    await bucket.delete('gone.1.a')
    t.equal(await bucket.get('gone.1.a'), null)
    t.equal(await bucket.update('gone.1.a', 'stale', first), null, 'the old revision is stale')
    const rivals = await Promise.all(upTo(10).map(n => bucket.update('gone.1.a', n, 0)))
    t.equal(rivals.filter(revision => revision !== null).length, 1, 'one creates it over the removal')
    t.equal((await bucket.get('gone.1.a'))?.value, rivals.findIndex(revision => revision !== null) + 1)
  })

  t.test('key is removed only at the revision that it has', async t => {
    const bucket = (await harness.connect()).bucket('check-pages')
    const first = await bucket.put('loc9.1.1', 1)
    const second = await bucket.put('loc9.1.1', 2)
    t.equal(await bucket.deleteAt('loc9.1.1', first), false)
    t.equal((await bucket.get('loc9.1.1'))?.value, 2)
    t.equal(await bucket.deleteAt('loc9.1.1', second), true)
    t.equal(await bucket.get('loc9.1.1'), null)
    t.equal(await bucket.deleteAt('loc9.1.1', second), false, 'it is gone already')
    t.ok((await bucket.update('loc9.1.1', 3, 0)) !== null, 'and may be created again')
  })

  t.test('purge removes what matches, and no watch hears of it', async t => {
    const bucket = (await harness.connect()).bucket('checks')
    for (const key of ['pur.7.a', 'pur.7.b', 'pur.8.c']) await bucket.put(key, key)
    await bucket.delete('pur.7.b')
    const told = collector<string>()
    const watch = await bucket.watch('pur.>', { onEntry: ({ key, value }) => told.add(`${key}=${value}`) })
    await told.reached(2)
    await bucket.purge('*.7.*')
    t.strictSame(await bucket.list('pur.>').then(entries => entries.map(({ key }) => key)), ['pur.8.c'])
    t.equal(await bucket.get('pur.7.a'), null)
    await bucket.put('pur.8.d', 1)
    await told.reached(3)
    t.strictSame(told.items, ['pur.7.a=pur.7.a', 'pur.8.c=pur.8.c', 'pur.8.d=1'])
    t.ok((await bucket.update('pur.7.a', 'again', 0)) !== null)
    await watch.close()
  })

  t.test('watch reports the present keys, then that it is ready, then every change in order', async t => {
    const bucket = (await harness.connect()).bucket('checks')
    const writer = (await harness.connect()).bucket('checks')
    await writer.put('loc2.1.a', 1)
    await writer.put('loc2.2.b', 1)
    await writer.put('loc3.1.c', 1)
    await writer.put('loc2.3.gone', 1)
    await writer.delete('loc2.3.gone')
    const told = collector<string>()
    const watch = await bucket.watch('loc2.>', {
      onEntry: ({ key, value }) => told.add(`${key}=${JSON.stringify(value)}`),
      onReady: () => told.add('ready'),
    })
    await told.reached(3)
    t.strictSame(told.items, ['loc2.1.a=1', 'loc2.2.b=1', 'ready'], 'only what matches and is present')
    for (const n of upTo(20)) await writer.put('loc2.1.a', n)
    await writer.put('loc3.1.c', 2)
    await writer.delete('loc2.2.b')
    const last = 'loc2.2.b=null'
    while (told.items.at(-1) !== last) await told.reached(told.items.length + 1)
    const values = told.items.filter(item => item.startsWith('loc2.1.a=')).map(item => Number(item.split('=')[1]))
    t.strictSame(
      values.slice(1),
      values.slice(1).toSorted((a, b) => a - b),
    )
    t.equal(values.at(-1), 20)
    t.notOk(told.items.some(item => item.startsWith('loc3')))
    await watch.close()
    const none = collector<string>()
    await bucket.watch('loc9.>', { onEntry: () => none.add('entry'), onReady: () => none.add('ready') })
    await none.reached(1)
    t.strictSame(none.items, ['ready'], 'ready at once where nothing is')
  })

  t.test('list returns the present entries that match its filter', async t => {
    const bucket = (await harness.connect()).bucket('checks')
    for (const key of ['loc4.1.a', 'loc4.2.b', 'loc5.1.list', 'loc5.2.d']) await bucket.put(key, { key })
    await bucket.delete('loc5.2.d')
    for (const [filter, keys] of [
      ['loc4.>', ['loc4.1.a', 'loc4.2.b']],
      ['*.1.list', ['loc5.1.list']],
      ['loc5.*.*', ['loc5.1.list']],
      ['loc4.1.a', ['loc4.1.a']],
      ['loc6.>', []],
    ] as const) {
      const entries = await bucket.list(filter)
      t.strictSame(entries.map(entry => entry.key).toSorted(), keys, filter)
      t.ok(entries.every(entry => (entry.value as { key: string }).key === entry.key && entry.revision > 0))
    }
  })

  t.test('pages of a bucket return each change once, in order, from any position', async t => {
    const bucket = (await harness.connect()).bucket('checks')
    const last = async () => {
      let page = await bucket.page('loc8.>', null, 1_000)
      while (!page.isLast) page = await bucket.page('loc8.>', page.position, 1_000)
      return page.position
    }
    t.match(await bucket.page('loc8.>', null, 3), { entries: [], isLast: true }, 'nothing is there')
    const start = await last()
    for (const n of upTo(7)) await bucket.put(`loc8.1.k${n}`, n)
    await bucket.put('loc9.1.other', 0)
    const first = await bucket.page('loc8.>', start, 3)
    t.strictSame(
      first.entries.map(({ value }) => value),
      [1, 2, 3],
    )
    t.equal(first.isLast, false)
    await bucket.put('loc8.1.k5', 'again')
    await bucket.delete('loc8.1.k6')
    const second = await bucket.page('loc8.>', first.position, 3)
    t.strictSame(
      second.entries.map(({ key, value }) => `${key.slice(-2)}=${value}`),
      ['k4=4', 'k7=7', 'k5=again'],
    )
    const third = await bucket.page('loc8.>', second.position, 3)
    t.strictSame(
      third.entries.map(({ key, value }) => `${key.slice(-2)}=${value}`),
      ['k6=null'],
      'a removal is a change',
    )
    t.ok(third.entries.every(({ at, revision }) => Math.abs(at - Date.now()) < 60_000 && revision === third.position.revision))
    t.equal(third.isLast, true)
    t.match(await bucket.page('loc8.>', third.position, 3), { entries: [], isLast: true, position: third.position })
    await bucket.put('loc9.1.other', 1)
    const none = await bucket.page('loc8.>', third.position, 3)
    t.strictSame([none.entries, none.isLast], [[], true], 'a change of others is none')
    await bucket.put('loc8.1.k1', 'more')
    t.strictSame(
      (await bucket.page('loc8.>', none.position, 3)).entries.map(({ value }) => value),
      ['more'],
    )
    const another = await bucket.page('loc8.>', { stream: 'another', revision: third.position.revision }, 1_000)
    t.equal(another.entries.length, 7, 'a position in another stream begins with the first')
    t.equal(another.position.stream, start.stream)
  })
}
