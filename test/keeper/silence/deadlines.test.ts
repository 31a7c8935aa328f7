// Deadlines of a keeper: each deadline fires once, at its instant, and no deadline fires forever.
import t from 'tap'
import type { Bus } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Put, type Store, StoreError } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { armDeadline, firstDueAt, noDeadlines, takeDue } from '../../../services/keeper/partition/deadlines.ts'
import { createWorld, type KeeperHandle, minute } from '../world.ts'

const day = 24 * 60 * minute

/** World whose store needs `pause.ms` for each write. */
function slowWorld() {
  const pause = { ms: 0 }
  const world = createWorld(store => ({
    ...store,
    putInOrder: async (puts: readonly Put[]) => {
      const { ms } = pause
      if (ms > 0 && puts.some(({ documents }) => documents.length > 0))
        await new Promise<void>(resolve => void world.clock.schedule(ms, resolve))
      return store.putInOrder(puts)
    },
  }))
  return { ...world, pause }
}

const rounds = async ({ metrics }: KeeperHandle) =>
  Number((await metrics.getSingleMetricAsString('watchkeeper_keeper_rounds_total')).trim().split(' ').at(-1))

t.test('incident is confirmed after the commit of its first failure when its delay ends during that commit', async t => {
  const { pause, ...world } = slowWorld()
  await world.startOne({ exclusive: true, confirmAfterMs: 1_000 })
  const id = await world.create()
  await world.report(id, true)
  await world.clock.advance(40_000)
  pause.ms = 1_500
  await world.report(id, false)
  await world.clock.advance(1_500)
  pause.ms = 0
  await world.clock.advance(1_600)
  t.equal(world.nudged.length, 1)
})

t.test('second silence is announced at once when it begins during the commit of the first silence', async t => {
  const { pause, ...world } = slowWorld()
  await world.startOne({ exclusive: true })
  const id = randomId(10)
  const must = async (command: object) => t.match(await world.command(id, command as never), { ok: true })
  await must({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
  const unset = { signal: null, from: null, compare: null, threshold: null, match: null }
  for (const name of ['one', 'two']) {
    await must({ kind: 'create-signal', name, signalKind: 'custom_heartbeat', meta: '{}', convert: false })
    const inputs = [{ ...unset, mode: 'status', signal: name, noDataAfterMs: minute }]
    const policy = { inputs, need: 'any', atLeast: null, confirmAfterMs: 0, closeAfterMs: 0 }
    await must({ kind: 'create-rule', name, convert: false, policy })
  }
  await world.clock.advance(30_000)
  const at = world.clock.now()
  for (const [i, signal] of ['one', 'two'].entries()) {
    const report = { kind: 'report-observation', signal, status: 'ok', value: null, error: '', labels: {} }
    await must({ ...report, observedAtUs: (at + 5 * i) * 1_000 })
  }
  pause.ms = 10
  await world.clock.advance(at + minute + 100 - world.clock.now())
  t.equal(world.nudged.length, 2)
})

t.test('deadline is retried after a pause when its step fails', async t => {
  const world = createWorld()
  const first = await world.startOne({ exclusive: true })
  const id = await world.create()
  await world.report(id, true)
  const stored = await world.subject(id)
  if (stored === null || stored.check === null) throw new Error('no subject')
  await Promise.all([first.service.stop(), world.clock.advance(100)])
  const poisoned = { ...stored, rev: 9, writer: 'x', check: { ...stored.check, locations: null as never } }
  await world.store.upsert('subjects', [poisoned])
  const { metrics } = await world.startOne({ exclusive: true })
  await world.clock.advance(10 * minute)
  const inputs = await metrics.getSingleMetric('watchkeeper_keeper_inputs_total')?.get()
  const tries = inputs?.values.find(({ labels }) => labels['kind'] === 'deadline')?.value ?? 0
  t.ok(tries > 1, `${tries} in 10 minutes: it is tried again`)
  t.ok(tries <= (10 * minute) / limits.keeper.silenceHoldOffMs, `${tries} in 10 minutes`)
  t.equal(await world.store.count('deadLetters', { subjectId: id }), 1, 'one dead letter for one reason')
})

t.test('new monitor is not silent after an outage, because buffered reports come first', async t => {
  const world = createWorld()
  const keeper = await world.startOne({ exclusive: true })
  await world.clock.advance(30_000)
  const id = await world.create()
  await world.clock.advance(1_000)
  const slotAt = world.clock.now()
  world.hub.cut(keeper.bus)
  await world.clock.advance(4 * minute)
  world.hub.restore(keeper.bus)
  await world.clock.advance(1_000)
  for (const ageMs of [3 * minute, 20_000]) await world.report(id, true, { slotAt: slotAt + 4 * minute - ageMs, ageMs })
  await world.clock.advance(minute)
  t.strictSame(await world.history(id), [])
})

t.test('subject has only its earliest deadline in its partition', async t => {
  const deadlines = noDeadlines()
  for (const at of [300, 200, 400]) armDeadline(deadlines, 'subject', at)
  t.equal(firstDueAt(deadlines), 200)
  t.strictSame(takeDue(deadlines, 199, 1), [])
  t.strictSame(takeDue(deadlines, 200, 0), [])
  t.strictSame(takeDue(deadlines, 200, 1), ['subject'])
  t.equal(firstDueAt(deadlines), null)
})

t.test('keeper removes an overdue tombstone and has no further work', async t => {
  const dead = { yes: false }
  const mortal = (store: Store): Store =>
    new Proxy(store, {
      get: (all, name) => (dead.yes ? () => Promise.reject(new StoreError('unavailable', 'dead')) : all[name as keyof Store]),
    })
  let made = 0
  const world = createWorld(store => (made++ === 0 ? mortal(store) : store))
  const first = await world.startOne({ exclusive: true })
  const id = await world.create()
  await world.clock.advance(20_000)
  await world.command(id, { kind: 'delete-subject' } as never)
  dead.yes = true
  world.hub.cut(first.bus)
  await world.clock.advance(10_000)
  world.clock.stepWall(5 * day)
  const second = await world.startOne({ exclusive: true })
  await world.clock.advance(20_000)
  t.equal(await world.subject(id), null)
  const before = await rounds(second)
  await world.clock.advance(10_000)
  t.equal((await rounds(second)) - before, 0)
})

t.test('feed is closed when its partition closed while the feed was opened', async t => {
  const world = createWorld()
  let open = 0
  const delayed = (bus: Bus): Bus => {
    const observations: Bus['observations'] = {
      ...bus.observations,
      open: async options => {
        const feed = await bus.observations.open(options)
        await new Promise<void>(resolve => void world.clock.schedule(20, resolve))
        open++
        const once = { isOpen: true }
        const close = async () => {
          if (once.isOpen) open--
          once.isOpen = false
          await feed.close()
        }
        return { ...feed, close }
      },
    }
    return { ...bus, observations }
  }
  const { bus } = await world.startOne({ exclusive: true }, delayed)
  await world.clock.advance(3_000)
  t.equal(open, limits.partitions)
  for (let flap = 0; flap < 3; flap++) {
    for (const [cutMs, backMs] of [
      [500, 60],
      [5, 3_000],
    ] as const) {
      world.hub.cut(bus)
      await world.clock.advance(cutMs)
      world.hub.restore(bus)
      await world.clock.advance(backMs)
    }
    t.equal(open, limits.partitions)
  }
})

t.test('partition that waits to be opened again stays closed when the keeper gives it up', async t => {
  let looks = 0
  const world = createWorld(
    store => store,
    clock => ({
      ...clock,
      schedule: (delayMs, run) => {
        if (delayMs === limits.keeper.retryMs) looks++
        return clock.schedule(delayMs, run)
      },
    }),
  )
  const one = await world.startOne({ keeperId: 'one' })
  await world.clock.advance(20_000)
  await world.startOne({ keeperId: 'two' })
  for (let flap = 0; flap < 25; flap++) {
    world.hub.cut(one.bus)
    await world.clock.advance(5)
    world.hub.restore(one.bus)
    await world.clock.advance(flap % 2 === 0 ? 982 : 958)
  }
  await world.clock.advance(minute)
  looks = 0
  await world.clock.advance(10_000)
  t.equal(looks, 0)
})

for (const [way, stepMs] of [
  ['forward', 60 * minute],
  ['back', -60 * minute],
] as const) {
  t.test(
    `clock of the bus, set ${way} by an hour, causes no silence, and people are notified of real problems as usual`,
    async t => {
      const { world, stepBus } = createTwoClocks()
      await world.startOne({ exclusive: true })
      const id = await world.create()
      const report = (ok: boolean, minutes: number) => reportEachMinute(world, [id], ok, minutes)
      await report(true, 5)
      stepBus(stepMs)
      await report(true, 8)
      t.strictSame(await world.history(id), [])
      await world.report(id, false)
      await world.clock.advance(2 * minute - 10)
      t.equal(world.nudged.length, 0)
      await world.report(id, false)
      await world.clock.advance(1_000)
      t.equal(world.nudged.length, 1, 'when the hold is over')
      await report(true, 4)
      t.equal(world.nudged.length, 2, 'it is well again')
      await world.clock.advance(6 * minute)
      t.strictSame(
        (await world.alerts(id)).map(alert => alert.kind),
        ['problem', 'recovery', 'no_data'],
      )
      const observations = await world.store.find('observations', { where: {}, limit: 100 })
      t.ok(observations.length > 10)
      t.ok(
        observations.every(({ delayMs }) => delayMs === 0),
        'a check ends as long after its slot as ever',
      )
    },
  )
}

t.test(
  'keeper that takes over judges the waiting reports, and calls no input silent, when the clock of the bus is behind',
  async t => {
    const { world, stepBus } = createTwoClocks()
    const first = await world.startOne({ exclusive: true })
    const id = await world.create()
    const report = (minutes: number) => reportEachMinute(world, [id], true, minutes)
    await report(5)
    stepBus(-60 * minute)
    await report(2)
    await Promise.all([first.service.stop(), world.clock.advance(100)])
    await world.report(id, false)
    await world.startOne({ exclusive: true })
    await world.clock.advance(minute)
    t.strictSame(await kindsOf(world, id), ['pending'], 'the failure that came meanwhile')
    await report(8)
    t.strictSame(await kindsOf(world, id), ['pending', 'recovering', 'closed'])
    t.equal(world.nudged.length, 0)
  },
)

t.test('reports read again after a crash open and close no incident', async t => {
  const world = createWorld()
  const options = { exclusive: true, confirmAfterMs: 0, closeAfterMs: 0 }
  const first = await world.startOne(options)
  const id = await world.create()
  await world.report(id, true)
  await Promise.all([first.service.stop(), world.clock.advance(100)])
  for (const ok of [true, true, true, false, false]) {
    await world.clock.advance(minute)
    await world.report(id, ok)
  }
  const dying = await world.startOne(options)
  t.strictSame(await kindsOf(world, id), ['pending', 'problem'])
  await dying.bus.close()
  await world.startOne(options)
  await world.clock.advance(minute)
  t.strictSame(await kindsOf(world, id), ['pending', 'problem'])
  t.equal((await world.alerts(id)).length, 1)
})

t.test("keeper skips no report when the bus's clock is behind and another partition has a later report", async t => {
  const { world, stepBus } = createTwoClocks()
  const first = await world.startOne({ exclusive: true })
  const id = await world.create()
  const other = await world.create({}, otherPartition(id))
  const report = (minutes: number) => reportEachMinute(world, [id, other], true, minutes)
  await report(5)
  stepBus(-60 * minute)
  await report(2)
  await Promise.all([first.service.stop(), world.clock.advance(100)])
  const { lastSequence } = await world.client.observations.state()
  await world.client.observations.purgeBelow(lastSequence + 1)
  await world.report(id, false)
  await world.report(other, true)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  t.strictSame(await kindsOf(world, id), ['pending'])
})

t.test('new reports are read when the stream lost its end and its clock was set back', async t => {
  const world = createWorld()
  const first = await world.startOne({ exclusive: true })
  const id = await world.create()
  for (let i = 0; i < 3; i++) {
    await world.report(id, true)
    await world.clock.advance(minute)
  }
  await Promise.all([first.service.stop(), world.clock.advance(100)])
  world.hub.truncateStream(1)
  world.clock.stepWall(-60 * minute)
  await world.report(id, false)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  t.strictSame(await kindsOf(world, id), ['pending'])
})

/** Events of the subject's incidents, in order. */
const kindsOf = async (world: Pick<ReturnType<typeof createWorld>, 'history'>, id: string) =>
  (await world.history(id)).map(({ kind }) => kind)

/** Returns the id of a subject in another partition than `id`. */
function otherPartition(id: string): string {
  let other = randomId(10)
  while (partitionOf(other) === partitionOf(id)) other = randomId(10)
  return other
}

/** World in which a test sets the bus's clock while the keepers' clocks are unchanged. */
function createTwoClocks() {
  let aheadMs = 0
  const world = createWorld(undefined, clock => ({ ...clock, now: () => clock.now() + aheadMs }))
  const stepBus = (ms: number) => {
    world.clock.stepWall(ms)
    aheadMs -= ms
  }
  return { world, stepBus }
}

async function reportEachMinute(
  world: ReturnType<typeof createWorld>,
  ids: readonly string[],
  ok: boolean,
  minutes: number,
): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    for (const id of ids) await world.report(id, ok)
    await world.clock.advance(minute)
  }
}
