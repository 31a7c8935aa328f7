// Faulty receivers, notifiers that die at every step, and a lost bus or store. No alert is lost, and every attempt to send an alert has the
// same idempotency key. A POST is repeated only after a lost response. Order and log stay correct.

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createNotifierClient } from '#shared/bus/clients/clients.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits, minute, second } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startNotifier } from '../../services/notifier/app.ts'
import { isHeld, openSiblings } from '../../services/notifier/decide/siblings.ts'
import { newDelivery } from '../../services/notifier/record/delivery-document.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { alert, createHouse, createReceiver, destination, type Hit, type House, options, startAt, until } from './house.ts'

const { claimMs, scanMs, sendMs, retryMs, drainMs } = limits.notifier

const rowsOf = async (store: Store): Promise<DeliveryLogDocument[]> =>
  (await store.find('deliveryLog', { limit: 10_000 })).sort((a, b) => a.number - b.number)
const ended = async (store: Store): Promise<number> => store.count('deliveries', { open: 0 })

/** Starts a TCP server that runs `talk` for each connection. It listens on `port`, or on a free port if `port` is 0. */
async function listen(t: Test, talk: (socket: Socket) => void, port = 0): Promise<{ url: string; port: number; server: Server }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    talk(socket)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const given = (server.address() as AddressInfo).port
  return { url: `http://127.0.0.1:${given}/hooks/T0secretT0`, port: given, server }
}

/** Starts a notifier with one alert, which the notifier sends to `url`. */
async function told(t: Test, url: string): Promise<House> {
  const house = createHouse()
  const one = alert('one', 'a', 1)
  await house.store.insert('alerts', [one])
  await house.store.insert('destinations', [destination('one', url)])
  const service = await house.start('n1', { egress: { ...createEgress(), isPublic: () => true } })
  t.teardown(() => house.stop(service))
  house.nudge(one.id)
  return house
}

t.test('receiver that was down for a minute gets its message soon after its return, with one idempotency key', async t => {
  const first = await listen(t, () => undefined)
  await new Promise(resolve => first.server.close(resolve))
  const house = await told(t, first.url)
  await until(async () => (await rowsOf(house.store)).length === 1, 'the first attempt')
  while (house.clock.now() < startAt + minute) {
    const before = (await rowsOf(house.store)).length
    const [delivery] = await house.store.find('deliveries', { limit: 1 })
    await house.clock.advance((delivery?.dueAt as number) - house.clock.now())
    await until(async () => (await rowsOf(house.store)).length > before, 'the next attempt')
    await until(async () => (await house.store.find('deliveries', { limit: 1 }))[0]?.snapshot.value === 'waiting', 'waiting')
  }
  const seen: string[] = []
  await listen(
    t,
    socket =>
      socket.on('data', data => {
        seen.push(String(data))
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
      }),
    first.port,
  )
  await until(async () => {
    await house.clock.advance(second)
    return (await ended(house.store)) === 1
  }, 'the delivery')
  t.ok(house.clock.now() <= startAt + 3 * minute, 'within twice the time that it was away')
  const rows = await rowsOf(house.store)
  const [delivery] = await house.store.find('deliveries', { limit: 1 })
  t.match(seen.join(''), `idempotency-key: ${delivery?.idempotencyKey}`)
  t.same(
    rows.slice(0, -1).map(({ error }) => error),
    Array(rows.length - 1).fill('unreachable: connection refused'),
  )
  t.match(rows.at(-1), { status: 'delivered', error: '' })
})

t.test('each kind of faulty receiver leads to its own error within the expected time, without the address', async t => {
  const zeros = Buffer.alloc(64 * 1024, 'x')
  let written = 0
  const flood = (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && written < 10e6 && socket.write(zeros)) written += zeros.length
    }
    socket.on('drain', more)
    more()
  }
  const answer = (text: string) => (socket: Socket) => socket.on('data', () => socket.write(text))
  const rows: [string, (socket: Socket) => void, number, RegExp, string][] = [
    ['half-open', () => undefined, sendMs, /^unreachable: no answer within 10 s$/, 'waiting'],
    [
      'resets on connection',
      socket => socket.resetAndDestroy(),
      0,
      /^unreachable: the connection was (reset|closed)$/,
      'waiting',
    ],
    [
      'resets on the request',
      socket => socket.once('data', () => socket.resetAndDestroy()),
      0,
      /^unreachable: the connection was (reset|closed)$/,
      'waiting',
    ],
    ['closes without an answer', socket => socket.once('data', () => socket.end()), 0, /^unreachable: /, 'waiting'],
    ['speaks something else', answer('220 mail ready\r\n'), 0, /^unreachable: what answers does not speak HTTP$/, 'waiting'],
    [
      'never ends its refusal',
      answer('HTTP/1.1 500 No\r\ncontent-length: 900\r\n\r\nbecause /hooks/T0secretT0'),
      sendMs,
      /^http_500: the destination answered 500 Internal Server Error: "because \[redacted\]"$/,
      'waiting',
    ],
    [
      'breaks its refusal off',
      socket => socket.once('data', () => socket.end('HTTP/1.1 503 No\r\ncontent-length: 900\r\n\r\nbecause')),
      0,
      /^http_503: the destination answered 503 Service Unavailable: "because"$/,
      'waiting',
    ],
    [
      'refuses with 10 MB',
      socket =>
        socket.once('data', () => socket.write('HTTP/1.1 500 No\r\ncontent-length: 10000000\r\n\r\n', () => flood(socket))),
      0,
      /^http_500: the destination answered 500 Internal Server Error: "x{199}…"$/,
      'waiting',
    ],
    [
      'takes it with 10 MB',
      socket =>
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n', () => flood(socket))),
      0,
      /^$/,
      'delivered',
    ],
    ['takes it and goes on for ever', answer('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n'), 0, /^$/, 'delivered'],
    [
      'redirects',
      answer('HTTP/1.1 307 Elsewhere\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
      0,
      /^http_307: the destination answered 307 Temporary Redirect$/,
      'failed',
    ],
    [
      'is gone',
      answer('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'),
      0,
      /^http_410: the destination is gone, it answered 410 Gone$/,
      'failed',
    ],
  ]
  for (const [name, talk, waitMs, error, value] of rows) {
    written = 0
    let open = 0
    const { url } = await listen(t, socket => {
      open++
      socket.on('close', () => open--)
      talk(socket)
    })
    const house = await told(t, url)
    if (waitMs > 0) {
      await until(() => open > 0, `${name}: called`)
      for (let i = 0; i < 20; i++) await house.clock.settle()
      await house.clock.advance(waitMs)
    }
    await until(async () => (await rowsOf(house.store)).length === 1, `${name}: its row`)
    await until(async () => (await house.store.find('deliveries', { limit: 1 }))[0]?.claimedBy === null, `${name}: its outcome`)
    t.match((await rowsOf(house.store))[0]?.error, error, name)
    t.equal((await house.store.find('deliveries', { limit: 1 }))[0]?.snapshot.value, value, name)
    t.equal(house.clock.now(), startAt + waitMs, `${name}: after its time`)
    t.notMatch(JSON.stringify([await rowsOf(house.store), house.log]), /T0secretT0|127\.0\.0\.1/, name)
    t.ok(written < 5e6, `${name}: ${written} bytes were taken`)
    if (value === 'delivered') {
      await house.clock.advance(drainMs)
      await until(() => open === 0, `${name}: its connection is given back`)
    }
  }
})

/** A store that dies at its `fatal`-th call (from 1), before or after the call takes effect. No later call gets a response. */
function mortal(store: Store, fatal: number, when: 'before' | 'after') {
  let calls = 0
  const never = () => new Promise<never>(() => undefined)
  const call = async (run: () => Promise<unknown>) => {
    calls++
    if (calls > fatal || (calls === fatal && when === 'before')) return never()
    const result = await run()
    return calls >= fatal ? never() : result
  }
  const proxy = new Proxy(store, {
    get:
      (target, name: keyof Store) =>
      (...all: unknown[]) =>
        call(() => (target[name] as (...all: unknown[]) => Promise<unknown>)(...all)),
  })
  return { store: proxy, isDead: () => calls >= fatal }
}

/** Fails unless every alert was sent in order, each alert under one key, and every log row is of an attempt that was made. */
function judge(
  t: Test,
  name: string,
  hits: readonly Hit[],
  rows: readonly DeliveryLogDocument[],
  alerts: readonly AlertDocument[],
) {
  const titles = (key: unknown) => hits.filter(({ headers }) => headers['idempotency-key'] === key).map(({ body }) => body)
  const keys = [...new Set(hits.map(({ headers }) => headers['idempotency-key']))]
  const faults: string[] = []
  if (keys.length !== alerts.length) faults.push(`${keys.length} keys for ${alerts.length} alerts`)
  for (const key of keys) {
    if (titles(key).length > 2) faults.push(`${titles(key).length} posts of one message`)
    if (new Set(titles(key)).size !== 1) faults.push('another body')
  }
  for (const { id } of alerts) {
    const own = rows.filter(row => row.id.startsWith(`${id}.`))
    const posts = titles(keys.find(key => titles(key)[0] === own[0]?.payload)).length
    if (own.length < 1 || own.length > posts) faults.push(`${own.length} rows for ${posts} posts of ${id}`)
    if (own.some(({ status }) => status !== 'delivered')) faults.push(`a row of ${id} says that it failed`)
  }
  const order = hits.map(({ body }) => JSON.parse(body)).filter(({ incident }) => incident.resource.key === 'ordered')
  const problems = order.map(({ incident }) => incident.transition)
  if (problems.lastIndexOf('confirmed') > problems.indexOf('closed')) faults.push(`order ${problems.join(' ')}`)
  t.same(faults, [], name)
}

const ordered = (): AlertDocument[] => {
  const alerts = [alert('one', 'a', 1), alert('one', 'a', 2, { kind: 'recovery' }), alert('one', 'b', 1)]
  return alerts.map(one => ({
    ...one,
    facts: { ...one.facts, subjectSlug: one.subjectId.startsWith('a') ? 'ordered' : 'other', closedAt: startAt },
  }))
}

t.test('next notifier continues when a notifier has died at any step', async t => {
  let deaths = 0
  let repeated = 0
  for (const when of ['before', 'after'] as const) {
    for (let step = 1, died = true; died; step++) {
      const house = createHouse()
      const receiver = await createReceiver(() => ({ status: 200 }))
      const alerts = ordered()
      await house.store.insert('alerts', alerts)
      await house.store.insert('destinations', [destination('one', receiver.url)])
      const { store, isDead } = mortal(house.store, step, when)
      await house.start('dying', { store, exclusive: false })
      house.nudge(...alerts.map(({ id }) => id))
      await until(async () => isDead() || (await ended(house.store)) === 3, 'the death, or the end')
      died = isDead()
      // Waits for the arrival of a message that was sent just before the notifier died.
      for (let i = 0; i < 10; i++) await house.clock.settle()
      const heir = await house.start('heir')
      await until(async () => {
        if ((await ended(house.store)) === 3) return true
        await house.clock.advance(scanMs)
        return false
      }, `${when} ${step}: the end`)
      t.ok(house.clock.now() - startAt <= claimMs + 4 * scanMs, `${when} ${step}: soon after the claim`)
      judge(t, `${when} ${step}`, receiver.hits, await rowsOf(house.store), alerts)
      t.equal(await house.store.count('alerts', { state: 'dispatched' }), 3)
      deaths += died ? 1 : 0
      repeated += receiver.hits.length - 3
      await house.stop(heir)
      await receiver.close()
    }
  }
  t.ok(deaths >= 20, `it died ${deaths} times`)
  t.comment(`${deaths} deaths, ${repeated} messages sent again because their answer was lost`)
})

t.test('message is delayed and never sent twice when store or bus is disconnected', async t => {
  const house = createHouse()
  let away = false
  const store = new Proxy(house.store, {
    get:
      (target, name: keyof Store) =>
      async (...all: unknown[]) => {
        if (away) throw new StoreError('unavailable', 'cut off')
        return (target[name] as (...all: unknown[]) => Promise<unknown>)(...all)
      },
  })
  let answer = () => {}
  const receiver = await createReceiver(call =>
    call === 1 ? new Promise(resolve => (answer = () => resolve({ status: 200 }))) : { status: 200 },
  )
  const alerts = ordered()
  await house.store.insert('alerts', alerts)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const services = [await house.start('n1', { store }), await house.start('n2', { store })]
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await receiver.close()
  })
  house.nudge(...alerts.map(({ id }) => id))
  await receiver.called(1)
  away = true
  answer()
  for (let i = 0; i < 4; i++) await house.clock.advance(5 * second)
  t.ok(services.some(service => service.unready().includes('The notifier cannot read the store.')))
  away = false
  house.setBus(false)
  t.ok(services.every(service => service.unready().includes('The notifier is cut off from the bus.')))
  await house.store.insert('alerts', [alert('one', 'c', 1)])
  house.nudge('cxxxxxxxxx.1.a1')
  await until(async () => {
    await house.clock.advance(scanMs)
    return (await ended(house.store)) === 4
  }, 'all messages')
  house.setBus(true)
  judge(t, 'after both', receiver.hits, await rowsOf(house.store), [...alerts, alert('one', 'c', 1)])
  t.equal(receiver.hits.length, 4, 'the outcome was kept until the store took it')
  t.same(
    services.flatMap(service => service.unready()),
    [],
  )
})

t.test('delivery log loses no row when notifiers compete for its counter', async t => {
  const house = createHouse()
  let contended = 200
  const store = new Proxy(house.store, {
    get: (target, name: keyof Store) =>
      name !== 'replace'
        ? target[name]
        : async (...[collection, documents]: Parameters<Store['replace']>) =>
            collection === 'counters' && contended-- > 0 ? ['refused'] : target.replace(collection, documents),
  })
  const receiver = await createReceiver(() => ({ status: 200 }))
  const one = alert('one', 'a', 1)
  await house.store.insert('alerts', [one])
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const service = await house.start('n1', { store })
  t.teardown(async () => {
    await house.stop(service)
    await receiver.close()
  })
  house.nudge(one.id)
  await until(async () => (await ended(house.store)) === 1, 'the delivery')
  t.ok(contended < 0, 'one try in a row after another was lost')
  t.match(await rowsOf(house.store), [{ status: 'delivered', number: 1 }])
})

t.test('every message arrives once when bus and store stop and start again', { timeout: 400_000 }, async t => {
  const bus = await startTestBus()
  const path = join(t.testdir(), 'notifier.db')
  const clock = createSystemClock()
  const hits: string[] = []
  const receiver = await createReceiver((_, { headers }) => {
    hits.push(String(headers['idempotency-key']))
    return { status: 200 }
  })
  const alerts = Array.from({ length: 30 }, (_, i) =>
    alert('one', `i${i}`, 1, { decidedAt: clock.now(), expireAt: clock.now() + 1e9 }),
  )
  let store = await openSqliteStore(path)
  const teller = await bus.connect('teller')
  t.teardown(async () => {
    clock.stop()
    await receiver.close()
    await bus.stop()
  })
  await store.insert('destinations', [destination('one', receiver.url)])
  const run = async (notifierId: string) => {
    const context = {
      store,
      clock,
      bus: await bus.connect(notifierId),
      logger: pino({ level: 'silent' }),
      metrics: new Registry(),
    }
    return startNotifier(context, { ...options, notifierId })
  }
  const tell = async (from: number, to: number, nudged: boolean) => {
    const some = alerts.slice(from, to)
    await store.insert('alerts', some)
    if (nudged) teller.publish(subjects.alertNudge, { alertIds: some.map(({ id }) => id) })
  }
  let service = await run('n1')
  await tell(0, 10, true)
  await until(async () => (await ended(store)) === 10, 'the first ten')
  await bus.stopServer()
  await tell(10, 20, false)
  await bus.startServer()
  await service.stop()
  await store.close()
  store = await openSqliteStore(path)
  service = await run('n2')
  await tell(20, 30, true)
  await until(async () => (await ended(store)) === 30, 'all thirty')
  await service.stop()
  t.equal(hits.length, 30)
  t.equal(new Set(hits).size, 30)
  t.equal(await store.count('deliveryLog', { status: 'delivered' }), 30)
  await store.close()
})

t.test('receiver that never responds delays no other receiver of a thousand messages', async t => {
  const house = createHouse()
  const receiver = await createReceiver(() => ({ status: 200 }))
  const { url } = await listen(t, () => undefined)
  const alerts = Array.from({ length: 1_000 }, (_, i) => alert(`d${i % 10}`, `i${i}`, 1))
  await house.store.insert('alerts', alerts)
  await house.store.insert(
    'destinations',
    Array.from({ length: 10 }, (_, i) => destination(`d${i}`, i === 0 ? url : receiver.url)),
  )
  const services = [await house.start('n1'), await house.start('n2')]
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await receiver.close()
  })
  house.nudge(...alerts.map(({ id }) => id))
  await receiver.called(900)
  t.equal(house.clock.now(), startAt, 'not a tick of the clock was needed')
  await until(async () => (await ended(house.store)) === 900, 'the nine')
  await house.clock.advance(sendMs + retryMs)
  t.equal(receiver.hits.length, 900)
})

t.test('message waits for its predecessor even if one read cannot return all open deliveries', async t => {
  const store = createMemoryStore()
  const opened = (incident: string, number: number, destinationId: string) =>
    newDelivery(alert('one', incident, number), destinationId, startAt, { notifierId: 'n0', incidentSalt: options.incidentSalt })
  const others = Array.from({ length: 101 }, (_, i) => Array.from({ length: 100 }, (_, j) => opened(`i${i}`, 1, `d${j}`))).flat()
  const held = opened('late', 3, 'd0')
  await store.insert('deliveries', [...others, opened('late', 2, 'd0'), held])
  const siblings = await openSiblings(
    store,
    [...others, held].map(({ incidentId }) => incidentId),
  )
  t.ok(others.length > limits.store.findMax, 'more than one read answers')
  t.equal(siblings.length, others.length + 2)
  t.equal(isHeld(held, siblings), true)
})

t.test('alerts at the end of a slow round are still rendered with their template', async t => {
  const house = createHouse()
  const receiver = await createReceiver(() => ({ status: 200 }))
  const own = { workspaceId: 'workspace-one', transformationId: 7 }
  const places = Array.from({ length: limits.destination.perWorkspace }, (_, i) => destination(`d${i}`, receiver.url, own))
  const alerts = Array.from({ length: 6 }, (_, i) => alert('one', `i${i}`, 1))
  const selections = places.map(({ id }) => ({ destinationId: id, alertKinds: ['problem' as const] }))
  const other = destination('other', receiver.url, { transformationId: 8 })
  await house.store.insert('destinations', [...places, other])
  await house.store.insert(
    'transformations',
    [own.workspaceId, other.workspaceId].map((workspaceId, i) => ({
      ...{ id: `t${i}`, rev: 1, number: 7 + i, workspaceId, name: 't', nameKey: 't', template: '{{ subject }}!' },
      ...{ createdAt: startAt, updatedAt: startAt },
    })),
  )
  await house.store.insert('alerts', alerts)
  await house.store.insert(
    'deliveryTables',
    alerts.map(({ subjectId }) => ({ id: subjectId, rev: 1, workspaceId: own.workspaceId, selections, updatedAt: startAt })),
  )
  const client = createNotifierClient(house.connect(), house.clock)
  let isSlow = true
  const slow: Store = {
    ...house.store,
    replace: async (collection, documents) => {
      if (collection === 'deliveries' && isSlow) {
        isSlow = false
        await house.clock.advance(limits.notifier.namesMs)
        await client.sendTest({ destinationId: other.id })
      }
      return house.store.replace(collection, documents)
    },
  }
  const service = await house.start('n1', { store: slow })
  t.teardown(async () => {
    await house.stop(service)
    await receiver.close()
  })
  house.nudge(...alerts.map(({ id }) => id))
  await until(async () => (await house.store.count('alerts', { state: 'open' })) === 0, 'all alerts dispatched')
  const bodies = (await house.store.find('deliveries', { limit: 1_000 })).map(({ body }) => body)
  t.equal(bodies.length, alerts.length * places.length)
  t.same([...new Set(bodies)], ['Shop!'])
})

t.test('alerts to many destinations become deliveries in bounded batches', async t => {
  const house = createHouse()
  const receiver = await createReceiver(() => null)
  t.teardown(() => receiver.close())
  const places = Array.from({ length: limits.destination.perWorkspace }, (_, i) =>
    destination(`d${i}`, receiver.url, { workspaceId: 'workspace-one', default: i === 0 }),
  )
  const alerts = Array.from({ length: 12 }, (_, i) => alert('one', `i${i}`, 1))
  await house.store.insert('destinations', places)
  await house.store.insert('alerts', alerts)
  const selections = places.map(({ id }) => ({ destinationId: id, alertKinds: ['problem' as const] }))
  await house.store.upsert(
    'deliveryTables',
    alerts.map(({ subjectId }) => ({ id: subjectId, rev: 1, workspaceId: 'workspace-one', selections, updatedAt: startAt })),
  )
  let most = 0
  const measuring: Store = {
    ...house.store,
    replace: (collection, documents) => {
      if (collection === 'deliveries') most = Math.max(most, documents.length)
      return house.store.replace(collection, documents)
    },
  }
  const service = await house.start('n1', { store: measuring })
  house.nudge(...alerts.map(({ id }) => id))
  await until(async () => (await house.store.count('alerts', { state: 'open' })) === 0, 'all alerts dispatched')
  t.equal(await house.store.count('deliveries', {}), alerts.length * places.length)
  t.ok(most < limits.notifier.batch + limits.destination.perWorkspace, `${most} deliveries in one call of the store`)
  await house.stop(service)
})
