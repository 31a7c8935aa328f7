// Roll-ups compared with a plain recomputation, also after late reports, crashes, a take-over, clock changes, removal and expiry.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import type { WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import { day, hour, limits, minute } from '#shared/limits/limits.ts'
import { addReport, type Bucket, emptyBucket, mergeBucket, quantile, relativeError } from '#shared/roll-up/bucket.ts'
import { packBuckets, unpackBuckets } from '#shared/roll-up/packed.ts'
import { parseRollUpId, rollUpId } from '#shared/roll-up/roll-up-ids.ts'
import { troubleId } from '#shared/roll-up/trouble.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { checkObservationId, observationIdKey, pushedObservationId } from '#shared/text/ids.ts'
import { expireIncidents } from '../../../services/keeper/roll-up/expire.ts'
import { progressOf, rawBeginsAt, rawLeavesBefore, rollUpDue } from '../../../services/keeper/roll-up/progress.ts'
import { expireRollUps } from '../../../services/keeper/roll-up/remove-roll-ups.ts'
import { rollUpPartition } from '../../../services/keeper/roll-up/roll-up-partition.ts'
import { Random } from '../../simulation/random.ts'
import { history, incident, maintenanceWindow, observation, pushed, subject } from '../../store/documents.ts'
import { dyingStore } from '../../support/store/dying-store.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { sharedMongodb } from '../../support/store/secantus.ts'
import { createWorld } from '../world.ts'
import * as world from './roll-up-world.ts'

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
  t.test(`quantiles of the histogram of ${name} stay within the stated error, also after merging and packing`, async t => {
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

t.test('buckets are unchanged after they are encoded as text and decoded', async t => {
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
    ['a negative whole number of more than 52 bits', [[true, -(2 ** 52) - 1]]],
    ['the least whole number', [[true, Number.MIN_SAFE_INTEGER]]],
    ['the largest whole number', [[true, Number.MAX_SAFE_INTEGER]]],
    [
      'a half and what swallows it',
      [
        [true, 0.5],
        [true, 2 ** 52 + 1],
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

t.test('id of a roll-up contains the source and the start of the period', async t => {
  for (const source of [
    { kind: 'location', id: 's123' },
    { kind: 'signal', id: 's123' },
  ] as const) {
    const at = start + 23 * hour + 59 * minute
    t.same(parseRollUpId(rollUpId(site, source, 'hour', at)), { source, at: start + 23 * hour })
    t.same(parseRollUpId(rollUpId(site, source, 'day', at)), { source, at: start })
  }
})

/** Compares the roll-ups of every source and step with the reports. */
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
  const mongodbUrl = await sharedMongodb(t)
  if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const store = await openStore({
    mongodbUrl,
    dataFolder: '',
    logger: world.contextOn(createMemoryStore(), () => 0).logger,
  })
  t.teardown(() => store.close())
  await suite(t, store, 30 * minute)
})

t.test('read of any range returns exactly the roll-ups of this range', async t => {
  const store = createMemoryStore()
  const reports = world.generateReports(11, 2, 5 * minute)
  await world.storeSubjects(store)
  await world.store(store, reports)
  const now = settledAt(start + 2 * day)
  for (const at of [start + 2 * day, now]) await world.rollUp(store, at)
  const parts: [world.Step, number, number][] = [
    ['5m', start + 10 * hour + 25 * minute, start + 15 * hour + 35 * minute],
    ['1h', start + 7 * hour, start + 31 * hour],
    ['1d', start, start + day],
    ['1d', start + day, start + 3 * day],
  ]
  for (const [step, from, to] of parts) {
    for (const of of new Map(reports.map(report => [report.source.id, report])).values()) {
      const found = await world.read(store, now, of, step, [from, to])
      const wanted = world.recompute(reports, of, step, [from, to])
      t.equal(world.difference(found?.buckets, wanted), null, `${of.source.id} by ${step}`)
    }
  }
  const [deleted] = await store.get('subjects', [site])
  await store.upsert('subjects', [{ ...deleted!, deletedAt: now }])
  t.equal(await world.read(store, now, reports[0] as world.Report, '1h', [start, start + day]), null)
})

t.test('read returns all kept observations when nothing is rolled up', async t => {
  const store = createMemoryStore()
  const reports = world.generateReports(3, 1, 10 * minute)
  await world.storeSubjects(store)
  await world.store(store, reports)
  for (const [id, keptMs] of [
    ['aaaa', limits.retention.checksMs + limits.retention.heldBackMs],
    ['s1', limits.retention.pushedMs],
  ] as const) {
    const of = reports.find(({ source }) => source.id === id) as world.Report
    const range: [number, number] = [start, start + day]
    const found = await world.read(store, start + keptMs + 23 * hour, of, '1h', range)
    t.equal(world.difference(found?.buckets, world.recompute(reports, of, '1h', range)), null, id)
  }
})

t.test(
  'late check of a rolled-up hour is counted for a day, then left out, and counted for good when its day is settled',
  async t => {
    const store = createMemoryStore()
    await world.storeSubjects(store)
    const report = (at: number) => ({
      subjectId: site,
      source: { kind: 'location' as const, id: 'aaaa' },
      at,
      ok: true,
      value: 1,
    })
    const inTime = { ...report(start), accepted: true }
    const late = { ...report(start + minute), accepted: true }
    await world.store(store, [inTime])
    await world.rollUp(store, start + 3 * hour)
    await world.store(store, [late])
    for (const [now, count] of [
      [start + 3 * hour, 2],
      [start + day + hour, 1],
    ] as const) {
      await world.rollUp(store, now)
      t.match(await world.read(store, now, late, '1h', [start, start + hour]), { buckets: [{ count }] })
    }
    await world.rollUp(store, settledAt(start))
    t.match(await world.read(store, settledAt(start), late, '1h', [start, start + hour]), { buckets: [{ count: 2 }] })
  },
)

t.test('observation repeated after the roll-up of its hour counts with its last content when its day is settled', async t => {
  const store = createMemoryStore()
  await world.storeSubjects(store)
  const sent = { subjectId: shop, source: world.signal('s2'), at: start + hour, ok: true, value: 1, accepted: true }
  const again = { ...sent, ok: false, value: 7 }
  await world.store(store, [sent])
  await world.rollUp(store, start + 5 * hour)
  await world.store(store, [again])
  await world.rollUp(store, settledAt(start))
  await agrees(t, store, settledAt(start), [again], [start, start + day], 'settled')
})

t.test('roll-up of a day equals its hours when the observations are removed before the day is settled', async t => {
  const store = createMemoryStore()
  const reports = world.generateReports(3, 1, 10 * minute)
  await world.storeSubjects(store)
  await world.store(store, reports)
  await world.rollUp(store, start + 2 * day)
  while ((await store.deleteRange('observations', '', '~', 10_000)) > 0);
  while ((await store.deleteRange('pushedObservations', '', '~', 10_000)) > 0);
  await world.rollUp(store, settledAt(start))
  await agrees(t, store, settledAt(start), reports, [start, start + day], 'settled')
})

/** Store with two days of reports, and the roll-ups that a keeper makes without interruption. */
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

t.test('successor completes roll-ups when a keeper dies between any two writes', async t => {
  const { make, times, rowsOf, wanted } = await prepared()
  let deaths = 0
  for (let n = 1; ; n++) {
    for (const after of [false, true]) {
      const store = await make()
      let dead = false
      const dying = dyingStore(store, n, after)
      for (const now of times) {
        const context = world.contextOn(
          dying,
          () => now,
          () => (dead = true),
        )
        await world.rollUp(dying, now, () => !dead, context).catch(error => t.match(error, { message: 'not ours any more' }))
        if (dead) break
      }
      if (dead) deaths++
      for (const now of times) await world.rollUp(store, now)
      t.strictSame(await rowsOf(store), wanted, `write ${n}, ${after ? 'done' : 'not done'}`)
      if (!dead) return t.ok(deaths > 8, `${deaths} deaths`)
    }
  }
})

t.test(
  'roll-up of an hour is due 5 minutes, and of a day 2 days, after its end, plus a delay that differs by partition',
  async t => {
    const ended = start + 23 * hour
    for (const [partition, turnOfHour, turnOfDay] of [
      [0, 0, 0],
      [32, 20 * minute, 3 * hour],
      [63, 39.375 * minute, 5.90625 * hour],
    ] as const) {
      const hourAt = ended + 5 * minute + turnOfHour
      t.equal(rollUpDue(partition, hourAt - 1).hoursTo, ended - hour)
      t.equal(rollUpDue(partition, hourAt).hoursTo, ended)
      const dayAt = start + 2 * day + 5 * minute + turnOfDay
      t.equal(rollUpDue(partition, dayAt - 1).daysTo, start - day)
      t.equal(rollUpDue(partition, dayAt).daysTo, start)
    }
  },
)

t.test('partition begins with the oldest checks when its progress is missing or lies ahead', async t => {
  const now = start + 5 * hour
  const begin = { hoursTo: start - 3 * day, daysTo: start - 3 * day }
  t.match(progressOf(null, 1, now), { ...begin, rev: 0 })
  const stored = { id: keys.lease(1), rev: 7, hoursTo: now, daysTo: start - 2 * day, writer: 'w' }
  t.strictSame(progressOf(stored, 1, now), stored)
  t.match(progressOf(stored, 1, now - 1), { ...begin, rev: 7 })
})

t.test('first roll-up begins with the day of the first check, unless a sender has reported', async t => {
  const now = start + 5 * day + hour
  const empty = createMemoryStore()
  t.equal(await rawBeginsAt(empty, now), now)
  t.match(progressOf(null, 1, now, now), { hoursTo: start + 5 * day, daysTo: start + 5 * day })
  const checked = start + 4 * day + 3 * hour
  await empty.insert('observations', [observation(checkObservationId(site, 'aaaa', checked), {})])
  t.equal(await rawBeginsAt(empty, now), checked)
  t.match(progressOf(null, 1, now, checked), { hoursTo: start + 4 * day, daysTo: start + 4 * day })
  t.match(progressOf(null, 1, now, start - 90 * day), progressOf(null, 1, now), 'at most the retention of checks')
  await empty.upsert('pushedObservations', [pushed(pushedObservationId(shop, 's1', {}, now * 1_000), {})])
  t.equal(await rawBeginsAt(empty, now), 0, 'a sender may name any instant')
})

t.test('an hour of several subjects asks the store for the stored rows and for deletions once', async t => {
  const into = createMemoryStore()
  await world.storeSubjects(into)
  const ids = Array.from({ length: 8 }, (_, i) => `abcdefghi${i}`)
  await into.insert(
    'subjects',
    ids.map(id => subject(id, { partition: partitionOf(site) })),
  )
  const reports = [site, ...ids].flatMap(subjectId =>
    ['aaaa', 'bbbb'].map(id => ({
      subjectId,
      source: { kind: 'location' as const, id },
      at: start + minute,
      ok: true,
      value: 7,
      accepted: true,
    })),
  )
  await world.store(into, reports)
  await world.storeProgress(into, start)
  const asked: string[] = []
  const counting: Store = {
    ...into,
    get: async (collection, wanted) => {
      asked.push(`get ${collection}`)
      return into.get(collection, wanted)
    },
    find: async (collection, query) => {
      asked.push(`find ${collection}`)
      return into.find(collection, query)
    },
  }
  const [stored] = await into.get('rollUpProgress', [keys.lease(partitionOf(site))])
  const context = world.contextOn(counting, () => start + hour + limits.rollUp.settleMs + limits.rollUp.spreadMs)
  await rollUpPartition(context, partitionOf(site), stored ?? null, () => true)
  t.equal(await into.count('rollUps', {}), 18)
  const count = (what: string) => asked.filter(one => one === what).length
  const batches = Math.ceil(9 / limits.rollUp.subjectsAtOnce)
  t.equal(count('get rollUps'), batches)
  t.equal(count('find subjects'), 1 + batches, 'one page, and the deletions')
  t.equal(count('get subjects'), 0)
})

t.test('progress of roll-ups never goes back', async t => {
  const { make } = await prepared()
  const store = await make()
  const written: number[] = []
  const replace: Store['replace'] = async (collection, documents) => {
    if (collection === 'rollUpProgress')
      for (const one of documents) written.push((one as unknown as { hoursTo: number }).hoursTo)
    return store.replace(collection, documents)
  }
  const partition = partitionOf(site)
  for (let now = start; now < settledAt(start + day); now += 5 * hour) {
    const [stored = null] = await store.get('rollUpProgress', [keys.lease(partition)])
    await rollUpPartition(
      world.contextOn({ ...store, replace }, () => now),
      partition,
      stored,
      () => true,
    )
  }
  t.ok(written.length > 10)
  t.strictSame(
    written,
    written.toSorted((one, other) => one - other),
  )
})

t.test('partition rolls up every subject when it has many', async t => {
  const store = createMemoryStore()
  const ids = Array.from({ length: limits.rollUp.subjectsPerRead + 3 }, (_, index) => `site${String(index).padStart(6, '0')}`)
  await store.insert(
    'subjects',
    ids.map(id => subject(id, { partition: 1 })),
  )
  const reports = ids.map(id => observation(checkObservationId(id, 'aaaa', start)))
  await store.insert('observations', reports)
  const now = start + 3 * hour
  await rollUpPartition(
    world.contextOn(store, () => now),
    1,
    null,
    () => true,
  )
  const rows = await store.find('rollUps', { limit: 10_000 })
  t.strictSame(
    rows.map(({ id }) => id.slice(0, 10)),
    ids,
  )
})

t.test('two keepers make the same rows when they roll up one partition at once', async t => {
  const { make, times, rowsOf, wanted } = await prepared()
  const store = await make()
  for (const now of times) await Promise.all([world.rollUp(store, now), world.rollUp(store, now)])
  t.strictSame(await rowsOf(store), wanted)
})

t.test('hours are rolled up again when they were rolled up too early by a clock that was ahead', async t => {
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

t.test('hour is rolled up again when the clock was slightly ahead', async t => {
  const reports = world.generateReports(5, 1, minute)
  const of = reports.find(({ source }) => source.id === 's2') as world.Report
  const store = createMemoryStore()
  await world.storeSubjects(store)
  const now = start + 10 * hour + 30 * minute
  const inTime = reports.filter(({ at }) => at < now)
  await world.store(store, inTime)
  await world.rollUp(store, now + 90 * minute)
  await world.store(store, reports)
  await world.rollUp(store, now + minute)
  const range: [number, number] = [start, start + 12 * hour]
  const found = await world.read(store, start + 14 * hour, of, '1h', range)
  t.equal(world.difference(found?.buckets, world.recompute(reports, of, '1h', range)), null)
})

t.test('deleted subject has no roll-ups when it is deleted during the computation of its roll-ups', async t => {
  for (const whole of [true, false]) {
    const { make } = await prepared()
    const store = await make()
    const racing: Store = {
      ...store,
      upsert: async (collection, documents) => {
        if (!(documents[0] as { id: string }).id.startsWith(shop)) return store.upsert(collection, documents)
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
    const checked = ['siteaaaa', 'siteaaaa6', 'siteaaaaz', 'sitebbbb']
    t.same([...left].sort(), whole ? checked : ['shops12', 'shops2', ...checked])
  }
})

t.test('roll-ups and closed incidents are removed after 400 days, and open incidents are kept', async t => {
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
  const trouble = troubleId(site)
  t.same((await idsIn('rollUps')).sort(), [...kept, trouble].sort(), 'not a day early')
  await world.rollUp(store, daysDue + 2 * day)
  t.same(await idsIn('rollUps'), [trouble], 'a monitor with incidents has a row of its trouble')
  t.same(await idsIn('incidents'), ['long', 'open'])
  t.same(await idsIn('history'), ['long.1'])
})

t.test(
  'roll-ups of a day expire, those of a deleted signal go at once, and those of a location that left the monitor stay',
  async t => {
    const store = createMemoryStore()
    await world.storeSubjects(store)
    const now = start + 400 * day + hour
    const sources = [world.signal('s1'), world.signal('s9'), { kind: 'location', id: 'gone' } as const]
    const idsAt = (at: number) =>
      sources.flatMap(source => (['hour', 'day'] as const).map(level => rollUpId(shop, source, level, at)))
    await store.upsert(
      'rollUps',
      [...idsAt(start - hour), ...idsAt(start)].map(id => ({ id, data: '' })),
    )
    const [owner] = await store.get('subjects', [shop])
    await expireRollUps(store, owner!, now)
    const left = (await store.find('rollUps', { limit: 99 })).map(({ id }) => id)
    t.strictSame(
      left,
      idsAt(start)
        .filter(id => parseRollUpId(id).source.id !== 's9')
        .sort(),
    )
  },
)

t.test('incident is removed with its history 400 days after its close', async t => {
  const store = createMemoryStore()
  const closed = (id: string, closedAt: number) =>
    incident(id, { subjectId: site, open: 0, closedAt, troubleSince: closedAt - 9 })
  await store.insert('incidents', [closed('old', start - 1), closed('young', start)])
  const many = 2 * limits.keeper.deletionSlice
  for (const incidentId of ['old', 'young']) {
    const entries = Array.from({ length: many }, (_, sequence) => history(`${incidentId}.${sequence}`, { incidentId, sequence }))
    await store.insert('history', entries)
  }
  await expireIncidents(store, site, start + 400 * day)
  t.match(await store.find('incidents', { limit: 9 }), [{ id: 'young' }])
  t.equal(await store.count('history', { incidentId: 'old' }), 0)
  t.equal(await store.count('history', { incidentId: 'young' }), many)
})

t.test('pushed observations of each signal are removed after 30 days when the day is settled', async t => {
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
  const many = Array.from({ length: 2 * limits.keeper.deletionSlice }, (_, i) =>
    at('s2', oldest - 10_000 - i, i % 2 === 0 ? { sentId: `old ${i}` } : {}),
  )
  kept.push(at('s2', oldest, { sentId: 'kept' }))
  await store.upsert('pushedObservations', [...kept, ...old, ...many])
  const sentIds = [...kept, ...many].flatMap(({ sentId }) => sentId ?? [])
  const placeOf = (subjectId: string, sentId: string) => ({ id: observationIdKey(subjectId, sentId), signalKey: 's2', atUs: 1 })
  const places = [...sentIds.map(sentId => placeOf(shop, sentId)), placeOf(site, 'old 0')]
  await store.upsert(
    'observationIds',
    places.map(place => ({ ...place, createdSignal: 0 as const })),
  )
  await world.storeProgress(store, settled)
  const ids = async () => (await store.find('pushedObservations', { limit: 10_000 })).map(({ id }) => id)
  await world.rollUp(store, settled + hour)
  t.equal((await ids()).length, kept.length + old.length + many.length, 'not before the day is settled')
  t.equal(await store.count('observationIds', {}), places.length)
  await world.rollUp(store, now)
  t.strictSame(await ids(), kept.map(({ id }) => id).sort())
  const left = (await store.find('observationIds', { limit: 9 })).map(({ id }) => id)
  t.strictSame(
    left,
    [observationIdKey(shop, 'kept'), observationIdKey(site, 'old 0')].sort(),
    "senders' ids leave with their rows",
  )
})

t.test('observations before a long gap are removed after they are rolled up', async t => {
  const reports = world.generateReports(5, 2, 10 * minute).filter(({ source }) => source.kind === 'signal')
  const store = createMemoryStore()
  await world.storeSubjects(store)
  await world.store(store, reports)
  await world.rollUp(store, start + 20 * hour)
  const now = start + 60 * day
  await world.rollUp(store, now)
  await agrees(t, store, now, reports, [start, start + 2 * day], 'after the gap')
  t.strictSame(await store.find('pushedObservations', { limit: 9 }), [])
})

t.test('old roll-ups are removed when a keeper dies between any two removals', async t => {
  const { make, times } = await prepared()
  const old = await make()
  for (const now of times) await world.rollUp(old, now)
  const rows = await old.find('rollUps', { limit: 10_000 })
  const settled = start + 402 * day
  for (let n = 1, isDead = true; isDead; n++) {
    const store = createMemoryStore()
    await world.storeSubjects(store)
    await store.upsert('rollUps', rows)
    await world.storeProgress(store, settled)
    let removals = 0
    isDead = false
    const deleteRange: Store['deleteRange'] = async (...range) => {
      isDead ||= range[0] === 'rollUps' && ++removals === n
      if (isDead) throw new Error('dead')
      return store.deleteRange(...range)
    }
    const dying = world.rollUp({ ...store, deleteRange }, settledAt(settled), () => !isDead)
    await dying.catch(error => t.match(error, { message: 'not ours any more' }))
    await world.rollUp(store, settledAt(settled + day))
    t.strictSame(await store.find('rollUps', { limit: 9 }), [], `removal ${n}`)
    if (!isDead) t.ok(n > 10, `${n} deaths`)
  }
})

t.test('maintenance windows are removed 400 days after their end', async t => {
  const store = createMemoryStore()
  const window = (name: string, given: Partial<WindowDocument>) =>
    maintenanceWindow(`${site}.${name}`, { subjectId: site, startedAt: start - 800 * day, ...given })
  const old = start - 400 * day
  await store.insert('windows', [
    window('running', { endsAt: start + day }),
    window('over', { state: 'ranOut', endsAt: old - 1 }),
    window('not yet', { state: 'ranOut', endsAt: old }),
    window('cancelled', { state: 'cancelled', endsAt: start, cancelledAt: old - 1 }),
    window('of another', { state: 'ranOut', endsAt: old - 1, subjectId: shop }),
  ])
  const short = Array.from({ length: 2 * limits.rollUp.incidentsPerRead }, (_, index) =>
    window(`short ${index}`, { state: 'ranOut', startedAt: old - 9, endsAt: old - 1 }),
  )
  await store.insert('windows', short)
  await expireIncidents(store, site, start)
  const left = await store.find('windows', { limit: 100 })
  t.same(
    left.map(({ id }) => id.slice(site.length + 1)),
    ['not yet', 'of another', 'running'],
  )
})

t.test('report with a future instant is removed when its own retention is over', async t => {
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

t.test('raw checks are removed after three days if rolled up, and two days later otherwise', async t => {
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

t.test('running keeper rolls up, and removes roll-ups with their signal and subject', async t => {
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

t.test('read beyond the progress of the roll-up is refused, and the refusal names the progress', async t => {
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
