// The door of a location is the bus subject by which its remote probers send requests. Tested on the memory hub and on a real nats-server.
// The rights of credentials are tested in `test/prober/elsewhere.test.ts`, attacks in `test/integration/`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { pause } from '#shared/async/pause.ts'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { subscribeWindowed } from '#shared/bus/clients/windowed.ts'
import { type ConnectBusOptions, connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus, BusError } from '#shared/bus/port.ts'
import type { DoorLine } from '#shared/bus/probers/door.ts'
import { createProberBus } from '#shared/bus/probers/prober-bus.ts'
import { keys, parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Changes } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { type Level, levelOf } from '#shared/store/level.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'
import { obtainNatsServer } from '../../infra/runtime/bus/nats-server.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { startProber } from '../../services/prober/app.ts'
import { collector, refused, upTo } from '../bus/contract.ts'
import { eventually } from '../infra/run-program.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { startTestBus, toolsFolder } from '../support/bus/nats.ts'
import { checkEntry } from '../support/checks.ts'
import { presentLevel } from '../support/present-level.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())
const logger = createLogger('silent')
const phases = { dnsMs: 1, connectMs: 1, tlsMs: null, firstByteMs: 1, totalMs: 3 }
const result: CheckResult = { rev: 1, slotAt: 1, ageMs: 0, ok: true, error: null, statusCode: 200, phases }
const state = { version: '2.0.0', inFlight: 0, buffered: 0, shed: 0 }
const entry = (changes = {}) => checkEntry({ url: 'http://127.0.0.1:9/', ...changes })

interface Harness {
  house(): Promise<Bus>
  /** A bus with the rights of a remote prober of the location. */
  prober(locationId: string): Promise<Bus>
}

const lineOver = (bus: Bus): DoorLine => ({
  clock,
  logger,
  connected: bus.connected,
  onConnection: bus.onConnection,
  close: bus.close,
  ask: (subject, text, timeoutMs) => bus.request(subject, JSON.parse(text), { timeoutMs }),
})

t.test('remote probers work through a door in memory', async t => {
  const hub = createMemoryHub({ clock })
  describeDoors(t, {
    house: async () => hub.connect(),
    prober: async locationId => createProberBus(lineOver(hub.connect()), locationId),
  })
})

t.test('remote probers work through a door on a nats-server', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())
  describeDoors(t, {
    house: () => server.connect('house'),
    prober: locationId => server.connect('prober', { locationId }),
  })

  t.test('watcher gets lost and new keys when the store of the bus is lost', async t => {
    const house = await server.connect('house')
    const { directory } = await openDirectory(t, house)
    const bus = await server.connect('prober', { locationId: 'lost' })
    t.teardown(() => bus.close())
    await addLocation(house, directory.store, 'lost')
    await house.bucket('checks').put('lost.1.old', entry())
    const seen = await watchOf(bus, 'lost')
    await seen.reached(2)
    const back = new Promise<void>(resolve => house.onConnection(connected => connected && resolve()))
    await server.stopServer()
    await server.wipe()
    await server.startServer()
    await back
    await house.bucket('checks').put('lost.1.new', entry())
    await eventually('it has both', () => seen.items.includes('old: false') && seen.items.includes('new: true'))
    t.strictSame(seen.items.slice(0, 2), ['old: true', 'ready'])
    t.equal(seen.items.filter(item => item === 'ready').length, 1)
  })
})

t.test('prober works with the rights that docs/probers.md names', async t => {
  const { house, prober, bare } = await serverOfOthers(t, 'fore')
  await openDirectory(t, house, ['fore', 'else'])
  await house.bucket('checks').put(keys.check('fore', 'mine'), entry())
  const seen = await watchOf(prober, 'fore')
  t.strictSame(seen.items, ['mine: true', 'ready'])
  await prober.bucket('presence').put(keys.proberPresence('fore', 'p1'), state)
  t.equal((await house.bucket('presence').list('prober.fore.*')).length, 1)
  await prober.observations.publish(subjects.observation('fore', 'mine'), result)
  t.equal((await house.observations.state()).lastSequence, 1)
  t.ok((await prober.clockOffset(clock.now)).roundTripMs < 5_000)

  const heard: string[] = []
  for (const subject of ['cmd.>', 'notify.test', 'nudge.alert', '$KV.leases.>']) {
    await house.subscribe(subject, message => void heard.push(message.subject))
  }
  for (const reply of ['cmd.1.x', 'notify.test', 'nudge.alert', '$KV.leases.p.1', 'obs.1.else.x']) {
    bare.publish('door.fore.beat', JSON.stringify({ proberId: 'p1', state }), { reply })
  }
  t.match((await bare.request('door.fore.members', '{}')).json(), { ok: true })
  t.strictSame(heard, [], 'an answer goes to an inbox alone')
  t.equal((await house.observations.state()).lastSequence, 1)
  t.equal(await house.bucket('leases').get('p.1'), null)
})

/** Starts a nats-server without accounts. One user may do everything, another user has the rights of a prober. */
async function serverOfOthers(t: Test, locationId: string) {
  const folder = t.testdir({})
  const rights = `{ publish: ["door.${locationId}.*"], subscribe: ["_INBOX_${locationId}.>"] }`
  const users = `[ { user: house, password: "h" }, { user: prober, password: "p", permissions: ${rights} } ]`
  const config = `listen: "127.0.0.1:-1"
    jetstream { store_dir: ${JSON.stringify(folder)} }
    authorization { users: ${users} }`
  await writeFile(join(folder, 'rights.conf'), config)
  const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
  const child = spawn(binary, ['-c', join(folder, 'rights.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const open: { close(): Promise<void> }[] = []
  t.teardown(async () => {
    await Promise.all(open.map(connection => connection.close()))
    child.kill()
    await once(child, 'exit')
  })
  const port = await new Promise<string>(resolve => {
    createInterface({ input: child.stderr }).on('line', line => {
      const found = /Listening for client connections on .*:(\d+)$/.exec(line)
      if (found) resolve(found[1]!)
    })
  })
  const connectAs = async (user: 'house' | 'prober', options: Partial<ConnectBusOptions> = {}) => {
    const servers = `nats://${user}:${user[0]}@127.0.0.1:${port}`
    const bus = await connectBus({ servers, name: user, patienceMs: 5_000, logger, ...options })
    open.push(bus)
    return bus
  }
  const bare = await connect({ servers: `127.0.0.1:${port}`, user: 'prober', pass: 'p', inboxPrefix: `_INBOX_${locationId}` })
  open.push(bare)
  return { house: await connectAs('house'), prober: await connectAs('prober', { locationId }), bare }
}

interface Opened {
  store: Store
  metrics: Registry
  lines: Record<string, unknown>[]
  stop(): Promise<void>
}

let numbered = 0

/** Starts a directory on this bus, by default with a new store. `of`: ids of locations that are stored before the start. */
async function openDirectory(
  t: Test,
  bus: Bus,
  of: string[] = [],
  store: Store = createMemoryStore(),
  time: Clock = clock,
  level: Level = presentLevel(),
) {
  for (const id of of) await store.insert('locations', [{ id, rev: 1, name: `at ${id}`, displayName: null, createdAt: 1 }])
  const metrics = new Registry()
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const service = await startDirectory({ bus, clock: time, store, logger: log, metrics, level }, { queue: `q${numbered++}` })
  let stopped: Promise<void> | null = null
  const stop = () => {
    stopped ??= service.stop()
    return stopped
  }
  t.teardown(stop)
  const directory: Opened = { store, metrics, lines, stop }
  return { directory, ask: createDirectoryClient(bus, clock).ask }
}

/** Stores a location as another directory would. The tested directory learns of the location by a message on the bus. */
async function addLocation(bus: Bus, store: Store, id: string): Promise<void> {
  await store.insert('locations', [{ id, rev: 1, name: `at ${id}`, displayName: null, createdAt: 1 }])
  const asker = () => bus.request(subjects.door(id, 'members'), {}, { timeoutMs: 1_000 }).then(Boolean, () => false)
  bus.publish(subjects.doorNudge, {})
  await eventually('its door is open', asker)
}

async function watchOf(bus: Bus, locationId: string) {
  const seen = collector<string>()
  await bus.bucket('checks').watch(keys.checksOfLocation(locationId), {
    onEntry: ({ key, value }) => seen.add(`${key.split('.')[2]}: ${value !== null}`),
    onReady: () => seen.add('ready'),
  })
  return seen
}

function describeDoors(t: Test, harness: Harness): void {
  const open = async (t: Test, locationId: string) => {
    const house = await harness.house()
    const { directory } = await openDirectory(t, house, [locationId])
    const bus = await harness.prober(locationId)
    t.teardown(() => bus.close())
    return { house, directory, bus }
  }

  t.test('prober reads 10,000 checks at once, and gets each later change immediately', async t => {
    const { house, bus } = await open(t, 'many')
    const checks = house.bucket('checks')
    await Promise.all(upTo(10_000).map(n => checks.put(keys.check('many', `subject${n}`), entry({ rev: n }))))
    const revs = new Map<string, number>()
    const startedAt = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    await bus.bucket('checks').watch(keys.checksOfLocation('many'), {
      onReady: resolve,
      onEntry: ({ key, value }) => revs.set(key, (value as { rev: number } | null)?.rev ?? 0),
    })
    await promise
    t.comment(`10,000 checks read in ${Math.round(performance.now() - startedAt)} ms`)
    t.equal(revs.size, 10_000)
    t.equal(revs.get(keys.check('many', 'subject777')), 777)
    const last = keys.check('many', 'subject1')
    await Promise.all(upTo(2_000).map(n => checks.put(keys.check('many', `subject${n}`), entry({ rev: n + 20_000 }))))
    await checks.delete(keys.check('many', 'subject2'))
    await checks.put(last, entry({ rev: 30_000 }))
    await eventually('the last has come', () => revs.get(last) === 30_000)
    t.equal(revs.get(keys.check('many', 'subject2')), 0)
    t.ok(upTo(1_998, 3).every(n => revs.get(keys.check('many', `subject${n}`)) === n + 20_000))
    const changedAt = performance.now()
    await checks.put(last, entry({ rev: 40_000 }))
    await eventually('it has come', () => revs.get(last) === 40_000)
    t.ok(performance.now() - changedAt < 1_000)
  })

  t.test('prober at a door runs its first check within 3 s of its start, and its results are judged', async t => {
    const { house, bus } = await open(t, 'look')
    const website = createServer((_, response) => void response.end('hello')).listen(0, '127.0.0.1')
    await once(website, 'listening')
    t.teardown(() => website.close())
    const url = `http://127.0.0.1:${(website.address() as AddressInfo).port}/`
    const ids = upTo(20).map(n => `subject${n}`)
    for (const id of ids) await house.bucket('checks').put(keys.check('look', id), entry({ url, intervalMs: 1_000 }))
    const reports = new Map<string, CheckResult>()
    await Promise.all(
      [...new Set(ids.map(partitionOf))].map(async partition =>
        house.observations.open({
          partition,
          from: { sequence: 1 },
          onBroken: () => undefined,
          onMessage: ({ subject, body }) => {
            const address = parseObservation(subject, body)
            if (address?.locationId === 'look') reports.set(address.subjectId, body as CheckResult)
            return true
          },
        }),
      ),
    )
    const startedAt = performance.now()
    const options = { locationId: 'look', proberId: 'far', version: '2.0.0', serviceUrl: 'http://us' }
    const prober = await startProber({ bus, clock, logger, metrics: new Registry() }, options)
    t.teardown(() => prober.stop())
    await eventually('all were checked', () => reports.size === ids.length)
    t.comment(`all checked after ${Math.round(performance.now() - startedAt)} ms`)
    t.ok(performance.now() - startedAt < 3_000)
    t.ok([...reports.values()].every(({ ok }) => ok))
  })

  t.test('concurrent reports share requests, and each is stored before it is acknowledged', async t => {
    const { house, bus } = await open(t, 'send')
    const { lastSequence } = await house.observations.state()
    const long = { ...result, ok: false, error: '\u0001'.repeat(300) }
    await Promise.all(
      upTo(1_000).map(n => bus.observations.publish(subjects.observation('send', `s${n}`), n % 2 ? long : result)),
    )
    t.equal((await house.observations.state()).lastSequence, lastSequence + 1_000)
    t.equal(await refused(bus.observations.publish('obs.1.else.x', result)), 'unavailable', 'of another location')
  })

  t.test('malformed report is dropped, counted and logged once with its reason, and the others are stored', async t => {
    const { house, directory, bus } = await open(t, 'junk')
    const { lastSequence } = await house.observations.state()
    for (let n = 0; n < 50; n++) {
      await Promise.all(upTo(100).map(() => bus.observations.publish('obs.1.junk.x', { ...result, slotAt: 'soon' })))
    }
    await Promise.all([bus.observations.publish('obs.1.junk.x', null), bus.observations.publish('obs.1.junk.x', result)])
    t.equal((await house.observations.state()).lastSequence, lastSequence + 1)
    t.match(await directory.metrics.metrics(), /junk_reports_total\{location="at junk"\} 5001/)
    await directory.stop()
    const said = directory.lines.filter(({ msg }) => msg === 'invalid reports dropped')
    t.match(said, [{ location: 'at junk', reason: /slotAt must be integer/ }, { count: 5_001 - Number(said[0]?.['count']) }])
    t.equal(said.length, 2, 'the first at once, the others together')
  })

  t.test('door loses and repeats no change when another directory takes over the location', async t => {
    const { house, directory, bus } = await open(t, 'hand')
    const other = await openDirectory(t, await harness.house(), [], directory.store)
    const seen = await watchOf(bus, 'hand')
    await seen.reached(1)
    for (const n of upTo(30)) {
      await house.bucket('checks').put(keys.check('hand', `s${n}`), entry())
      if (n === 10) await directory.stop()
      if (n === 20) await openDirectory(t, house, [], directory.store)
    }
    await seen.reached(31)
    await other.directory.stop()
    await house.bucket('checks').put(keys.check('hand', 'last'), entry())
    await eventually('the last has come', () => seen.items.at(-1) === 'last: true')
    t.strictSame(seen.items, ['ready', ...upTo(30).map(n => `s${n}: true`), 'last: true'])
  })

  t.test('prober gets a change after its next heartbeat when the directory that sent its changes has died', async t => {
    const house = await harness.house()
    const held = await house.subscribe(subjects.door('dead', 'entries'), () => undefined)
    const { directory } = await openDirectory(t, await harness.house())
    const bus = await harness.prober('dead')
    t.teardown(() => bus.close())
    const answer = { changes: [], position: { stream: '', revision: 0 }, isLast: true } satisfies Changes
    const first = await house.subscribe(subjects.door('dead', 'entries'), message => {
      message.respond({ ok: true, result: answer })
      void first.close()
    })
    const seen = await watchOf(bus, 'dead')
    t.strictSame(seen.items, ['ready'])
    await addLocation(house, directory.store, 'dead')
    // A directory begins to watch changes of checks at the first request of a prober.
    const somebody = await harness.house()
    await held.close()
    await somebody.request(subjects.door('dead', 'entries'), { of: 'checks', after: null }, { timeoutMs: 5_000 })
    await house.bucket('checks').put(keys.check('dead', 'new'), entry())
    await eventually('it has come', async () => {
      await bus.bucket('presence').put(keys.proberPresence('dead', 'p1'), state)
      return seen.items.includes('new: true')
    })
  })

  t.test(
    'prober gets pages and entries that are alone, each with its changes, and its reports name their subjects inside',
    async t => {
      const { house, bus } = await open(t, 'both')
      await house.bucket('checks').put(keys.check('both', 'alone'), entry())
      const pages = house.bucket('check-pages')
      const pageKey = keys.checkPageOf('both', 'paged')
      await pages.put(pageKey, { entries: [['paged', 0, entry()]] })
      await pages.put(keys.checkPageOf('another', 'paged'), { entries: [] })
      const told = collector<string>()
      const onEntry = ({ key, value }: { key: string; value: unknown }) => told.add(`${key} ${value === null}`)
      const filter = keys.checksOfLocation('both')
      await bus.bucket('check-pages').watch(filter, { onEntry, onReady: () => told.add('pages are known') })
      await bus.bucket('checks').watch(filter, { onEntry, onReady: () => told.add('entries are known') })
      t.strictSame(told.items, [
        `${pageKey} false`,
        'pages are known',
        `${keys.check('both', 'alone')} false`,
        'entries are known',
      ])
      await pages.delete(pageKey)
      await eventually('the change has come', () => told.items.includes(`${pageKey} true`))
      await house.bucket('checks').delete(keys.check('both', 'alone'))
      await eventually('and the other', () => told.items.includes(`${keys.check('both', 'alone')} true`))
      const named = collector<string>()
      await house.observations.open({
        partition: partitionOf('paged'),
        from: { sequence: 1 },
        onBroken: () => undefined,
        onMessage: ({ subject, body }) => {
          if (subject.includes('.both')) named.add(`${subject} ${parseObservation(subject, body)?.subjectId}`)
          return true
        },
      })
      await bus.observations.publish(subjects.flatObservation('both', 'paged'), { ...result, subject: 'paged' })
      await bus.observations.publish(subjects.observation('both', 'paged'), result)
      await named.reached(2)
      const flat = subjects.flatObservation('both', 'paged')
      t.strictSame(named.items, [`${flat} paged`, `${flat} paged`], 'whatever form the prober knows')
    },
  )

  t.test('prober of an earlier version goes on with what it knows when the level is raised, and is told why', async t => {
    const house = await harness.house()
    const level = levelOf(flatForms - 1)
    const { directory } = await openDirectory(t, house, ['old'], createMemoryStore(), clock, level)
    const prober = await harness.house()
    const ask = (after: object | null) =>
      prober.request(subjects.door('old', 'changes'), { after }, { timeoutMs: doorLimits.parkMs + 5_000 })
    await house.bucket('checks').put(keys.check('old', 'mine'), entry())
    const first = (await ask(null)) as { ok: boolean; result: Changes }
    t.match(first, { ok: true, result: { changes: [{ subjectId: 'mine', value: { rev: 1 } }] } })
    const waiting = ask(first.result.position)
    await house.bucket('checks').put(keys.check('old', 'mine'), entry({ rev: 2 }))
    t.match(await waiting, { ok: true, result: { changes: [{ subjectId: 'mine', value: { rev: 2 } }] } })
    await house.observations.state()
    level.raise(flatForms)
    for (let n = 0; n < 3; n++) {
      const refusal = { ok: false, error: { code: 'invalid_state', details: /install the version of the installation here/ } }
      t.match(await ask(n === 0 ? null : first.result.position), refusal, 'no answer says that its checks are gone')
    }
    t.match(
      directory.lines.filter(({ msg }) => /older than the installation/.test(String(msg))),
      [{ location: 'at old' }],
      'once an hour',
    )
  })

  t.test('prober at a directory of an earlier version reads the entries that it serves, and looks for pages later', async t => {
    const house = await harness.house()
    const answer = (changes: object[], revision: number) => ({
      ok: true,
      result: { changes, position: { stream: 'one', revision }, isLast: true },
    })
    let asked = 0
    const unknown = { ok: false, error: { code: 'not_found', message: 'Unknown request', details: 'Unknown request' } }
    await house.subscribe(subjects.door('prior', 'entries'), message => message.respond(unknown))
    await house.subscribe(subjects.door('prior', 'changes'), message => {
      const mine = { subjectId: 'mine', revision: 1, at: 1, value: entry() }
      if (asked++ === 0) message.respond(answer([mine], 1))
    })
    const bus = await harness.prober('prior')
    t.teardown(() => bus.close())
    const seen = await watchOf(bus, 'prior')
    t.strictSame(seen.items, ['mine: true', 'ready'])
    const pages = collector<string>()
    await bus.bucket('check-pages').watch(keys.checksOfLocation('prior'), {
      onEntry: ({ key }) => pages.add(key),
      onReady: () => pages.add('ready'),
    })
    t.strictSame(pages.items, ['ready'], 'it has none')
  })

  t.test('door opens at the creation of its location, and closes at the removal', async t => {
    const { house, directory } = await open(t, 'here')
    const ask = (id: string) => refused(house.request(subjects.door(id, 'members'), {}, { timeoutMs: 1_000 }))
    t.equal(await ask('here'), 'nothing refused')
    t.equal(await ask('come'), 'no_responders')
    await addLocation(house, directory.store, 'come')
    await directory.store.delete('locations', ['come'])
    house.publish(subjects.doorNudge, {})
    await eventually('it is closed', async () => (await ask('come')) === 'no_responders')
    t.equal(await ask('here'), 'nothing refused')
  })

  t.test('location has a bounded number of probers, and every prober learns when another joins or ends', async t => {
    const { house, bus } = await open(t, 'full')
    const told = collector<string>()
    await bus.bucket('presence').watch(keys.probersOf('full'), {
      onEntry: ({ key, value }) => told.add(`${key.split('.')[2]}: ${value !== null}`),
    })
    await watchOf(bus, 'full')
    /** Sends as a prober does: retries when the bound on requests in flight dropped the request. */
    const said = async (say: () => Promise<unknown>): Promise<string> => {
      const outcome = String(await refused(say()))
      if (outcome !== 'no_responders') return outcome
      await pause(clock, 20)
      return said(say)
    }
    const put = (n: number) => said(() => bus.bucket('presence').put(keys.proberPresence('full', `p${n}`), state))
    const leave = (n: number) => said(() => bus.bucket('presence').delete(keys.proberPresence('full', `p${n}`)))
    for (const n of upTo(limits.prober.perLocation)) {
      await eventually(`p${n} is there, and the others hear of it with their next beat at the latest`, async () => {
        if ((await put(n)) !== 'nothing refused') return false
        return told.items.includes(`p${n}: true`)
      })
    }
    t.equal(await put(99), 'unavailable', 'one more')
    t.equal(await put(1), 'nothing refused', 'one of them again')
    t.equal(await leave(1), 'nothing refused')
    await eventually('it is told, with the answer to a beat at the latest', async () => {
      await put(2)
      return told.items.includes('p1: false')
    })
    t.equal(await put(99), 'nothing refused', 'in its place')
    t.equal((await house.bucket('presence').list('prober.full.*')).length, limits.prober.perLocation)
  })
}

t.test('door passes a bounded burst and rate of messages, and drops further messages before they reach the receiver', async t => {
  const time = createVirtualClock()
  const hub = createMemoryHub({ clock: time })
  const receiver = hub.connect()
  const sender = hub.connect()
  let taken = 0
  const options = { subject: 'flood.*', queue: 'q', atOnce: 64, perSecond: 100, logger }
  const subscription = await subscribeWindowed(receiver, time, options, () => void taken++)
  const flood = async (count: number) => {
    for (let n = 0; n < count; n++) sender.publish('flood.x', n)
    await time.settle()
  }
  await flood(5_000)
  t.equal(taken, 64)
  for (let second = 0; second < 10; second++) {
    for (let tenth = 0; tenth < 10; tenth++) {
      await flood(500)
      await time.advance(100)
    }
  }
  t.ok(taken <= 64 + 10 * 100 && taken > 900, `${taken} of 55,000`)
  hub.cut(receiver)
  hub.restore(receiver)
  const before = taken
  await time.advance(1_000)
  await flood(5_000)
  t.ok(taken - before <= 128 && taken > before, 'after a reconnect, too')
  await time.advance(10_000)
  const quiet = taken
  for (let n = 0; n < 50; n++) {
    await flood(1)
    await time.advance(20)
  }
  t.equal(taken - quiet, 50, 'who sends less loses nothing')
  await subscription.close()
  await flood(10)
  t.equal(taken - quiet, 50)
})

t.test('location that reads too much gets delayed responses, and gets `busy` above a bound', async t => {
  const time = createVirtualClock()
  const hub = createMemoryHub({ clock: time })
  const house = hub.connect()
  const opening = openDirectory(t, house, ['read'], createMemoryStore(), time)
  await time.settle()
  await opening
  const large = entry({ data: 'x'.repeat(200_000) })
  await Promise.all(upTo(20).map(n => house.bucket('checks').put(keys.check('read', `s${n}`), large)))
  const asker = hub.connect()
  const answers: { characters: number; code: string }[] = []
  const ask = async () => {
    const answer = (await asker.request(
      subjects.door('read', 'entries'),
      { of: 'checks', after: null },
      { timeoutMs: 60_000 },
    )) as Reply
    answers.push({ characters: JSON.stringify(answer).length, code: answer.error?.code ?? 'answered' })
  }
  const asked: Promise<void>[] = []
  for (let tenth = 0; tenth < 100; tenth++) {
    for (let n = 0; n < 10; n++) asked.push(ask())
    await time.advance(100)
  }
  await time.advance(20_000)
  await Promise.all(asked)
  const served = answers.filter(({ code }) => code === 'answered')
  const characters = served.reduce((sum, answer) => sum + answer.characters, 0)
  t.ok(served.every(answer => answer.characters < doorLimits.changesCharacters + 200_000))
  t.ok(characters < doorLimits.changesCharactersAtOnce + 16 * doorLimits.changesCharactersPerSecond, `${characters} in 10 s`)
  t.ok(characters > doorLimits.changesCharactersAtOnce)
  t.strictSame([...new Set(answers.map(({ code }) => code))].toSorted(), ['answered', 'busy'])
})

t.test('door bounds the reports and responses of a location in each second', async t => {
  const time = createVirtualClock()
  const hub = createMemoryHub({ clock: time })
  const house = hub.connect()
  const opening = openDirectory(t, house, ['flood', 'calm'], createMemoryStore(), time)
  await time.settle()
  await opening
  const attacker = hub.connect()
  const neighbour = hub.connect()
  const report = (subjectId: string) => ({ reports: Array.from({ length: doorLimits.reports }, () => [subjectId, result]) })
  /** Returns the outcome of the request, and its duration in ms. */
  const ask = async (bus: Bus, id: string, verb: string, body: unknown) => {
    const askedAt = time.monotonic()
    const outcome = await bus.request(subjects.door(id, verb), body, { timeoutMs: 60_000 }).then(
      answer => (answer as Reply).error?.code ?? 'answered',
      (error: BusError) => error.kind,
    )
    return { outcome, tookMs: time.monotonic() - askedAt }
  }
  const stored = async () => (await house.observations.state()).lastSequence
  /** Floods the door for 10 s, while the other location reports ten times a second. Returns the outcomes of the flood. */
  const flood = async (verb: string, body: unknown) => {
    const flooded: ReturnType<typeof ask>[] = []
    const calm: typeof flooded = []
    for (let tenth = 0; tenth < 100; tenth++) {
      for (let n = 0; n < 100; n++) flooded.push(ask(attacker, 'flood', verb, body))
      calm.push(ask(neighbour, 'calm', 'report', { reports: [['calm', result]] }))
      await time.advance(100)
    }
    const atEnd = await stored()
    await time.advance(70_000)
    const outcomesOf = async (asked: typeof calm) => (await Promise.all(asked)).map(({ outcome }) => outcome)
    t.strictSame([...new Set(await outcomesOf(calm))], ['answered'], 'each report of the other location is stored')
    const worstMs = Math.max(...(await Promise.all(flooded)).map(({ tookMs }) => tookMs))
    t.ok(worstMs < 2_000, `the last was answered or refused after ${worstMs} ms: none piles up`)
    const outcomes = await outcomesOf(flooded)
    return { atEnd, outcomes, answered: outcomes.filter(outcome => outcome === 'answered').length }
  }
  const { waiting, requestsPerSecond, reportsPerSecond } = doorLimits
  const { atEnd, outcomes } = await flood('report', report('x'))
  t.ok(atEnd <= 100 + 11 * reportsPerSecond, `${atEnd} reports of 500,000 in 10 s`)
  t.ok(atEnd > 9 * reportsPerSecond, 'as many as promised get through')
  t.strictSame([...new Set(outcomes)].toSorted(), ['answered', 'busy', 'no_responders'])
  const { answered } = await flood('members', {})
  t.ok(answered <= waiting + 10 * requestsPerSecond, `${answered} requests of 10,000 in 10 s`)
  t.ok(answered > 9 * requestsPerSecond, 'as many as promised get through')
})

interface Reply {
  error?: { code: string }
}
