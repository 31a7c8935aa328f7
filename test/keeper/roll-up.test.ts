// Roll-ups: what is kept of observations, held against a plain recomputation; late reports, crashes, take-over, clocks, removal, expiry.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { pushedObservationId } from '#shared/ids.ts'
import { day, hour, limits, minute } from '#shared/limits.ts'
import { addReport, type Bucket, emptyBucket, mergeBucket, quantile, relativeError } from '#shared/roll-up/bucket.ts'
import { packBuckets, unpackBuckets } from '#shared/roll-up/packed.ts'
import { parseRollUpId, rollUpId } from '#shared/roll-up/roll-up-ids.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite.ts'
import { expireIncidents } from '../../services/keeper/roll-up/expire-incidents.ts'
import { rawLeavesBefore } from '../../services/keeper/roll-up/progress.ts'
import { Random } from '../simulation/random.ts'
import { history, incident, pushed } from '../store/documents.ts'
import { dyingStore } from '../support/dying-store.ts'
import { createMemoryStore } from '../support/memory-store.ts'
import { startSecantus } from '../support/secantus.ts'
import * as world from './roll-up-world.ts'
import { createWorld } from './world.ts'

const { start, site, shop, settledAt } = world

const shapes: [name: string, value: (random: Random) => number][] = [
  ['latencies', random => Math.round(10 ** (random.next() * 4.4))],
  ['one number', () => 42],
  ['zeros and small whole numbers of both signs', random => random.integer(-3, 3)],
  ['fractions', random => random.next()],
  ['numbers over all magnitudes', random => (random.chance(0.5) ? 1 : -1) * 10 ** (random.next() * 600 - 300)],
  ['the ends of what a double can say', random => random.pick([Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 0, -0])],
]

for (const [name, value] of shapes) {
  t.test(`the histogram of ${name} keeps its quantiles within the stated error, merged or packed too`, async t => {
    const random = new Random(7, name)
    const values = Array.from({ length: 3_000 }, () => value(random))
    const parts = Array.from({ length: 7 }, emptyBucket)
    const whole = emptyBucket()
    for (const [index, one] of values.entries()) {
      addReport(parts[index % 7] as Bucket, true, one)
      addReport(whole, true, one)
    }
    const merged = emptyBucket()
    for (const part of parts) mergeBucket(merged, unpackBuckets(packBuckets([part]), 1)[0] as Bucket)
    t.same([...merged.bins].sort(), [...whole.bins].sort(), 'merged parts are the whole')
    values.sort((a, b) => a - b)
    for (const share of [0.01, 0.5, 0.95, 0.99, 1]) {
      const exact = values[Math.max(1, Math.ceil(share * values.length)) - 1] as number
      const found = quantile(merged, share) as number
      const isNear = Math.abs(found - exact) <= (relativeError(merged) + 1e-9) * Math.abs(exact)
      t.ok(isNear, `${share}: ${found} for ${exact}`)
    }
    t.ok(merged.bins.size <= limits.rollUp.bins)
    t.ok(Number.isFinite(merged.sum / merged.measured))
    if (name === 'latencies') t.ok(relativeError(merged) < 0.048)
  })
}

t.test('buckets come out of their text as they went in', async t => {
  const reports: [string, [boolean, number | null][]][] = [
    ['nothing measured', [[false, null]]],
    ['one', [[true, 0]]],
    ['many of one', Array.from({ length: 300 }, () => [true, 17])],
    [
      'mixed',
      [
        [true, 3],
        [false, null],
        [true, 25_000],
        [true, 3],
      ],
    ],
    [
      'measured without being ok',
      [
        [false, 4],
        [false, -4],
      ],
    ],
    [
      'negative whole numbers',
      [
        [true, -70_000],
        [true, -1],
      ],
    ],
    [
      'fractions',
      [
        [true, 0.1],
        [true, 0.2],
      ],
    ],
    [
      'large',
      [
        [true, 2 ** 53],
        [true, 1e308],
        [true, -1e308],
      ],
    ],
  ]
  for (const [name, given] of reports) {
    const bucket = emptyBucket()
    for (const [ok, value] of given) addReport(bucket, ok, value)
    const list = [null, null, bucket, null, bucket]
    t.strictSame(unpackBuckets(packBuckets([...list, null]), 6), [...list, null], name)
  }
  t.equal(packBuckets([null, null]), '')
  for (const damaged of ['gA', 'DwE', '_____________________w', 'Dw////', packBuckets([null, emptyBucket()])])
    t.throws(() => unpackBuckets(damaged, 1), /can not be read/, damaged)
})

t.test('an id says what reported and when', async t => {
  for (const source of [
    { kind: 'location', id: 's123' },
    { kind: 'signal', id: 's123' },
  ] as const) {
    const at = start + 23 * hour + 59 * minute
    t.same(parseRollUpId(rollUpId(site, source, 'hour', at)), { source, at: start + 23 * hour })
    t.same(parseRollUpId(rollUpId(site, source, 'day', at)), { source, at: start })
  }
})

/** Holds every series and step against the reports themselves. */
async function agrees(t: Test, store: Store, now: number, reports: world.Report[], range: [number, number], title: string) {
  const first = new Map(reports.map(report => [report.subjectId + report.source.id, report]))
  for (const one of first.values()) {
    for (const step of ['5m', '1h', '1d'] as const) {
      const found = await world.read(store, now, one, step, range)
      const wanted = world.recompute(reports, one, step, range)
      t.equal(world.difference(found?.buckets, wanted), null, `${title}: ${one.source.id} by ${step}`)
    }
  }
}

async function suite(t: Test, store: Store, everyMs: number): Promise<void> {
  const reports = world.generateReports(11, 2, everyMs)
  const late = reports.filter((_, index) => index % 10 === 3)
  const inTime = reports.filter((_, index) => index % 10 !== 3)
  const range: [number, number] = [start, start + 2 * day]
  await world.storeSubjects(store)
  await world.store(store, inTime)
  await agrees(t, store, start + 2 * day, inTime, range, 'nothing rolled up yet')
  const middle = start + 2 * day - 7 * hour
  await world.rollUp(store, middle)
  await agrees(t, store, start + 2 * day, inTime, range, 'in the middle')
  await world.rollUp(store, middle + 30 * hour)
  await agrees(t, store, middle + 30 * hour, inTime, range, 'hours')
  await world.store(store, late)
  const end = settledAt(start + day)
  await world.rollUp(store, end)
  await agrees(t, store, end, reports, range, 'settled, with what was late')
  const before = await store.find('rollUps', { limit: 10_000 })
  while ((await store.deleteRange('observations', '', '~', 10_000)) > 0);
  const pushed = await store.find('pushedObservations', { select: [], limit: 10_000 })
  await store.delete(
    'pushedObservations',
    pushed.map(({ id }) => id),
  )
  await agrees(t, store, end, reports, range, 'after the observations are gone')
  await store.delete(
    'rollUpProgress',
    (await store.find('rollUpProgress', { limit: 64 })).map(({ id }) => id),
  )
  await world.store(store, late)
  await world.rollUp(store, end)
  t.strictSame(await store.find('rollUps', { limit: 10_000 }), before, 'what has expired in part takes nothing away')
}

t.test('roll-ups agree with a plain recomputation on the memory store', t => suite(t, createMemoryStore(), 5 * minute))

t.test('roll-ups agree with a plain recomputation on sqlite', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'roll-up.db'))
  t.teardown(() => store.close())
  await suite(t, store, minute)
})

t.test('roll-ups agree with a plain recomputation on mongodb', async t => {
  const server = await startSecantus()
  if (server === null) return t.comment('skipped: SecantusDB could not be installed')
  t.teardown(() => server.stop())
  const store = await openStore({
    mongodbUrl: server.url,
    dataFolder: '',
    logger: world.coreOn(createMemoryStore(), () => 0).logger,
  })
  t.teardown(() => store.close())
  await suite(t, store, 30 * minute)
})

/** A store with two days of reports, and what undisturbed work makes of them. */
async function prepared() {
  const reports = world.generateReports(5, 1, 10 * minute)
  const make = async () => {
    const store = createMemoryStore()
    await world.storeSubjects(store)
    await world.store(store, reports)
    return store
  }
  const times = [start + 9 * hour, start + 20 * hour, settledAt(start)]
  const undisturbed = await make()
  for (const now of times) await world.rollUp(undisturbed, now)
  const rowsOf = (store: Store) => store.find('rollUps', { limit: 10_000 })
  return { make, times, rowsOf, wanted: await rowsOf(undisturbed) }
}

t.test('a keeper that dies between any two writes leaves nothing that its successor does not make good', async t => {
  const { make, times, rowsOf, wanted } = await prepared()
  let deaths = 0
  for (let n = 1; ; n++) {
    for (const after of [false, true]) {
      const store = await make()
      let dead = false
      const dying = dyingStore(store, n, after)
      for (const now of times) {
        const core = world.coreOn(
          dying,
          () => now,
          () => (dead = true),
        )
        await world.rollUp(dying, now, () => !dead, core).catch(error => t.match(error, { message: 'not ours any more' }))
        if (dead) break
      }
      if (dead) deaths++
      for (const now of times) await world.rollUp(store, now)
      t.strictSame(await rowsOf(store), wanted, `write ${n}, ${after ? 'done' : 'not done'}`)
      if (!dead) return t.ok(deaths > 8, `${deaths} deaths`)
    }
  }
})

t.test('two keepers that roll up the same partition at once make the same rows', async t => {
  const { make, times, rowsOf, wanted } = await prepared()
  const store = await make()
  for (const now of times) await Promise.all([world.rollUp(store, now), world.rollUp(store, now)])
  t.strictSame(await rowsOf(store), wanted)
})

t.test('a clock that was ahead has called hours ended that had not: they are rolled up again', async t => {
  const { make, times, rowsOf, wanted } = await prepared()
  const store = await make()
  const reports = await store.find('observations', { limit: 10_000 })
  await store.delete(
    'observations',
    reports.map(({ id }) => id),
  )
  await world.rollUp(store, start + 400 * day)
  await store.insert('observations', reports)
  for (const now of times) await world.rollUp(store, now)
  t.strictSame(await rowsOf(store), wanted)
})

t.test('what is deleted while it is rolled up leaves nothing behind', async t => {
  for (const whole of [true, false]) {
    const { make } = await prepared()
    const store = await make()
    const racing: Store = {
      ...store,
      upsert: async (collection, documents) => {
        const [subject] = await store.get('subjects', [shop])
        const custom = { ...subject!.custom!, signals: subject!.custom!.signals.filter(({ key }) => key !== 's1') }
        await store.upsert('subjects', [whole ? { ...subject!, deletedAt: start } : { ...subject!, custom }])
        return store.upsert(collection, documents)
      },
    }
    await world.rollUp(racing, start + 5 * hour)
    const left = new Set(
      (await store.find('rollUps', { limit: 10_000 })).map(({ id }) => id.slice(0, 4) + parseRollUpId(id).source.id),
    )
    t.same([...left].sort(), whole ? ['siteaaaa', 'sitebbbb'] : ['shops12', 'shops2', 'siteaaaa', 'sitebbbb'])
  }
})

t.test('roll-ups and closed incidents leave after 400 days, open incidents do not', async t => {
  const { make, times } = await prepared()
  const store = await make()
  for (const now of times) await world.rollUp(store, now)
  const closed = { subjectId: site, open: 0 as const, closedAt: start + hour, troubleSince: start }
  await store.insert('incidents', [incident('old', closed), incident('open', { subjectId: site, troubleSince: start })])
  await store.insert('incidents', [incident('long', { ...closed, closedAt: start + 300 * day })])
  await store.insert(
    'history',
    ['old', 'long'].map(id => history(`${id}.1`, { incidentId: id, subjectId: site })),
  )
  const idsIn = async (collection: 'incidents' | 'history' | 'rollUps') =>
    (await store.find(collection, { limit: 10_000 })).map(({ id }) => id)
  const kept = await idsIn('rollUps')
  await expireIncidents(store, site, start + 400 * day)
  t.same(await idsIn('incidents'), ['long', 'old', 'open'])
  const daysDue = settledAt(start + 399 * day)
  await world.rollUp(store, daysDue - 2 * day)
  t.ok((await idsIn('rollUps')).length === kept.length, 'not a day early')
  await world.rollUp(store, daysDue + 2 * day)
  t.same(await idsIn('rollUps'), [])
  t.same(await idsIn('incidents'), ['long', 'open'])
  t.same(await idsIn('history'), ['long.1'])
})

t.test('what senders reported leaves after 30 days, when the day is settled: of each signal, and nothing of others', async t => {
  const store = createMemoryStore()
  await world.storeSubjects(store)
  const settled = start + 40 * day
  const now = settledAt(settled)
  const oldest = now - 30 * day
  const at = (signal: string, ms: number, over = {}) => pushed(pushedObservationId(shop, signal, {}, ms * 1_000), over)
  const skewed = at('s1', now + 400 * day, { rejectReason: 'clock_skew', expireAt: now + day })
  const kept = [at('s1', oldest), at('s12', oldest + 1), skewed, pushed(pushedObservationId('shopAAAAAB', 's1', {}, 1))]
  const old = [
    at('s1', oldest - 1),
    at('s12', oldest - 1),
    at('s2', 0),
    at('s1', -day, { rejectReason: 'out_of_retention', expireAt: 9e12 }),
  ]
  const many = Array.from({ length: 2 * limits.keeper.deletionSlice }, (_, i) => at('s2', oldest - 10_000 - i))
  await store.upsert('pushedObservations', [...kept, ...old, ...many])
  await store.upsert(
    'rollUpProgress',
    Array.from({ length: limits.partitions }, (_, number) => ({
      ...{ id: keys.lease(number), rev: 1, hoursTo: settled, daysTo: settled, writer: '' },
    })),
  )
  const ids = async () => (await store.find('pushedObservations', { limit: 10_000 })).map(({ id }) => id)
  await world.rollUp(store, settled + hour)
  t.equal((await ids()).length, kept.length + old.length + many.length, 'not before the day is settled')
  await world.rollUp(store, now)
  t.strictSame(await ids(), kept.map(({ id }) => id).sort())
})

t.test('a running keeper removes what was reported with an instant of the future when its own time is over', async t => {
  const world = createWorld()
  const { service } = await world.startOne({ exclusive: true })
  const now = world.clock.now()
  const skewed = (name: string, expireAt: number) =>
    pushed(pushedObservationId(name, 's1', {}, (now + 400 * day) * 1_000), { rejectReason: 'clock_skew', expireAt })
  const accepted = pushed(pushedObservationId('a', 's1', {}, now * 1_000))
  await world.store.upsert('pushedObservations', [accepted, skewed('b', now + 1), skewed('c', now + hour)])
  await world.clock.advance(limits.keeper.expireMs + minute)
  t.strictSame(
    (await world.store.find('pushedObservations', { limit: 9 })).map(({ id }) => id.charAt(0)),
    ['a', 'c'],
  )
  const stopping = service.stop()
  await world.clock.advance(minute)
  await stopping
})

t.test('raw checks leave after three days, once they are rolled up, and in any case two days later', async t => {
  const store = createMemoryStore()
  const now = start + 10 * day + hour
  t.equal(await rawLeavesBefore(store, now), now - 5 * day, 'nothing is rolled up')
  const all = (daysTo: (partition: number) => number) =>
    Array.from({ length: 64 }, (_, number) => ({ id: `p.${number}`, rev: 1, hoursTo: now, daysTo: daysTo(number), writer: '' }))
  await store.upsert(
    'rollUpProgress',
    all(number => start + (number === 9 ? 6 : 8) * day),
  )
  t.equal(await rawLeavesBefore(store, now), start + 6 * day, 'one partition is behind')
  await store.upsert(
    'rollUpProgress',
    all(() => start + 8 * day),
  )
  t.equal(await rawLeavesBefore(store, now), now - 3 * day)
})

t.test('a running keeper rolls up by itself, and removes with a signal and a subject what was rolled up of them', async t => {
  const world = createWorld()
  const { service } = await world.startOne({ exclusive: true })
  const send = async (id: string, command: object) => t.match(await world.command(id, command as never), { ok: true })
  await world.create({}, site)
  await send(shop, { kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
  for (const name of ['one', 'two'])
    await send(shop, { kind: 'create-signal', name, signalKind: 'custom_event', meta: '{}', convert: false })
  await world.report(site, true)
  for (const signal of ['one', 'two'])
    await send(shop, { kind: 'report-observation', signal, observedAtUs: null, status: 'ok', value: 5, error: '', labels: {} })
  await world.clock.advance(2 * hour)
  const series = async () =>
    (await world.store.find('rollUps', { limit: 100 })).map(({ id }) => id.slice(0, 4) + parseRollUpId(id).source.id)
  t.same(await series(), ['shops1', 'shops2', 'siteaaaa'])
  await send(shop, { kind: 'delete-signal', signal: 'one' })
  await world.clock.advance(minute)
  t.same(await series(), ['shops2', 'siteaaaa'])
  await send(shop, { kind: 'delete-subject', subjectKind: 'custom' })
  await world.clock.advance(minute)
  t.same(await series(), ['siteaaaa'])
  const stopping = service.stop()
  await world.clock.advance(minute)
  await stopping
})

t.test('a read refuses what it could not answer, and says up to where it knows', async t => {
  const store = createMemoryStore()
  await world.storeSubjects(store)
  const of = { subjectId: site, source: { kind: 'location', id: 'aaaa' } as const }
  const now = start + day
  for (const range of [
    [5, 5],
    [10, 5],
    [0, 1_001 * 5 * minute],
    [start, 9e15],
  ] as [number, number][])
    await t.rejects(world.read(store, now, of, '5m', range), { code: 'validation' }, `${range}`)
  t.equal(await world.read(store, now, { ...of, subjectId: 'nobody' }, '1h', [0, hour]), null)
  t.equal(await world.read(store, now, { subjectId: shop, source: world.signal('s9') }, '1h', [0, hour]), null)
  t.same(await world.read(store, now, of, '1d', [start - 5 * day, start + 9 * day]), { buckets: [], completeTo: now })
  const many = Array.from({ length: limits.rollUp.rawRowsPerAnswer + 500 }, (_, index) => ({
    subjectId: shop,
    source: world.signal('s2'),
    at: start + index * 1_000,
    ok: true,
    value: 1,
    accepted: true,
  }))
  await world.store(store, many)
  const answer = await world.read(store, now, many[0] as world.Report, '5m', [start, now])
  t.equal(answer?.completeTo, start + Math.floor(limits.rollUp.rawRowsPerAnswer / 300) * 5 * minute)
  t.ok(
    answer?.buckets.every(bucket => bucket.count === 300),
    'only whole buckets',
  )
})
