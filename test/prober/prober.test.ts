// Probers on the memory bus and a clock that the test advances: which checks run when, by which prober, and what happens to the results.
// The resolution of the checked names fails immediately, so checks need no network and no time.
import { Registry } from 'prom-client'
import { type Test, test } from 'tap'
import { Value } from 'typebox/value'
import { type Due, DueHeap } from '#shared/async/due-heap.ts'
import { type Bucket, type BucketName, type Bus, BusError } from '#shared/bus/port.ts'
import { keys, parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import { type CheckEntry, CheckResult } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import type { Clock } from '#shared/time/clock.ts'
import { nameInThread, removeThreadPresence } from '../../infra/runtime/data/predecessor.ts'
import { type ProberOptions, startProber } from '../../services/prober/app.ts'
import { watchAssignments } from '../../services/prober/assignments.ts'
import type { CheckContext } from '../../services/prober/checks/checker.ts'
import { findAbilities } from '../../services/prober/checks/registry.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'
import { createMonitor, groupOf, noteOutcome } from '../../services/prober/monitor.ts'
import { rankOf } from '../../services/prober/presence.ts'
import { type Report, Reporter } from '../../services/prober/report.ts'
import { Runner } from '../../services/prober/runner.ts'
import { createAgenda, phaseOf, slotAfter } from '../../services/prober/schedule.ts'
import { createShedding } from '../../services/prober/shedding.ts'
import { createMemoryHub, type MemoryHub } from '../support/bus/memory-bus.ts'
import { checkEntry } from '../support/checks.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'

const logger = createLogger('silent')
const locationId = 'loc1'
const startAt = 1_700_000_000_000
const nowhere: Resolve = (_name, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
const subjectIds = Array.from({ length: 200 }, (_, index) => `subject${String(index).padStart(3, '0')}`)

const entry = (changes = {}) => checkEntry({ url: 'http://gone.example/', contentType: '', ...changes })

interface Seen {
  subjectId: string
  slotAt: number
  at: number
  result: CheckResult
}

interface World {
  clock: VirtualClock
  hub: MemoryHub
  keeper: Bus
  seen: Seen[]
  prober(
    proberId: string,
    wrapBus?: (bus: Bus) => Bus,
    more?: Partial<ProberOptions>,
  ): Promise<{ bus: Bus; registry: Registry; stop(): Promise<void> }>
}

async function createWorld(): Promise<World> {
  const clock = createVirtualClock(startAt)
  const hub = createMemoryHub({ clock })
  const keeper = hub.connect()
  const seen: Seen[] = []
  for (let partition = 0; partition < limits.partitions; partition++) {
    await keeper.observations.open({
      partition,
      from: { sequence: 1 },
      onBroken: () => undefined,
      onMessage: message => {
        const result = Value.Parse(CheckResult, message.body)
        seen.push({
          subjectId: parseObservation(message.subject, result)!.subjectId,
          slotAt: result.slotAt,
          at: message.at,
          result,
        })
        return true
      },
    })
  }
  return {
    clock,
    hub,
    keeper,
    seen,
    prober: async (proberId, wrapBus = bus => bus, more = {}) => {
      const bus = hub.connect()
      const registry = new Registry()
      const service = await startProber(
        { bus: wrapBus(bus), clock, logger, metrics: registry },
        { locationId, proberId, version: '2.0.0', serviceUrl: 'http://us', resolve: nowhere, ...more },
      )
      return { bus, registry, stop: service.stop }
    },
  }
}

const assign = async (world: World, ids: readonly string[], changes = {}) => {
  for (const id of ids) await world.keeper.bucket('checks').put(keys.check(locationId, id), entry(changes))
}
const slotsOf = (seen: readonly Seen[]) => new Set(seen.map(each => `${each.subjectId}@${each.slotAt}`))
const count = async (registry: Registry, name: string) =>
  ((await registry.getSingleMetric(name)?.get())?.values ?? []).reduce((sum, each) => sum + each.value, 0)

test('slot lies on the grid of its interval, shifted by the phase, after the instant', async t => {
  for (const [at, intervalMs, phaseMs, slot] of [
    [0, 1_000, 250, 250],
    [250, 1_000, 250, 1_250],
    [249, 1_000, 250, 250],
    [startAt, 60_000, 0, 1_700_000_040_000],
  ] as const) {
    t.equal(slotAfter(at, intervalMs, phaseMs), slot)
  }
  const phases = subjectIds.map(id => phaseOf(id, 60_000))
  for (let sixth = 0; sixth < 6; sixth++) {
    const share = phases.filter(phase => Math.floor(phase / 10_000) === sixth).length
    t.ok(share > 15 && share < 60, `${share} of 200 in one sixth of the interval`)
  }
})

test('heap returns the earliest slot after any puts, moves and removals', async t => {
  const heap = new DueHeap<Due>()
  const items = Array.from({ length: 500 }, (): Due => ({ dueAt: 0, place: -1 }))
  let state = 7
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  for (const item of items) heap.put(item, next() % 1_000)
  for (let round = 0; round < 2_000; round++) {
    const item = items[next() % items.length]!
    if (next() % 3 === 0) heap.remove(item)
    else heap.put(item, next() % 1_000)
  }
  const expected = items
    .filter(item => item.place >= 0)
    .map(item => item.dueAt)
    .sort((a, b) => a - b)
  const got: number[] = []
  for (let first = heap.first(); first; first = heap.first()) {
    got.push(first.dueAt)
    heap.remove(first)
  }
  t.strictSame(got, expected)
})

test('check waits for its instant when timers fire early', async t => {
  const clock = createVirtualClock(startAt)
  const early: Clock = { ...clock, schedule: (delayMs, run) => clock.schedule(Math.max(0.2, delayMs - 0.9), run) }
  const ran: number[] = []
  const agenda = createAgenda<Due>(early, clock.now, (_item, now) => ran.push(now))
  for (const delay of [5, 6, 300]) agenda.put({ dueAt: 0, place: -1 }, startAt + delay)
  await clock.advance(400)
  t.strictSame(ran, [startAt + 5, startAt + 6, startAt + 300])
})

test('new entry is checked at once and then on its grid, and an old one at its slot', async t => {
  const world = await createWorld()
  await assign(world, ['older'])
  await world.clock.advance(61_000)
  await assign(world, ['young'])
  const writtenAt = world.clock.now()
  await world.clock.advance(50)
  await world.prober('a')
  await world.clock.settle()
  t.strictSame(
    world.seen.map(each => [each.subjectId, each.slotAt]),
    [['young', writtenAt]],
  )
  await world.clock.advance(60_000)
  for (const id of ['older', 'young']) {
    const expected = slotAfter(writtenAt + 50, 60_000, phaseOf(id, 60_000))
    t.ok(
      world.seen.some(each => each.subjectId === id && each.slotAt === expected && each.at === expected),
      `${id} at its slot`,
    )
  }
  await assign(world, ['young'], { rev: 5 })
  const changedAt = world.clock.now()
  await world.clock.settle()
  t.match(world.seen.at(-1), {
    subjectId: 'young',
    slotAt: changedAt,
    result: { rev: 5, ok: false, error: 'host name "gone.example" not found' },
  })
  await world.keeper.bucket('checks').delete(keys.check(locationId, 'young'))
  await world.keeper.bucket('checks').put(keys.check(locationId, 'older'), { url: 'not an entry' })
  await world.clock.settle()
  const before = world.seen.length
  await world.clock.advance(120_000)
  t.equal(world.seen.length, before, 'what was removed or is no entry is not checked')
})

test('entry from a fast bus clock is checked at once and at its slots, and a successor continues at the slots', async t => {
  const world = await createWorld()
  world.clock.stepWall(3_600_000)
  await assign(world, subjectIds)
  world.clock.stepWall(-3_600_000)
  const first = await world.prober('a')
  const second = await world.prober('b')
  await world.clock.settle()
  t.equal(new Set(world.seen.map(each => each.subjectId)).size, 200, 'at once')
  await first.bus.close()
  await world.clock.advance(10_000)
  const from = world.clock.now()
  await world.clock.advance(60_000)
  const ran = world.seen.filter(each => each.slotAt > from && each.slotAt <= each.at)
  t.equal(new Set(ran.map(each => each.subjectId)).size, 200, 'each in the next interval')
  await second.stop()
})

test('changed monitor is checked at once when the change arrives behind its slot', async t => {
  const world = await createWorld()
  await assign(world, ['one'])
  await world.clock.advance(60_000)
  const { bus, stop } = await world.prober('a')
  const slotAt = slotAfter(world.clock.now() + 1_000, 60_000, phaseOf('one', 60_000))
  await world.clock.advance(slotAt - 1 - world.clock.now())
  world.hub.cut(bus)
  await assign(world, ['one'], { rev: 2 })
  await world.clock.advance(1_000)
  world.hub.restore(bus)
  await world.clock.settle()
  t.strictSame(
    world.seen.map(each => each.result.rev),
    [1, 2],
  )
  t.ok(world.seen[1]!.slotAt > slotAt, 'as a newer slot')
  await stop()
})

test('due check is not missed while a new prober joins', async t => {
  const world = await createWorld()
  await assign(world, subjectIds, { intervalMs: 1_000 })
  await world.clock.advance(1_000)
  const first = await world.prober('a')
  await world.clock.advance(1_000)
  const from = world.clock.now()
  const joining = world.prober('b', bus => ({ ...bus, bucket: name => ({ ...bus.bucket(name), put: slowly(bus, name) }) }))
  const slowly = (bus: Bus, name: BucketName) => async (key: string, value: unknown) => {
    const revision = await bus.bucket(name).put(key, value)
    const { promise, resolve } = Promise.withResolvers<void>()
    world.clock.schedule(400, resolve)
    await promise
    return revision
  }
  await world.clock.advance(2_000)
  const second = await joining
  const ran = slotsOf(world.seen)
  const slots = subjectIds.map(id => `${id}@${slotAfter(from, 1_000, phaseOf(id, 1_000))}`)
  t.strictSame(
    slots.filter(slot => !ran.has(slot)),
    [],
  )
  await Promise.all([first.stop(), second.stop()])
})

test('change during the joining of a prober is checked at once in a slot of its own', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  await world.clock.advance(60_000)
  const first = await world.prober('a')
  await world.clock.advance(60_000)
  const pause = () => new Promise<void>(resolve => void world.clock.schedule(4_000, resolve))
  const slowly = (bus: Bus, name: BucketName) => async (key: string, value: unknown) => {
    await pause()
    const revision = await bus.bucket(name).put(key, value)
    await pause()
    return revision
  }
  const joining = world.prober('b', bus => ({ ...bus, bucket: name => ({ ...bus.bucket(name), put: slowly(bus, name) }) }))
  await world.clock.advance(6_000)
  await assign(world, subjectIds, { rev: 2 })
  await world.clock.advance(2_000)
  const second = await joining
  await world.clock.settle()
  const before = new Set(world.seen.filter(({ result }) => result.rev === 1).map(each => `${each.subjectId}@${each.slotAt}`))
  const changed = world.seen.filter(each => each.result.rev === 2 && !before.has(`${each.subjectId}@${each.slotAt}`))
  t.equal(new Set(changed.map(each => each.subjectId)).size, 200)
  await Promise.all([first.stop(), second.stop()])
})

test('check entry that breaks its contract or has a later schema cannot be read, and is counted', async t => {
  const bus = createMemoryHub({ clock: createVirtualClock(startAt) }).connect()
  const { url: _, ...lacking } = entry()
  const values: [id: string, value: unknown][] = [
    ['whole', entry()],
    ['withAnUnknownField', { ...entry(), later: 1 }],
    ['list', [entry()]],
    ['withoutAddress', lacking],
    ['revisionBelow1', entry({ rev: 0 })],
    ['halfRevision', entry({ rev: 1.5 })],
    ['unknownMethod', { ...entry(), method: 'TRACE' }],
    ['statusAsText', { ...entry(), statuses: [200, '204'] }],
    ['noInterval', entry({ intervalMs: 0 })],
    ['laterSchema', { ...entry(), schema: 2 }],
    ['noSchema', { ...entry(), schema: 'one' }],
    ['halfSchema', { ...entry(), schema: 0.5 }],
    ['text', 'check'],
  ]
  for (const [id, value] of values) await bus.bucket('checks').put(keys.check(locationId, id), value)
  const found: string[] = []
  const watch = await watchAssignments(bus, locationId, logger, {
    onEntry: id => found.push(id),
    onList: id => found.push(`list ${id}`),
    onUnreadable: id => found.push(`no ${id}`),
    onRemoved: id => found.push(`removed ${id}`),
  })
  const unreadable = values.slice(2).map(([id]) => `no ${id}`)
  t.strictSame(found.toSorted(), ['whole', 'withAnUnknownField', ...unreadable].toSorted())
  t.equal(watch.unreadable(), unreadable.length)
  await bus.bucket('checks').put(keys.check(locationId, 'list'), entry())
  await bus.bucket('checks').delete(keys.check(locationId, 'text'))
  t.equal(watch.unreadable(), unreadable.length - 2)
  t.strictSame(found.slice(-2), ['list', 'removed text'])
  await watch.close()
})

test('check entry of an earlier schema is upgraded when it is read', async t => {
  const bus = createMemoryHub({ clock: createVirtualClock(startAt) }).connect()
  const { data: _, ...earlier } = entry()
  await bus.bucket('checks').put(keys.check(locationId, 'earlier'), earlier)
  await bus.bucket('checks').put(keys.check(locationId, 'present'), { ...entry({ data: 'ping' }), schema: 2 })
  const found: Record<string, string> = {}
  const handlers = {
    onEntry: (id: string, read: CheckEntry) => {
      found[id] = (read as WebsiteEntry).data
    },
    onList: () => undefined,
    onUnreadable: () => undefined,
    onRemoved: () => undefined,
  }
  const form = { schema: 2, upgrade: (stored: CheckEntry) => ({ ...stored, data: 'none' }) }
  const watch = await watchAssignments(bus, locationId, logger, handlers, form)
  await watch.complete
  t.strictSame(found, { earlier: 'none', present: 'ping' })
  await watch.close()
})

test('prober checks on when a newer keeper rewrites an entry, stops when it changes one, and says so in its presence', async t => {
  const world = await createWorld()
  const bucket = world.keeper.bucket('checks')
  const put = (id: string, changes: object) => bucket.put(keys.check(locationId, id), { ...entry(), ...changes })
  for (const id of ['rewritten', 'changed', 'other']) await put(id, {})
  const prober = await world.prober('a')
  await world.clock.advance(60_000)
  const state = async () => (await world.keeper.bucket('presence').get(keys.proberPresence(locationId, 'a')))?.value
  const idle = { version: '2.0.0', inFlight: 0, buffered: 0, shed: 0, kinds: findAbilities(), knows: latestNumber(migrations) }
  t.strictSame(await state(), { ...idle, perSecond: 0.05 })
  await put('rewritten', { schema: 2 })
  await put('changed', { rev: 2, url: 'http://new.example/', schema: 2 })
  const from = world.seen.length
  await world.clock.advance(60_000)
  t.strictSame(new Set(world.seen.slice(from).map(({ subjectId }) => subjectId)), new Set(['rewritten', 'other']))
  t.strictSame(await state(), { ...idle, perSecond: 0.03, unreadable: 2 })
  t.equal(await count(prober.registry, 'watchkeeper_prober_unreadable_entries'), 2)
  await prober.stop()
})

test('second prober misses no slot when the first is killed', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  await world.clock.advance(60_000)
  const first = await world.prober('a')
  const second = await world.prober('b')
  await world.clock.advance(60_000)
  const shared = world.seen.length
  const runs = async (prober: { registry: Registry }) => count(prober.registry, 'watchkeeper_prober_checks_total')
  t.equal(slotsOf(world.seen).size, 200)
  t.ok(shared - 200 < 10, `${shared - 200} doubles`)
  t.ok((await runs(first)) > 50 && (await runs(second)) > 50, 'both have their part')
  const killedAt = world.clock.now()
  await first.bus.close()
  await world.clock.advance(70_000)
  const missing = subjectIds.flatMap(id => {
    const slotAt = slotAfter(killedAt, 60_000, phaseOf(id, 60_000))
    const found = world.seen.find(each => each.subjectId === id && each.slotAt === slotAt)
    return found !== undefined && found.at <= Math.max(slotAt, killedAt + 10_000) ? [] : [id]
  })
  t.strictSame(missing, [], 'every slot was run in time or 10 s after the kill')
  await second.stop()
})

test('prober takes over 4 s after the presence bucket has a leader again, if the other died at the start of the election', async t => {
  for (const electionMs of [6_000, 9_000, 20_000]) {
    const world = await createWorld()
    await assign(world, subjectIds)
    const [first, second] = [await world.prober('a'), await world.prober('b')]
    await world.clock.advance(60_000)
    const killedAt = world.clock.now()
    world.hub.depose(['presence'])
    await first.bus.close()
    await world.clock.advance(electionMs)
    world.hub.depose([])
    await world.clock.advance(4_100)
    const due = subjectIds.filter(id => slotAfter(killedAt, 60_000, phaseOf(id, 60_000)) <= world.clock.now())
    const made = new Set(world.seen.filter(({ slotAt }) => slotAt > killedAt).map(({ subjectId }) => subjectId))
    t.strictSame(
      due.filter(id => !made.has(id)),
      [],
      `an election of ${electionMs} ms`,
    )
    await second.stop()
  }
})

test('living probers keep their monitors when the presence bucket has a leader again', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  const [first, second] = [await world.prober('a'), await world.prober('b')]
  await world.clock.advance(60_000)
  for (const electionMs of [6_000, 9_000, 20_000]) {
    const before = world.seen.length
    world.hub.depose(['presence'])
    await world.clock.advance(electionMs)
    world.hub.depose([])
    await world.clock.advance(60_000 - electionMs)
    t.equal(world.seen.length - before, 200, `an election of ${electionMs} ms: each monitor was checked once`)
  }
  await Promise.all([first.stop(), second.stop()])
})

test('prober whose presence watch gets no entries takes nothing over', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  await world.clock.advance(60_000)
  const first = await world.prober('a')
  let isDeaf = false
  const hardOfHearing = (bus: Bus, name: BucketName): Bucket => {
    const bucket = bus.bucket(name)
    if (name !== 'presence') return bucket
    return {
      ...bucket,
      watch: (filter, handlers) => bucket.watch(filter, { ...handlers, onEntry: entry => isDeaf || handlers.onEntry(entry) }),
    }
  }
  const second = await world.prober('b', bus => ({ ...bus, bucket: name => hardOfHearing(bus, name) }))
  await world.clock.advance(60_000)
  const before = world.seen.length
  isDeaf = true
  await world.clock.advance(20_000)
  isDeaf = false
  await world.clock.advance(40_000)
  const made = world.seen.length - before
  t.ok(made < 210, `${made} checks of 200 monitors in a minute: nobody made another's`)
  await Promise.all([first.stop(), second.stop()])
})

test('prober checks missing slots of its dead predecessor at once', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  await world.clock.advance(600_000)
  const diedAt = world.clock.now()
  await world.clock.advance(10_000)
  const { stop } = await world.prober('successor', bus => bus, { missedSince: diedAt })
  await world.clock.advance(100)
  const due = subjectIds.filter(id => slotAfter(diedAt, 60_000, phaseOf(id, 60_000)) <= world.clock.now())
  t.ok(due.length > 15 && due.length < 60, `${due.length} of 200 were due in 10 s`)
  t.same(world.seen.map(({ subjectId }) => subjectId).sort(), due.sort(), 'those and no others')
  await stop()
})

test('prober runs missing slots of a dead thread, also of its running and unsent checks', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  await world.clock.advance(60_000)
  const unanswered: Resolve = () => undefined
  const { bus } = await world.prober(nameInThread('place'), bus => bus, { resolve: unanswered })
  await world.clock.advance(120_500)
  const diedAt = world.clock.now()
  await bus.close()
  const reported = slotsOf(world.seen)
  const missedSince = await removeThreadPresence(world.keeper, locationId, 'place')
  const { stop } = await world.prober('place', bus => bus, { missedSince })
  await world.clock.advance(100)
  const latest = subjectIds.map(id => ({ id, slotAt: slotAfter(diedAt, 60_000, phaseOf(id, 60_000)) - 60_000 }))
  const running = latest.filter(({ id, slotAt }) => !reported.has(`${id}@${slotAt}`))
  t.ok(running.length > 15, `${running.length} checks ran at the death`)
  const run = slotsOf(world.seen.filter(({ at }) => at >= diedAt))
  t.strictSame(
    running.filter(({ id, slotAt }) => !run.has(`${id}@${slotAt}`)),
    [],
    'their slots are run',
  )
  const oldest = Math.min(...[...run].map(slot => Number(slot.split('@')[1])))
  t.ok(oldest >= diedAt - limits.check.totalMs - 2 * limits.presence.beatMs, 'slots that were surely reported are not run again')
  t.equal(await world.keeper.bucket('presence').get(keys.proberPresence(locationId, nameInThread('place'))), null)
  await stop()
})

test('prober hands over its checks at once on a clean stop, and a new prober takes only its own part', async t => {
  const world = await createWorld()
  await assign(world, subjectIds, { intervalMs: 1_000 })
  await world.clock.advance(1_000)
  const first = await world.prober('a')
  const second = await world.prober('b')
  await world.clock.advance(3_000)
  const stopped = first.stop()
  await world.clock.settle()
  const from = world.clock.now()
  await world.clock.advance(1_100)
  await stopped
  const after = new Set(world.seen.filter(each => each.slotAt >= from && each.at <= each.slotAt + 1).map(each => each.subjectId))
  t.equal(after.size, 200)
  await second.stop()
  const owner = (id: string, probers: string[]) =>
    probers.reduce((best, each) => (rankOf(hashOf(each), hashOf(id)) > rankOf(hashOf(best), hashOf(id)) ? each : best))
  const moved = subjectIds.filter(id => owner(id, ['a', 'b']) !== owner(id, ['a', 'b', 'c']))
  t.ok(
    moved.every(id => owner(id, ['a', 'b', 'c']) === 'c'),
    'nothing moves between those who stay',
  )
  t.ok(moved.length > 35 && moved.length < 100, `${moved.length} of 200 moved`)
})

const hashOf = (text: string) => createMonitor(text, entry()).hash

test('disconnected prober continues, takes nothing over, and sends kept results with their age', async t => {
  const world = await createWorld()
  await assign(world, subjectIds)
  await world.clock.advance(60_000)
  const first = await world.prober('a')
  const second = await world.prober('b')
  await world.clock.advance(5_000)
  const made = await count(first.registry, 'watchkeeper_prober_checks_total')
  const before = world.seen.length
  world.hub.cut(first.bus)
  world.hub.cut(second.bus)
  await world.clock.advance(60_000)
  t.equal(world.seen.length, before)
  const own = (await count(first.registry, 'watchkeeper_prober_checks_total')) - made
  t.ok(own > 50 && own < 150, `${own} of 200: its own part and nothing else`)
  world.hub.restore(first.bus)
  world.hub.restore(second.bus)
  await world.clock.settle()
  const late = world.seen.slice(before)
  t.equal(slotsOf(late).size, 200)
  t.ok(
    late.every(each => Math.abs(each.at - each.result.ageMs - each.slotAt) <= 1),
    'the age places each at its time',
  )
})

test('full buffer drops and counts the oldest, keeps order, and retries a full stream', async t => {
  const clock = createVirtualClock(startAt)
  const hub = createMemoryHub({ clock })
  const bus = hub.connect()
  const sent: string[] = []
  let dropped = 0
  const reporter = new Reporter({ bus: watched(bus, sent), clock, logger, locationId, capacity: 10, onDropped: () => dropped++ })
  const report = (number: number) => passed(clock, number, true)
  hub.cut(bus)
  for (let number = 0; number < 14; number++) reporter.add(report(number))
  t.equal(dropped, 4)
  hub.restore(bus)
  await clock.settle()
  t.strictSame(
    sent,
    Array.from({ length: 10 }, (_, index) => subjects.observation(locationId, `s${index + 4}`)),
  )
  t.equal(reporter.waiting(), 0)
  hub.limitStream(0)
  for (let number = 20; number < 25; number++) reporter.add(report(number))
  await clock.advance(5_000)
  t.equal(reporter.waiting(), 5)
  t.ok(sent.length < 10 + 5 * 10, 'with pauses that grow')
  hub.limitStream(1_000)
  sent.length = 0
  const stopping = reporter.stop(3_000)
  await clock.advance(limits.report.retryMsMax)
  await stopping
  t.strictSame(
    sent,
    [20, 21, 22, 23, 24].map(number => subjects.observation(locationId, `s${number}`)),
  )
})

test('results leave within half a second of a new stream leader, tried one at a time until then', async t => {
  const clock = createVirtualClock(startAt)
  const hub = createMemoryHub({ clock })
  const bus = hub.connect()
  const sent: string[] = []
  const reporter = new Reporter({
    bus: watched(bus, sent),
    clock,
    logger,
    locationId,
    onDropped: () => t.fail('nothing is dropped'),
  })
  hub.depose(['observations'])
  for (let number = 0; number < 100; number++) reporter.add(passed(clock, number, true))
  await clock.advance(1_000)
  sent.length = 0
  for (let number = 100; number < 200; number++) reporter.add(passed(clock, number, true))
  await clock.advance(5_000)
  t.ok(sent.length >= 9 && sent.length <= 11, `${sent.length} tries in 5 s`)
  hub.depose([])
  await clock.advance(limits.report.retryMsMax)
  t.equal(reporter.waiting(), 0)
})

const passed = (clock: Clock, number: number, isNews: boolean): Report => ({
  subjectId: `s${number}`,
  isPaged: false,
  rev: 1,
  slotAt: number,
  endedAt: clock.now(),
  outcome: {
    ok: true,
    error: null,
    statusCode: 200,
    phases: { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 },
  },
  isNews,
})

test('unchanged result waits for others, and a changed result is sent at once with all waiting results', async t => {
  const clock = createVirtualClock(startAt)
  const hub = createMemoryHub({ clock })
  const sent: string[] = []
  const bus = watched(hub.connect(), sent)
  const reporter = new Reporter({ bus, clock, logger, locationId, onDropped: () => t.fail('nothing is dropped') })
  reporter.add(passed(clock, 1, false))
  await clock.advance(limits.report.gatherMs - 1)
  reporter.add(passed(clock, 2, false))
  t.equal(sent.length, 0)
  await clock.advance(1)
  t.equal(sent.length, 2, 'the first sets the end for all')
  reporter.add(passed(clock, 3, false))
  reporter.add(passed(clock, 4, true))
  await clock.settle()
  t.equal(sent.length, 4)
  reporter.add(passed(clock, 5, false))
  await reporter.stop(1_000)
  t.equal(sent.length, 5, 'nothing is left behind at the end')
})

test('failure is a change each time, and success only after a failure or at first', t => {
  const monitor = createMonitor('one', entry())
  const outcomes = [true, true, false, false, true, true]
  t.strictSame(
    outcomes.map(ok => noteOutcome(monitor, ok)),
    [true, false, true, true, true, false],
  )
  t.end()
})

function watched(bus: Bus, sent: string[]): Bus {
  const publish = (subject: string, body: unknown) => {
    sent.push(subject)
    return bus.observations.publish(subject, body)
  }
  return { ...bus, observations: { ...bus.observations, publish } }
}

function createRunnerWorld(t: Test, inFlightMax: number, share = () => 0) {
  const clock = createVirtualClock(startAt)
  const held: (() => void)[] = []
  const resolve: Resolve = (_name, done) => void held.push(() => nowhere('', done))
  const counts = { passed: 0, failed: 0, shed: 0, skipped: 0 }
  const counter = (name: keyof typeof counts) => ({
    inc: (by = 1) => {
      counts[name] += by
    },
  })
  const usual = { trust: createTrust(), egress: createEgress(), bounds: limits.check }
  const context: CheckContext = { clock, resolve, userAgent: 'test', ...usual }
  const shedding = createShedding(clock, logger, locationId)
  t.teardown(() => shedding.stop())
  const reports: Report[] = []
  const runner = new Runner({
    context,
    shedding: { ...shedding, shareOf: share },
    metrics: {
      passed: counter('passed'),
      failed: counter('failed'),
      shed: counter('shed'),
      skipped: counter('skipped'),
      lateness: { observe: () => undefined },
      duration: { observe: () => undefined },
    },
    logger,
    onReport: report => reports.push(report),
    inFlightMax,
  })
  return { clock, runner, counts, reports, shedding, finish: () => held.splice(0).forEach(done => void done()) }
}

test('monitor skips its slot while its check runs, and no slot runs twice', async t => {
  const { runner, counts, reports, finish } = createRunnerWorld(t, 10)
  const monitor = { ...createMonitor('one', entry()), mine: true }
  runner.runDue(monitor, 1_000, 0)
  runner.runDue(monitor, 2_000, 0)
  runner.runExtra(monitor, 2_500)
  t.equal(counts.skipped, 1)
  finish()
  finish()
  runner.runDue(monitor, 2_500, 0)
  finish()
  t.strictSame(
    reports.map(report => report.slotAt),
    [1_000, 2_500],
  )
})

test('thousands of short waiting checks run one after another', async t => {
  const { runner, reports, finish } = createRunnerWorld(t, 1_000)
  const extra = (name: string, url: string) => runner.runExtra({ ...createMonitor(name, entry({ url })), mine: true }, 1_000)
  for (let index = 0; index < limits.shedding.extraInFlight; index++) extra(`slow${index}`, 'http://gone.example/')
  for (let index = 0; index < 5_000; index++) extra(`closed${index}`, 'http://169.254.169.254/')
  t.equal(reports.length, 0)
  finish()
  t.equal(reports.length, limits.shedding.extraInFlight + 5_000)
})

test('prober beyond its bound of checks sheds increasingly, and recovers', async t => {
  const { clock, runner, counts, shedding, finish } = createRunnerWorld(t, 5)
  const monitors = Array.from({ length: 20 }, (_, index) => createMonitor(`m${index}`, entry()))
  for (const monitor of monitors) runner.runDue(monitor, 1_000, 0)
  t.equal(runner.inFlight(), 5)
  t.equal(counts.shed, 15)
  await clock.advance(limits.shedding.periodMs)
  t.equal(shedding.share(), limits.shedding.stepUp)
  finish()
  await clock.advance(limits.shedding.periodMs * 6)
  t.equal(shedding.share(), 0)
  shedding.noteLateness(limits.shedding.lateMs * 5)
  await clock.advance(limits.shedding.periodMs)
  t.equal(shedding.share(), 0, 'a single pause of the process is no overload')
  shedding.noteLateness(limits.shedding.lateMs * 5)
  await clock.advance(limits.shedding.periodMs)
  t.equal(shedding.share(), limits.shedding.stepUp)
})

test('flood of one workspace is shed alone, also beside website monitors, whose entries name no workspace', async t => {
  const clock = createVirtualClock(startAt)
  const demands = () => new Map([['flood', 90], ['calm', 8], ...subjectIds.slice(0, 20).map(id => [id, 0.1] as const)])
  const shedding = createShedding(clock, logger, locationId, demands)
  t.teardown(() => shedding.stop())
  t.equal(shedding.shareOf('flood'), 0)
  for (let period = 0; period < 4; period++) {
    shedding.noteShed(true)
    await clock.advance(limits.shedding.periodMs)
  }
  t.equal(shedding.share(), 4 * limits.shedding.stepUp)
  t.ok(shedding.shareOf('flood') > shedding.share())
  t.equal(shedding.shareOf('calm'), 0)
  t.equal(shedding.shareOf(subjectIds[0] ?? ''), 0)
  t.equal(shedding.shareOf('new since'), shedding.share())
  t.equal(groupOf(createMonitor('one', entry())), 'one')
  t.equal(groupOf(createMonitor('one', { ...entry(), workspace: 'w1' })), 'w1')
})

test('shed checks are spread evenly over the monitors', async t => {
  const { runner, reports, finish } = createRunnerWorld(t, 1_000, () => 0.4)
  const monitors = subjectIds.map(id => createMonitor(id, entry()))
  const perRound: number[] = []
  for (let round = 1; round <= 50; round++) {
    const before = reports.length
    for (const monitor of monitors) runner.runDue(monitor, round * 1_000, 0)
    finish()
    perRound.push(reports.length - before)
  }
  const runs = monitors.map(monitor => reports.filter(report => report.subjectId === monitor.subjectId).length)
  t.ok(
    runs.every(each => each >= 29 && each <= 31),
    `each runs 30 of 50: ${Math.min(...runs)} to ${Math.max(...runs)}`,
  )
  t.ok(
    perRound.every(each => each > 90 && each < 150),
    `every round runs about 120: ${Math.min(...perRound)} to ${Math.max(...perRound)}`,
  )
})

test('failed start leaves nothing running, and may be repeated', async t => {
  const hand = createHandClock()
  let pending = 0
  const clock: Clock = {
    ...hand,
    schedule: (delayMs, run) => {
      let counts = true
      const over = () => {
        if (counts) pending -= 1
        counts = false
      }
      pending += 1
      const cancel = hand.schedule(delayMs, () => {
        over()
        run()
      })
      return () => {
        over()
        cancel()
      }
    },
  }
  const bus = createMemoryHub({ clock: hand }).connect()
  let watched = 0
  const listeners = new Set<unknown>()
  const failing: Bus = {
    ...bus,
    onConnection: listener => {
      listeners.add(listener)
      const stop = bus.onConnection(listener)
      return () => {
        listeners.delete(listener)
        stop()
      }
    },
    bucket: name => ({
      ...bus.bucket(name),
      watch: async (filter, handlers) => {
        if (name === 'presence') throw new BusError('unavailable', 'The bus refused: no leader yet.')
        const subscription = await bus.bucket(name).watch(filter, handlers)
        watched += 1
        return {
          close: () => {
            watched -= 1
            return subscription.close()
          },
        }
      },
    }),
  }
  const context = { bus: failing, clock, logger, metrics: new Registry() }
  const options = { locationId, proberId: 'p1', version: '2.0.0', serviceUrl: 'http://localhost' }
  await t.rejects(startProber(context, options), { message: /no leader yet/ })
  t.strictSame({ pending, watched, listeners: listeners.size }, { pending: 0, watched: 0, listeners: 0 })
})

const listed = (signal: string, source: string, intervalMs = 60_000, changes: object = {}) => ({
  ...{ signal, source, kind: 'tcp', intervalMs },
  options: {
    host: 'gone.example',
    port: 80,
    tls: false,
    timeout_seconds: 5,
    verify: true,
    authority: '',
    send: '',
    expect: '',
    max_ms: 60_000,
    ip_family: 'any',
    ...changes,
  },
})
const putList = (world: World, id: string, rev: number, checks: object[]) =>
  world.keeper.bucket('checks').put(keys.check(locationId, id), { schema: 2, rev, checks })

test('prober makes every check of a list at its own interval, and its results name the signal', async t => {
  const world = await createWorld()
  await assign(world, ['single'])
  await putList(world, 'several', 3, [listed('page', 'loc1', 20_000), listed('deep', 'loc16', 60_000)])
  const prober = await world.prober('a')
  await world.clock.advance(120_000)
  const slots = (signal: string | undefined, id = 'several') =>
    new Set(world.seen.filter(one => one.subjectId === id && one.result.signal === signal).map(one => one.slotAt)).size
  t.strictSame([slots('page'), slots('deep')], [7, 3], 'one at once, then one in each interval')
  t.strictSame([slots(undefined, 'single'), slots(undefined)], [3, 0])
  t.match(world.seen.find(one => one.result.signal === 'deep')?.result, { rev: 3, ok: false, error: /not found/ })
  t.equal(await count(prober.registry, 'watchkeeper_prober_monitors'), 3)
})

test('list without a check ends that check, and the removal of the entry ends all', async t => {
  const world = await createWorld()
  await putList(world, 'several', 1, [listed('page', 'loc1'), listed('deep', 'loc16')])
  await world.prober('a')
  await world.clock.advance(60_000)
  const since = async (change: () => Promise<unknown>) => {
    await change()
    const from = world.seen.length
    await world.clock.advance(120_000)
    return [...new Set(world.seen.slice(from).map(({ result }) => `${result.signal} ${result.rev}`))].sort()
  }
  t.strictSame(await since(() => putList(world, 'several', 2, [listed('deep', 'loc16'), listed('new', 'loc17')])), [
    'deep 2',
    'new 2',
  ])
  t.strictSame(await since(() => assign(world, ['several'], { rev: 4 })), ['undefined 4'], 'a single check in its place')
  t.strictSame(await since(() => putList(world, 'several', 5, [listed('page', 'loc1')])), ['page 5'])
  t.strictSame(await since(() => world.keeper.bucket('checks').delete(keys.check(locationId, 'several'))), [])
})

test('check of a list whose kind or options a prober does not know is left, said in its presence, and the others are made', async t => {
  const world = await createWorld()
  await putList(world, 'several', 1, [listed('page', 'loc1'), { ...listed('odd', 'loc16'), kind: 'gopher' }])
  await putList(world, 'other', 1, [{ ...listed('odd', 'loc1'), options: { host: 'gone.example' } }])
  await world.prober('a')
  await world.clock.advance(60_000)
  t.strictSame(new Set(world.seen.map(({ subjectId, result }) => `${subjectId} ${result.signal}`)), new Set(['several page']))
  const presence = (await world.keeper.bucket('presence').get(keys.proberPresence(locationId, 'a')))?.value
  t.match(presence, { unreadable: 2 })
})
