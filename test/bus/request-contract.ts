// Contract of every bus for requests and for messages without a reply (nudges), run on the memory hub and on a real nats-server. Each test
// runs twice: with the responder on the requester's connection, and on another connection.
import type { Test } from 'tap'
import type { Bus, Incoming } from '#shared/bus/port.ts'
import { collector, type Harness, refused, upTo } from './contract.ts'

const patient = { timeoutMs: 10_000 }

interface Pair {
  asker: Bus
  server: Bus
}

/** Opens connections that close at the end of the test, so that none of them responds to the next test. */
type Connect = (t: Test) => Promise<Pair>

export function describeRequests(t: Test, harness: Harness): void {
  const connectPairs = {
    'of another connection': async () => ({ asker: await harness.connect(), server: await harness.connect() }),
    'of the same connection': async () => {
      const bus = await harness.connect()
      return { asker: bus, server: bus }
    },
  }
  for (const [whose, connectPair] of Object.entries(connectPairs)) {
    const pair: Connect = async t => {
      const connected = await connectPair()
      t.teardown(() => Promise.all([connected.asker.close(), connected.server.close()]))
      return connected
    }
    t.test(`requests and messages without a reply keep their contract when the responder is a subscription ${whose}`, async t => {
      describeAnswers(t, pair)
      describeReceivers(t, pair)
      describeSilence(t, pair, harness)
    })
  }
  t.test('closing subscription gets the requests that its connection sent before the close, and no later requests', async t => {
    const bus = await harness.connect()
    const subscription = await bus.subscribe('closing', message => message.respond(message.body))
    const before = bus.request('closing', 'before', patient)
    const closed = subscription.close()
    const after = refused(bus.request('closing', 'after', patient))
    t.strictSame([await before, await after], ['before', 'no_responders'])
    await closed
  })
  describeNudges(t, harness)
}

function describeAnswers(t: Test, pair: Connect): void {
  t.test('responder gets subject, body and trace of a request, and only its first response counts', async t => {
    const { asker, server } = await pair(t)
    const subscription = await server.subscribe('cmd.60.*', message => {
      message.respond({ subject: message.subject, body: message.body, traceId: message.traceId })
      message.respond('only the first answer counts')
    })
    t.strictSame(await asker.request('cmd.60.x', { a: [1, null, 'ü'] }, { timeoutMs: 5_000, traceId: 'trace1' }), {
      subject: 'cmd.60.x',
      body: { a: [1, null, 'ü'] },
      traceId: 'trace1',
    })
    const untraced = (await asker.request('cmd.60.x', null, patient)) as { traceId: string; body: unknown }
    t.ok(untraced.traceId.length > 0, 'one is made where none was given')
    t.equal(untraced.body, null)
    await subscription.close()
    t.equal(await refused(asker.request('cmd.60.x', {}, patient)), 'no_responders', 'after the subscription was closed')
  })

  t.test('request and response are copied as JSON at the moment of the call', async t => {
    const { asker, server } = await pair(t)
    const heard = collector<unknown>()
    await server.subscribe('crossing', message => {
      heard.add(structuredClone(message.body))
      const body = message.body as { list: number[] }
      body.list.push(99)
      const answer = { list: body.list, nothing: undefined, at: new Date(0) }
      message.respond(answer)
      answer.list.push(100)
    })
    const asked = { list: [1], nothing: undefined, at: new Date(0) }
    const answering = asker.request('crossing', asked, patient)
    asked.list.push(2)
    t.strictSame(await answering, { list: [1, 99], at: '1970-01-01T00:00:00.000Z' })
    t.strictSame(heard.items, [{ list: [1], at: '1970-01-01T00:00:00.000Z' }])
    t.strictSame(asked.list, [1, 2], 'what the receiver did to it stayed with the receiver')
  })

  t.test('requests are delivered in order, and never inside the call that sends them', async t => {
    const { asker, server } = await pair(t)
    const heard: unknown[] = []
    let asking = false
    let inside = 0
    await server.subscribe('in-order.>', message => {
      if (asking) inside += 1
      heard.push(message.body)
      message.respond(message.body)
    })
    asking = true
    const answers = upTo(300).map(n => asker.request(`in-order.${n % 3}`, n, patient))
    asking = false
    t.strictSame(await Promise.all(answers), upTo(300))
    t.strictSame(heard, upTo(300))
    t.equal(inside, 0)
  })
}

function describeReceivers(t: Test, pair: Connect): void {
  t.test('wildcards of a subscription select its messages', async t => {
    const { asker, server } = await pair(t)
    for (const [filter, fitting, others] of [
      ['w1.a', ['w1.a'], ['w1', 'w1.ab', 'w1.a.b']],
      ['w2.*.c', ['w2.b.c', 'w2.*.c'], ['w2.c', 'w2.b.b.c', 'w2.b.d', 'w20.b.c']],
      ['w3.5.*', ['w3.5.x'], ['w3.5', 'w3.55.x', 'w3.5.x.y', 'w3.x.5']],
      ['w4.>', ['w4.a', 'w4.a.b.c'], ['w4', 'w44.a']],
      ['*.w5', ['a.w5'], ['w5', 'a.b.w5']],
    ] as const) {
      const subscription = await server.subscribe(filter, message => message.respond(message.subject))
      for (const subject of fitting) t.equal(await asker.request(subject, {}, patient), subject, `${filter}: ${subject}`)
      for (const subject of others) t.equal(await refused(asker.request(subject, {}, patient)), 'no_responders', subject)
      await subscription.close()
    }
  })

  t.test('request reaches only one member of a queue', async t => {
    const { asker, server } = await pair(t)
    const heard = collector<number>()
    const members = upTo(3).map(member =>
      server.subscribe(
        'shared.*',
        message => {
          heard.add(message.body as number)
          message.respond(member)
        },
        { queue: 'members' },
      ),
    )
    await Promise.all(members)
    await Promise.all(upTo(30).map(n => asker.request('shared.x', n, patient)))
    t.strictSame(
      heard.items.toSorted((a, b) => a - b),
      upTo(30),
    )
  })

  t.test('subscription gets no more messages than its maximum, and later requests find no responder', async t => {
    const { asker, server } = await pair(t)
    const heard: unknown[] = []
    const take = (message: Incoming) => {
      heard.push(message.body)
      message.respond(message.body)
    }
    for (const most of [3, 2]) await server.subscribe('bounded.*', take, { queue: 'few', most })
    const outcomes = await Promise.all(upTo(9).map(n => refused(asker.request('bounded.x', n, patient))))
    t.equal(outcomes.filter(each => each === 'nothing refused').length, 5)
    t.equal(outcomes.filter(each => each === 'no_responders').length, 4)
    t.equal(heard.length, 5)
    await server.subscribe('bounded.*', take, { queue: 'few', most: 1 })
    t.equal(await asker.request('bounded.x', 'again', patient), 'again')
    t.equal(await refused(asker.request('bounded.x', 'and more', patient)), 'no_responders')
  })

  t.test('request reaches every plain subscription and one member of each queue, and the first response counts', async t => {
    const { asker, server } = await pair(t)
    for (const { subject, queues, receivers } of [
      { subject: 'many.plain', queues: [null, null], receivers: ['plain', 'plain'] },
      { subject: 'many.queues', queues: ['a', 'b', 'b'], receivers: ['a', 'b'] },
      { subject: 'many.kinds', queues: [null, null, 'a', 'a', 'b'], receivers: ['a', 'b', 'plain', 'plain'] },
    ]) {
      const heard = collector<{ name: string; respond: Incoming['respond'] }>()
      for (const queue of queues) {
        const name = queue ?? 'plain'
        await server.subscribe(subject, ({ respond }) => heard.add({ name, respond }), queue === null ? {} : { queue })
      }
      const answering = asker.request(subject, {}, patient)
      await heard.reached(receivers.length)
      for (const [place, { respond }] of heard.items.entries()) respond(place)
      t.equal(await answering, 0, subject)
      t.strictSame(heard.items.map(({ name }) => name).toSorted(), receivers)
    }
  })
}

function describeSilence(t: Test, pair: Connect, harness: Harness): void {
  t.test(
    'request fails at once without a responder, or at its timeout without a response, and a late response is dropped',
    async t => {
      const { asker, server } = await pair(t)
      t.equal(await refused(asker.request('nobody.home', {}, patient)), 'no_responders')
      const late = collector<Incoming>()
      const mute = await server.subscribe('mute', late.add)
      t.equal(await refused(asker.request('mute', 1, { timeoutMs: 100 })), 'timeout')
      const second = asker.request('mute', 2, patient)
      await late.reached(2)
      late.items[0]?.respond('to the first')
      late.items[1]?.respond('to the second')
      t.equal(await second, 'to the second')
      await mute.close()
    },
  )

  t.test('request in flight fails when the connection is lost, and so do later requests until the reconnect', async t => {
    const { asker, server } = await pair(t)
    const waiting = collector<Incoming>()
    const subscription = await server.subscribe('cut', waiting.add)
    const asked = refused(asker.request('cut', 1, patient))
    await waiting.reached(1)
    const changes = collector<boolean>()
    asker.onConnection(changes.add)
    const answererBack = new Promise<void>(resolve => server.onConnection(connected => connected && resolve()))
    const reconnect = await harness.cutOff(asker)
    await changes.reached(1)
    t.equal(await asked, 'unavailable', 'in flight')
    t.equal(await refused(asker.request('cut', 2, patient)), 'unavailable', 'while it is cut off')
    waiting.items[0]?.respond('too late')
    await reconnect()
    await changes.reached(2)
    if (harness.cutsAll) await answererBack
    const again = asker.request('cut', 3, patient)
    await waiting.reached(2)
    t.equal(waiting.items[1]?.body, 3, 'what was refused was not handed over')
    waiting.items[1]?.respond('back')
    t.equal(await again, 'back')
    await subscription.close()
  })
}

function describeNudges(t: Test, harness: Harness): void {
  t.test('message reaches one member of a queue group and every other subscriber', async t => {
    const bus = await harness.connect()
    const members = await Promise.all(upTo(3).map(() => harness.connect()))
    const shared = collector<number>()
    const all = collector<number>()
    for (const [index, member] of members.entries()) {
      await member.subscribe('nudge.test', () => shared.add(index), { queue: 'notifiers' })
      await member.subscribe('nudge.test', () => all.add(index))
    }
    for (let n = 0; n < 30; n++) bus.publish('nudge.test', { n })
    await Promise.all([shared.reached(30), all.reached(90)])
    // The response to one more request on the same path proves that all earlier messages have arrived.
    await members[0]!.subscribe('fence', message => message.respond(true))
    await bus.request('fence', {}, { timeoutMs: 5_000 })
    t.strictSame([shared.items.length, all.items.length], [30, 90])
  })

  t.test('bus measures by how much the clock of the server is ahead of a given clock', async t => {
    const bus = await harness.connect()
    const { aheadMs, roundTripMs } = await bus.clockOffset(() => harness.now() - 5_000)
    t.ok(roundTripMs >= 0 && roundTripMs < 5_000)
    const errorMs = Math.abs(aheadMs - 5_000)
    // Both clocks are rounded to ms, so the measured offset differs by up to 2 ms.
    t.ok(errorMs <= roundTripMs / 2 + 2, `5 s behind reads as ${aheadMs} after ${roundTripMs} ms`)
  })
}
