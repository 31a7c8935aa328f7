// Requests whose responder is in the same process never reach the bus. The size limit of the bus and the timeouts apply to them, too.
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { createLocalRequests } from '#shared/bus/clients/local-requests.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { BusError } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import { startNatsServer } from '../../infra/runtime/bus/nats-server.ts'
import { obtainNatsServer } from '../../infra/runtime/bus/obtain-nats-server.ts'
import { startTestBus, toolsFolder } from '../support/bus/nats.ts'
import { suspend } from '../support/suspend.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { collector, refused, upTo } from './contract.ts'

const patient = { timeoutMs: 10_000 }

t.test('request on a nats-server stays inside the process when its responder is in the process', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())

  t.test('request to a subscription in its process stays there, and a message without a reply goes to the bus', async t => {
    const bus = await server.connect('own')
    const other = await server.connect('other')
    const heard = collector<string>()
    const own = await bus.subscribe('cmd.1.*', message => message.respond('own'))
    await other.subscribe('cmd.1.*', ({ body, respond }) => {
      heard.add(String(body))
      respond('other')
    })
    t.strictSame(await Promise.all(upTo(5).map(n => bus.request('cmd.1.x', `request ${n}`, patient))), Array(5).fill('own'))
    bus.publish('cmd.1.x', 'nudge')
    await heard.reached(1)
    const closing = own.close()
    t.equal(await bus.request('cmd.1.x', 'after it closed', patient), 'other')
    await closing
    t.strictSame(heard.items, ['nudge', 'after it closed'])
  })

  t.test('request goes to another process when only a subscription of the other process matches', async t => {
    const bus = await server.connect('elsewhere')
    const other = await server.connect('there')
    await bus.subscribe('cmd.2.*', message => message.respond('here'))
    await other.subscribe('cmd.3.*', message => message.respond('there'))
    t.strictSame([await bus.request('cmd.2.x', {}, patient), await bus.request('cmd.3.x', {}, patient)], ['here', 'there'])
  })

  for (const whose of ['another connection', 'the same connection']) {
    t.test(`bus refuses oversized requests and responses when the responder uses ${whose}`, async t => {
      const asker = await server.connect('asks')
      const answerer = whose === 'the same connection' ? asker : await server.connect('answers')
      const largest = await maxPayload(server)
      await answerer.subscribe('echo', ({ body, respond }) => respond((body as string).length))
      await answerer.subscribe('text', ({ body, respond }) => respond('x'.repeat(Number(body))))
      const traceId = 'trace1'
      // Characters of the largest text that fits into a message. The message also has two quotation marks and the headers of the trace:
      // `NATS/1.0`, `trace-id: trace1` and an empty line.
      const room = largest - 2 - (10 + 18 + 2)
      const ask = (characters: number) => asker.request('echo', 'x'.repeat(characters), { timeoutMs: 5_000, traceId })
      t.equal(await ask(room), room)
      t.equal(await refused(ask(room + 1)), 'unavailable')
      const answered = (characters: number) => asker.request('text', characters, { timeoutMs: 5_000 })
      t.equal(((await answered(largest - 2)) as string).length, largest - 2)
      t.match(await answered(largest - 1), { ok: false, error: { code: 'internal' } })
      t.equal(await answered(1), 'x', 'the one who answers goes on')
    })
  }

  t.test('request goes to the bus when its subject is invalid or has no local subscription', async t => {
    const bus = await server.connect('unusual')
    await bus.subscribe('cmd.4.>', message => message.respond('taken'))
    t.equal(await refused(bus.request('cmd.4.', {}, patient)), 'no_responders')
    t.equal(await refused(bus.request('cmd.4..x', {}, patient)), 'no_responders')
    t.equal(await refused(bus.request('cmd.4.a b', {}, patient)), 'unavailable')
    t.equal(await bus.request('cmd.4.a', {}, patient), 'taken')
  })

  t.test('closed bus refuses waiting requests', async t => {
    const bus = await server.connect('closes')
    const heard = collector<unknown>()
    await bus.subscribe('mute', heard.add)
    const asked = refused(bus.request('mute', {}, patient))
    await heard.reached(1)
    await bus.close()
    t.equal(await asked, 'unavailable')
    t.equal(await refused(bus.request('mute', {}, patient)), 'unavailable')
  })
})

async function maxPayload({ url, token }: { url: string; token: string }): Promise<number> {
  const connection = await connect({ servers: url, token })
  const { max_payload: largest = 0 } = connection.info ?? {}
  await connection.close()
  return largest
}

t.test('subscription whose creation failed gets no requests after a reconnect', async t => {
  const dataFolder = t.testdir()
  const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
  const first = await startNatsServer({ binary, dataFolder, port: 0 })
  const { url, token } = first
  const bus = await connectBus({ servers: url, token, name: 'early', patienceMs: 5_000, logger: createLogger('silent') })
  const changes = collector<boolean>()
  bus.onConnection(changes.add)
  await suspend(first.pid)
  const subscribing = bus
    .subscribe('lost', () => undefined)
    .then(
      () => 'subscribed',
      () => 'failed',
    )
  process.kill(first.pid, 'SIGKILL')
  t.equal(await subscribing, 'failed')
  await first.stop()
  const second = await startNatsServer({ binary, dataFolder, port: Number(new URL(url).port) })
  t.teardown(async () => {
    await bus.close()
    await second.stop()
  })
  await changes.reached(2)
  t.equal(await refused(bus.request('lost', {}, { timeoutMs: 5_000 })), 'no_responders')
})

/** Local requests on a clock that the test advances, and the number of timers that the requests have set. */
function world() {
  const virtual = createVirtualClock()
  let timers = 0
  const clock: Clock = {
    ...virtual,
    schedule: (delayMs, run) => {
      timers += 1
      const cancel = virtual.schedule(delayMs, () => {
        timers -= 1
        run()
      })
      return () => {
        timers -= 1
        cancel()
      }
    },
  }
  const local = createLocalRequests(clock)
  const answers = collector<(text: string) => void>()
  local.add({ subject: 'mute', queue: undefined, take: (_, answer) => answers.add(answer) })
  const ask = (timeoutMs: number) => local.ask({ subject: 'mute', text: '1', traceId: 'trace1' }, timeoutMs)!
  const kindOf = (promise: Promise<string>) => promise.catch((error: BusError) => error.kind)
  return { virtual, local, answers, ask, kindOf, timers: () => timers }
}

t.test('each request has its own timeout, all requests share one timer, and no timer runs when no request waits', async t => {
  const { virtual, answers, ask, kindOf, timers } = world()
  const settled: string[] = []
  for (const timeoutMs of [1_000, 200, 3_000]) void kindOf(ask(timeoutMs)).then(kind => settled.push(`${timeoutMs} ${kind}`))
  await answers.reached(3)
  t.equal(timers(), 1)
  await virtual.advance(199)
  t.strictSame(settled, [])
  await virtual.advance(1 + limits.bus.sweepMs)
  t.strictSame(settled, ['200 timeout'])
  await virtual.advance(800)
  t.strictSame(settled, ['200 timeout', '1000 timeout'])
  answers.items[0]?.('"too late"')
  answers.items[2]?.('"in time"')
  await virtual.advance(limits.bus.sweepMs)
  t.strictSame(settled, ['200 timeout', '1000 timeout', '3000 "in time"'])
  t.equal(timers(), 0)
})

t.test('refused request is never delivered, and a closed bus leaves no timer', async t => {
  const { virtual, local, answers, ask, kindOf, timers } = world()
  const refusedAtOnce = kindOf(ask(1_000))
  local.refuseAll()
  t.equal(await refusedAtOnce, 'unavailable')
  await virtual.settle()
  t.strictSame(answers.items, [])
  const waiting = kindOf(ask(1_000))
  await answers.reached(1)
  local.close()
  t.equal(await waiting, 'unavailable')
  t.equal(timers(), 0)
  t.equal(local.ask({ subject: 'mute', text: '1', traceId: 'trace1' }, 1_000), null, 'a closed table asks nobody')
})

t.test('local subscription gets exactly the requests whose subjects match its wildcards', async t => {
  for (const [filter, fitting, others] of [
    ['w1.a', ['w1.a'], ['w1', 'w1.ab', 'w1.a.b']],
    ['w2.*.c', ['w2.b.c'], ['w2.c', 'w2.b.b.c', 'w2.b.d', 'w20.b.c']],
    ['w3.5.*', ['w3.5.x'], ['w3.5', 'w3.55.x', 'w3.5.x.y', 'w3.x.5']],
    ['w4.>', ['w4.a', 'w4.a.b.c'], ['w4', 'w44.a']],
    ['*.w5', ['a.w5'], ['w5', 'a.b.w5']],
    ['>', ['a', 'a.b'], []],
  ] as const) {
    const local = createLocalRequests(createVirtualClock())
    const forget = local.add({ subject: filter, queue: undefined, take: ({ subject }, answer) => answer(subject) })
    const ask = (subject: string) => local.ask({ subject, text: undefined, traceId: 't' }, 1_000)
    for (const subject of fitting) t.equal(await ask(subject), subject, `${filter}: ${subject}`)
    for (const subject of others) t.equal(ask(subject), null, `${filter}: not ${subject}`)
    forget()
    t.equal(ask(fitting[0]), null, `${filter}: forgotten`)
    local.close()
  }
})
