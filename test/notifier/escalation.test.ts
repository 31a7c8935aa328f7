// Escalation: routes that wait, and chains of destinations (v3 10.15). Choices by tables, and whole notifiers with a clock that the test
// advances, on the store in memory and on a real bus with SQLite.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { AlertDocument, AlertKind, AlertRouting } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DestinationDocument, SettingStep } from '#shared/contracts/notifications/destination.ts'
import type { RouteTransition } from '#shared/contracts/resources/template.ts'
import { hour, limits, minute, second } from '#shared/limits/limits.ts'
import { chooseDestinations, type Routing } from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { createSubject } from '../../services/keeper/step/commands/subject-commands.ts'
import { startWindow } from '../../services/keeper/step/incidents/drive-window.ts'
import { startNotifier } from '../../services/notifier/app.ts'
import { Random } from '../simulation/random.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import {
  alert,
  createHouse,
  createReceiver,
  destination,
  type House,
  incidentOf,
  options,
  type Receiver,
  startAt,
  until,
} from './house.ts'

const { scanMs } = limits.notifier
const workspaceId = 'w'

/** Returns a chain of these destinations: minutes by their ids. */
const chainOf = (steps: Record<string, number>, over: Partial<DestinationDocument> = {}): DestinationDocument =>
  destination('chain', '', {
    ...{ workspaceId, type: 'chain', default: true, defaultAt: startAt },
    settings: { steps: Object.entries(steps).map(([id, after]): SettingStep => ({ destination: id, after_minutes: after })) },
    ...over,
  })

const plain = (id: string, over: Partial<DestinationDocument> = {}) =>
  destination(id, `http://127.0.0.1:1/${id}`, { workspaceId, default: false, defaultAt: null, ...over })

interface Case {
  name: string
  kind?: AlertKind
  reminder?: true
  held?: 'maintenance'
  rule?: AlertRouting
  all?: DestinationDocument[]
  more?: Partial<Routing>
  /** Minutes by the chosen destinations. */
  chosen: Record<string, number>
  kept?: Record<string, string>
  nobody?: string | null
}

const steps = chainOf({ a: 0, b: 10, c: 30 })
const usual = [steps, plain('a'), plain('b'), plain('c')]
const route = (id: string, on: RouteTransition[], afterMinutes = 0) => ({
  ...{ destination: id, on },
  ...(afterMinutes > 0 ? { afterMinutes } : {}),
})

const cases: Case[] = [
  { name: 'a problem goes to every step at its minutes', chosen: { a: 0, b: 10, c: 30 } },
  { name: 'no data, too', kind: 'no_data', chosen: { a: 0, b: 10, c: 30 } },
  {
    name: 'the minutes of a route are added to those of the steps',
    rule: { routes: [route('chain', ['problem'], 5)] },
    chosen: { a: 5, b: 15, c: 35 },
  },
  {
    name: 'a destination that is chosen twice gets it once, at the earliest instant',
    rule: { routes: [route('chain', ['problem'], 5), route('b', ['problem'], 1), route('c', ['problem'])] },
    chosen: { a: 5, b: 1, c: 0 },
  },
  { name: "of the rule's destination", rule: { destination: 'chain' }, chosen: { a: 0, b: 10, c: 30 } },
  {
    name: 'of a row of the delivery table',
    more: { selections: [{ destinationId: 'chain', alertKinds: ['no_data'] }] },
    kind: 'no_data',
    chosen: { a: 0, b: 10, c: 30 },
  },
  {
    name: 'a chain that is switched off holds all steps',
    all: [{ ...steps, enabled: false }, plain('a'), plain('b'), plain('c')],
    chosen: {},
    kept: { chain: 'destination_disabled' },
    nobody: 'destination_disabled',
  },
  {
    name: 'a step without minutes that is switched off is held, a later one is looked at in its time',
    all: [steps, plain('a', { enabled: false }), plain('b', { enabled: false }), plain('c')],
    chosen: { b: 10, c: 30 },
    kept: { a: 'destination_disabled' },
  },
  { name: 'a step that was deleted is none', all: [steps, plain('a'), plain('c')], chosen: { a: 0, c: 30 } },
  {
    name: 'what maintenance holds makes no steps',
    held: 'maintenance',
    chosen: {},
    kept: { a: 'maintenance' },
    nobody: 'maintenance',
  },
  {
    name: 'also where every step waits',
    all: [chainOf({ b: 10 }), plain('b')],
    held: 'maintenance',
    chosen: {},
    nobody: 'maintenance',
  },
  {
    name: 'an opening reaches only steps without minutes, by a route',
    kind: 'opened',
    rule: { routes: [route('chain', ['opened'])] },
    all: [steps, plain('a', { sendOnOpen: true }), plain('b', { sendOnOpen: true })],
    chosen: { a: 0 },
  },
  {
    name: 'of an opening, a webhook has to opt in',
    kind: 'opened',
    rule: { routes: [route('chain', ['opened'])] },
    chosen: {},
    kept: { a: 'not_opted_in' },
    nobody: 'not_opted_in',
  },
  { name: 'no opening goes to a default', kind: 'opened', chosen: {}, nobody: null },
  {
    name: 'a reminder goes to steps that were tried; the others it holds or leaves out',
    reminder: true,
    more: { toldAt: new Set(['b']), waitingAt: new Set(['c']) },
    chosen: { a: 0, b: 0 },
    kept: { c: 'not_due' },
  },
  {
    name: 'a recovery goes to steps that were tried',
    kind: 'recovery',
    more: { toldAt: new Set(['b']) },
    chosen: { a: 0, b: 0 },
  },
  {
    name: 'a recovery that nobody has to hear leaves nothing',
    all: [chainOf({ b: 10 }), plain('b')],
    kind: 'recovery',
    chosen: {},
    nobody: null,
  },
  {
    name: 'an acknowledgement goes by routes, to steps that were tried',
    kind: 'acknowledged',
    rule: { routes: [route('chain', ['problem', 'acknowledged'])] },
    more: { toldAt: new Set(['b']) },
    chosen: { a: 0, b: 0 },
  },
]

t.test('v3 10.15 a chain passes messages on to its steps', async t => {
  for (const { name, kind = 'problem', reminder, held = null, rule, all = usual, more, chosen, kept = {}, nobody } of cases) {
    const asked = {
      ...{ workspaceId, kind, held, reminder: reminder === true },
      facts: { confirmedAt: startAt, ...(rule === undefined ? {} : { routing: rule }) },
    }
    const nothing: Routing = { destinations: all, selections: [], subjectGone: false, isOvertaken: false, openedAt: new Set() }
    const decision = chooseDestinations(asked, { ...nothing, ...more })
    t.strictSame(Object.fromEntries(decision.chosen.map(one => [one.destination.id, one.afterMs / minute])), chosen, name)
    const spoken = decision.leftOut.filter(({ reason }) => reason !== 'not_routed')
    t.strictSame(Object.fromEntries(spoken.map(({ destinationId, reason }) => [destinationId, reason])), kept, name)
    t.equal(decision.nobody, nobody ?? null, name)
  }
})

interface Stage extends House {
  receiver: Receiver
  /** Paths of the requests so far: the ids of destinations. */
  told(): string[]
  tell(...alerts: AlertDocument[]): Promise<void>
  /** Changes the incident, as a keeper does. */
  change(over: Partial<IncidentDocument>): Promise<void>
  /** Rows of the log that are held: `destination reason`. */
  held(): Promise<string[]>
  run(id: string): ReturnType<House['start']>
}

const problem = (number = 1, over: Partial<AlertDocument> = {}) => alert('x', 'a', number, { workspaceId, ...over })
const recovery = (number: number) => problem(number, { kind: 'recovery' })

/** Starts a world with the chain of `steps`, whose incident is open. Each path of its receiver is the id of a destination. */
async function stage(t: Test, given: DestinationDocument[] = usual): Promise<Stage> {
  const house = createHouse()
  const receiver = await createReceiver(() => ({ status: 200 }))
  const { origin } = new URL(receiver.url)
  const services: Awaited<ReturnType<House['start']>>[] = []
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await receiver.close()
  })
  const { store } = house
  await store.insert(
    'destinations',
    given.map(one => (one.type === 'chain' ? one : { ...one, url: `${origin}/${one.id}` })),
  )
  await store.insert('incidents', [incidentOf(problem())])
  const run = async (id: string) => {
    const service = await house.start(id)
    services.push(service)
    return service
  }
  await run('n1')
  return {
    ...house,
    receiver,
    run,
    told: () => receiver.hits.map(({ path }) => path.slice(1)),
    tell: async (...alerts) => {
      await store.insert('alerts', alerts)
      house.nudge(...alerts.map(({ id }) => id))
      const isDispatched = async () =>
        (
          await store.get(
            'alerts',
            alerts.map(({ id }) => id),
          )
        ).every(one => one?.state === 'dispatched')
      await until(isDispatched, 'the dispatch')
    },
    change: async over => {
      const [present] = await store.get('incidents', [problem().incidentId])
      if (present == null) throw new Error('no incident')
      await store.replace('incidents', [{ ...present, ...over, rev: present.rev + 1 }])
    },
    held: async () =>
      (await store.find('deliveryLog', { limit: 1_000 }))
        .filter(({ status }) => status === 'held')
        .map(({ destinationId, reason }) => `${destinationId} ${reason}`)
        .sort(),
  }
}

/** Advances the clock in pieces, because requests over HTTP need turns of the event loop. */
async function pass(house: House, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 15 * second) {
    await house.clock.advance(Math.min(left, 15 * second))
    await quiet(house.store)
  }
}

const quiet = (store: Store) =>
  until(
    async () => (await store.find('deliveries', { limit: 1_000 })).every(({ snapshot }) => snapshot.value !== 'sending'),
    'quiet',
  )

t.test(
  'v3 10.15 steps are told at their minutes while nobody takes the incident, and hear its end if they were told',
  async t => {
    const house = await stage(t)
    await house.tell(problem())
    await house.receiver.called(1)
    t.strictSame(house.told(), ['a'])
    await pass(house, 10 * minute - second)
    t.strictSame(house.told(), ['a'], 'nobody else before the tenth minute')
    await pass(house, second)
    await house.receiver.called(2)
    t.strictSame(house.told(), ['a', 'b'])
    const said = JSON.parse(house.receiver.hits[1]?.body ?? '{}').attachments[0]
    t.equal(said.title, 'Shop is down')
    t.match(said.text, /Down for 12m so far\.\nNot taken for 10m\./)
    t.equal(
      house.receiver.hits[1]?.headers['webhook-timestamp'],
      String((startAt + 10 * minute) / second),
      'it is of that instant',
    )
    await house.tell(problem(2, { reminder: true }))
    await house.receiver.called(4)
    t.strictSame(house.told().slice(2).sort(), ['a', 'b'])
    t.strictSame(await house.held(), ['c not_due'])
    await house.change({ open: 0 })
    await house.tell(recovery(3))
    await house.receiver.called(6)
    t.strictSame(house.told().slice(4).sort(), ['a', 'b'])
    t.strictSame(await house.held(), ['c ended_first', 'c not_due'])
    await pass(house, hour)
    t.equal(house.told().length, 6, 'nothing else is sent')
    t.equal(await house.store.count('deliveries', { open: 1 }), 0)
  },
)

t.test('v3 10.15 acknowledging ends the chain at the instant of the next step', async t => {
  const house = await stage(t)
  await house.tell(problem())
  await house.receiver.called(1)
  await house.change({ acknowledgedAt: startAt + minute })
  await pass(house, 31 * minute)
  t.strictSame(house.told(), ['a'])
  t.strictSame(await house.held(), ['b acknowledged_first', 'c acknowledged_first'])
})

t.test('v3 10.15 a message about the acknowledgement withdraws waiting steps at once', async t => {
  const house = await stage(t)
  await house.tell(problem())
  await house.receiver.called(1)
  await house.change({ acknowledgedAt: startAt + minute })
  await house.tell(problem(2, { kind: 'acknowledged' }))
  t.strictSame(await house.held(), ['b acknowledged_first', 'c acknowledged_first'])
})

t.test('v3 10.15 a waiting step survives its notifier', async t => {
  const house = createHouse()
  const receiver = await createReceiver(() => ({ status: 200 }))
  t.teardown(() => receiver.close())
  const { origin } = new URL(receiver.url)
  await house.store.insert('destinations', [chainOf({ b: 10 }), { ...plain('b'), url: `${origin}/b` }])
  await house.store.insert('incidents', [incidentOf(problem())])
  await house.store.insert('alerts', [problem()])
  const first = await house.start('n1')
  await until(async () => (await house.store.count('deliveries', { open: 1 })) === 1, 'the step')
  await house.stop(first)
  await house.clock.advance(20 * minute)
  t.equal(receiver.hits.length, 0)
  const second = await house.start('n2', { deadNotifiers: ['n1'] })
  t.teardown(() => house.stop(second))
  await receiver.called(1)
  t.match(JSON.parse(receiver.hits[0]?.body ?? '{}').attachments[0].text, /Not taken for 20m\./)
})

t.test('v3 10.15 a step waits while the incident recovers or maintenance runs, and is looked at each minute', async t => {
  const house = await stage(t, [chainOf({ b: 10 }), plain('b')])
  await house.tell(problem())
  await pass(house, 9 * minute)
  await house.change({ condition: 'ok', status: 'recovering' })
  await pass(house, 3 * minute)
  t.strictSame(house.told(), [])
  const { subjectId } = problem()
  const command = { kind: 'create-subject', id: 'x', workspaceId, slug: 'shop', name: 'Shop' } as const
  const endsAt = startAt + 15 * minute + second
  await house.store.insert('subjects', [
    startWindow(createSubject(subjectId, command, startAt), { at: startAt, endsAt, by: 'Ada' }),
  ])
  await house.change({ condition: 'problem', status: 'problem' })
  await pass(house, 3 * minute)
  t.strictSame(house.told(), [], 'maintenance runs')
  await pass(house, minute)
  await house.receiver.called(1)
  t.strictSame(house.told(), ['b'])
  const [delivery] = await house.store.find('deliveries', { limit: 1 })
  t.ok((delivery?.snapshot.context.giveUpAt ?? 0) >= startAt + 16 * minute + 2 * hour, 'it has two hours from then')
})

t.test('v3 10.15 a step whose chain or destination is switched off by then is held', async t => {
  for (const off of ['chain', 'b']) {
    const house = await stage(t, [chainOf({ b: 10 }), plain('b')])
    await house.tell(problem())
    const [present] = await house.store.get('destinations', [off])
    if (present == null) throw new Error('no destination')
    await house.store.replace('destinations', [{ ...present, enabled: false, rev: 2 }])
    await pass(house, 10 * minute)
    await until(async () => (await house.held()).length === 1, 'the row')
    t.strictSame([house.told(), await house.held()], [[], ['b destination_disabled']], off)
  }
})

t.test('v3 10.15 a problem after no data takes the place of the waiting step', async t => {
  const house = await stage(t)
  await house.tell(problem(1, { kind: 'no_data' }))
  await house.receiver.called(1)
  await pass(house, 4 * minute)
  await house.tell(problem(2, { decidedAt: startAt + 4 * minute }))
  await house.receiver.called(2)
  t.strictSame(await house.held(), ['b superseded', 'c superseded'])
  await pass(house, 6 * minute)
  await house.receiver.called(3)
  t.strictSame(house.told(), ['a', 'a', 'b'])
  t.match(house.receiver.hits[2]?.body, /Shop is down/)
})

t.test('v3 10.15 minutes count from the message that first tells of what maintenance held', async t => {
  const house = await stage(t)
  await house.tell(problem(1, { held: 'maintenance' }))
  t.strictSame(await house.held(), ['a maintenance'])
  await pass(house, 30 * minute)
  await house.tell(problem(2, { decidedAt: startAt + 30 * minute }))
  await house.receiver.called(1)
  await pass(house, 10 * minute - second)
  t.strictSame(house.told(), ['a'])
  await pass(house, second)
  await house.receiver.called(2)
  t.strictSame(house.told(), ['a', 'b'])
})

t.test('v3 10.15 whatever happens, a step is told if the incident is open, not ok and untaken when it is looked at', async t => {
  for (let seed = 1; seed <= 25; seed++) {
    const random = new Random(seed, 'steps')
    const house = await stage(t, [chainOf({ a: 0, b: 5, c: 12 }), plain('a'), plain('b'), plain('c')])
    let now: Pick<IncidentDocument, 'open' | 'condition' | 'acknowledgedAt'> = {
      open: 1,
      condition: 'problem',
      acknowledgedAt: null,
    }
    const wanted = new Map<string, boolean>([['a', true]])
    await house.tell(problem())
    await house.receiver.called(1)
    for (let at = 1; at <= 20; at++) {
      // Changes come half a minute before the looks, so that the order of both is known.
      await pass(house, 30 * second)
      const chance = random.integer(0, 9)
      if (now.open === 1 && chance === 0) now = { ...now, condition: now.condition === 'ok' ? 'problem' : 'ok' }
      if (now.open === 1 && chance === 1 && random.chance(0.33)) now = { ...now, acknowledgedAt: house.clock.now() }
      if (now.open === 1 && chance === 2 && random.chance(0.33)) now = { ...now, open: 0 }
      await house.change(now)
      if (random.chance(0.12)) await house.run(`n${seed}-${at}`)
      await pass(house, 30 * second)
      const isOver = now.open === 0 || now.acknowledgedAt !== null
      for (const [id, minutes] of [
        ['b', 5],
        ['c', 12],
      ] as const)
        if (at >= minutes && !wanted.has(id) && (isOver || now.condition !== 'ok')) wanted.set(id, !isOver)
    }
    const expected = [...wanted].flatMap(([id, isTold]) => (isTold ? [id] : [])).sort()
    t.strictSame(house.told().toSorted(), expected, `seed ${seed}`)
  }
})

t.test('v3 10.15 a chain works on a real bus and a real store, across a notifier that dies', async t => {
  const bus = await startTestBus()
  const teller = await bus.connect('teller')
  const store = await openSqliteStore(join(t.testdir(), 'store.db'))
  const receiver = await createReceiver(() => ({ status: 200 }))
  const { origin } = new URL(receiver.url)
  const clock = createVirtualClock(startAt)
  t.teardown(async () => {
    await receiver.close()
    await bus.stop()
    await store.close()
  })
  await store.insert('destinations', [
    chainOf({ a: 0, b: 10, c: 20 }),
    ...['a', 'b', 'c'].map(id => ({ ...plain(id), url: `${origin}/${id}` })),
  ])
  await store.insert('incidents', [incidentOf(problem())])
  const start = async (notifierId: string) => {
    const context = { store, clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
    return startNotifier({ ...context, bus: await bus.connect(notifierId) }, { ...options, notifierId })
  }
  const stop = async (service: Awaited<ReturnType<typeof start>>) => {
    const stopped = service.stop()
    await clock.advance(limits.notifier.stopMs)
    await stopped
  }
  const first = await start('n1')
  await store.insert('alerts', [problem()])
  teller.publish(subjects.alertNudge, { alertIds: [problem().id] })
  await receiver.called(1)
  await until(async () => (await store.count('deliveries', { open: 0 })) === 1, 'the first step')
  await stop(first)
  await clock.advance(10 * minute)
  const second = await start('n2')
  await receiver.called(2)
  await until(async () => (await store.count('deliveries', { open: 0 })) === 2, 'the second step')
  const [present] = await store.get('incidents', [problem().incidentId])
  if (present == null) throw new Error('no incident')
  await store.replace('incidents', [{ ...present, open: 0, rev: present.rev + 1 }])
  await clock.advance(10 * minute)
  const isOver = async () => {
    // Each scan reads the real store, and the next one begins only then.
    await clock.advance(scanMs)
    return (await store.count('deliveries', { open: 1 })) === 0
  }
  await until(isOver, 'the third step')
  t.strictSame(receiver.hits.map(({ path }) => path).sort(), ['/a', '/b'])
  const rows = await store.find('deliveryLog', { limit: 100 })
  t.match(
    rows.find(({ destinationId }) => destinationId === 'c'),
    { status: 'held', reason: 'ended_first' },
  )
  await stop(second)
})
