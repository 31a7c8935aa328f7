// Observation log compared with a simple recomputation on every store, and the number of its reads. Reference: docs/reference/v3.md, 7.8.
import t, { type Test } from 'tap'
import type { CheckObservationDocument, PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ListObservations, ObservationEntry } from '#shared/contracts/observations/observation-log.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { checkObservationId, observationOfSeries, parsePushedObservationId, seriesId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { DirectoryContext } from '../../services/directory/context.ts'
import { listObservations } from '../../services/directory/subjects/observation-log.ts'
import { Random } from '../simulation/random.ts'
import { observation, pushed, subject } from '../store/documents.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { sharedMongodb } from '../support/store/secantus.ts'

const site = 'siteAAAAAA'
const locations = ['aaaa', 'bbbb', 'cccc']
const now = 20_000 * day + 90 * minute
const signal = (key: string, slug: string): SignalState => ({
  key,
  slug,
  name: slug,
  kind: 'custom_event',
  meta: '{}',
  addedAt: 0,
})
const signals = [signal('s1', 'beat'), signal('s10', 'load'), signal('s2', 'idle')]
const custom = { signals, signalsMade: 10, rulesMade: 0, stampedUs: 0, observed: {} }
const watched = subject(site, { check: { locations } as never, custom })

interface Seen {
  at: number
  signal: string
}

/** Generates checks and reports of 8 days. `seen` has the instants (ms) of the accepted reports and of the checks of the last 4 days. */
function generate(seed: number) {
  const random = new Random(seed, 'log')
  const checks: CheckObservationDocument[] = []
  const rows: PushedObservationDocument[] = []
  const seen: Seen[] = []
  for (const location of locations) {
    for (let slotAt = now - 8 * day; slotAt < now; slotAt += random.integer(minute, 3 * hour)) {
      const delayMs = random.chance(0.05) ? random.integer(0, 20 * minute) : random.integer(0, 30 * second)
      checks.push(
        observation(checkObservationId(site, location, slotAt), { delayMs, statusCode: random.chance(0.5) ? 200 : null }),
      )
      if (slotAt > now - 4 * day) seen.push({ at: slotAt + delayMs, signal: `reachability@${location}` })
    }
  }
  const push = (key: string, slug: string, at: number, more: Partial<PushedObservationDocument>) => {
    const labels = { i: String(rows.length) }
    const id = observationOfSeries(seriesId(site, key, labels), at * 1_000)
    rows.push(pushed(id, { error: null, labels: JSON.stringify(labels), rejectReason: null, sentId: null, body: null, ...more }))
    if (more.rejectReason == null) seen.push({ at, signal: slug })
  }
  for (const [key, slug] of [
    ...signals.slice(0, 2).map(one => [one.key, one.slug]),
    ['reachability@aaaa', 'reachability@aaaa'],
  ]) {
    for (let at = now - 3 * day; at < now; at += random.integer(minute, 5 * hour)) {
      const rejectReason = key === 's1' && random.chance(0.6) ? 'out_of_order' : null
      push(key as string, slug as string, at, { rejectReason })
    }
  }
  push('s1', 'beat', now + 50 * second, {})
  push('s1', 'beat', now + 30 * day, { rejectReason: 'clock_skew' })
  rows.push(pushed(observationOfSeries(seriesId(site, 's3', {}), now * 1_000), {}), pushed('siteAAAAAB.s1.002000000000000000.-'))
  return { checks, rows, seen }
}

const logOf = (store: Store, wanted: Partial<ListObservations>) =>
  listObservations({ store, clock: { now: () => now } as Clock } as DirectoryContext, {
    subjectId: site,
    signal: null,
    from: null,
    to: null,
    unaccepted: false,
    limit: 50,
    ...wanted,
  })

const briefly = (entries: ObservationEntry[]): Seen[] => entries.map(({ atUs, signal }) => ({ at: atUs / 1_000, signal }))

async function sameAsRecomputed(t: Test, store: Store, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    const { checks, rows, seen } = generate(seed)
    await store.upsert('subjects', [watched])
    await store.upsert('observations', checks)
    await store.upsert('pushedObservations', rows)
    const names = [undefined, 'beat', 'load', 'idle', 'reachability@aaaa', 'reachability@bbbb', 'nothing']
    for (const name of names) {
      for (const limit of [1, 7, 50, 200]) {
        const entries = await logOf(store, { limit, ...(name === undefined ? {} : { signal: name }) })
        const expected = seen.filter(one => name === undefined || one.signal === name).sort((a, b) => b.at - a.at)
        const [actual, first] = [briefly(entries), expected.slice(0, limit)]
        // A page with fewer entries than its limit also has checks of more than 4 days ago, which `seen` lacks.
        const known = entries.length === limit ? actual : actual.slice(0, first.length)
        const sorted = (list: Seen[]) => list.map(({ at, signal }) => `${at} ${signal}`).sort()
        t.strictSame(sorted(known), sorted(first), `seed ${seed}, ${name ?? 'all'}, ${limit} at most`)
        t.strictSame(
          actual,
          actual.toSorted((a, b) => b.at - a.at),
          'newest first',
        )
      }
    }
    await rangesAsRecomputed(t, store, seed, { seen, rows })
    await store.deleteRange('observations', '', '~', 10_000)
    await store.deleteRange('pushedObservations', '', '~', 10_000)
  }
}

/**
 * Compares the log within ranges of time, and the log of rejected reports, with recomputed logs. A rejected report may have an instant in
 * the future.
 */
async function rangesAsRecomputed(t: Test, store: Store, seed: number, made: Pick<ReturnType<typeof generate>, 'seen' | 'rows'>) {
  const instantsOf = (entries: ObservationEntry[]) => entries.map(({ atUs }) => atUs / 1_000)
  const midnight = now - (now % day)
  const ranges = [
    [midnight - day, midnight],
    [midnight - day + 5 * hour + 1, midnight - day + 9 * hour],
    [midnight, midnight + day],
    [now - 90 * day, now - 80 * day],
  ] as const
  for (const [from, to] of ranges) {
    const expected = made.seen.filter(({ at }) => at >= from && at < to).map(({ at }) => at)
    const found = instantsOf(await logOf(store, { from, to, limit: 200 }))
    t.strictSame(found, expected.sort((a, b) => b - a).slice(0, 200), `seed ${seed}, from ${from} to ${to}`)
    t.strictSame(instantsOf(await logOf(store, { from, to, limit: 3 })), expected.slice(0, 3), 'the newest of the range')
  }
  const refused = made.rows
    .filter(({ id, rejectReason }) => rejectReason !== null && id.startsWith(`${site}.s1.`))
    .map(({ id }) => parsePushedObservationId(id).observedAtUs / 1_000)
    .sort((a, b) => b - a)
  const unaccepted = await logOf(store, { unaccepted: true, limit: 200 })
  t.strictSame(instantsOf(unaccepted), refused)
  t.ok(unaccepted.every(({ rejected }) => rejected !== null) && refused[0]! > now, 'one lies in the future')
  const ofDay = await logOf(store, { unaccepted: true, from: midnight - day, to: midnight })
  t.strictSame(
    instantsOf(ofDay),
    refused.filter(at => at >= midnight - day && at < midnight),
  )
}

t.test('memory: log has the newest entries that a plain recomputation finds (v3 7.8)', t =>
  sameAsRecomputed(t, createMemoryStore(), [1, 2, 3, 4, 5]),
)

t.test('sqlite: log has the newest entries that a plain recomputation finds (v3 7.8)', async t => {
  const store = await openStore({ dataFolder: t.testdir(), logger: createLogger('silent') })
  t.teardown(() => store.close())
  await sameAsRecomputed(t, store, [1, 2])
})

t.test('mongodb over its wire protocol: log has the newest entries that a plain recomputation finds (v3 7.8)', async t => {
  const mongodbUrl = await sharedMongodb(t)
  if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const store = await openStore({ mongodbUrl, dataFolder: '', logger: createLogger('silent') })
  t.teardown(() => store.close())
  await sameAsRecomputed(t, store, [1])
})

t.test('check that ended after midnight is newer than a check of the same day that ended before midnight (v3 7.8)', async t => {
  const store = createMemoryStore()
  await store.upsert('subjects', [watched])
  const midnight = now - (now % day)
  await store.upsert('observations', [
    observation(checkObservationId(site, 'aaaa', midnight - minute), { delayMs: 20 * minute }),
    observation(checkObservationId(site, 'bbbb', midnight + 5 * minute), { delayMs: 0 }),
  ])
  t.match(await logOf(store, { limit: 1 }), [{ locationId: 'aaaa' }])
})

t.test('read of the log queries only a few ranges of ids (v3 7.8)', async t => {
  const store = createMemoryStore()
  const { checks, rows } = generate(6)
  await store.upsert('subjects', [watched])
  await store.upsert('observations', checks)
  await store.upsert('pushedObservations', rows)
  const queries: Query[] = []
  const find: Store['find'] = (collection, query) => {
    queries.push(query)
    return store.find(collection, query)
  }
  await logOf({ ...store, find }, { limit: 200 })
  for (const { where, limit, select } of queries) {
    t.match(where, { id: { gte: String, lt: String } })
    t.ok(limit <= 200 && select !== undefined && !select.includes('body'))
  }
  t.ok(queries.length <= 6 + 7 * 4 + 10, `${queries.length} reads`)
})

t.test('one read skips at most a bounded number of reports that were not accepted (v3 7.8)', async t => {
  const store = createMemoryStore()
  await store.upsert('subjects', [watched])
  const row = (i: number, rejectReason: 'late' | null) =>
    pushed(observationOfSeries(seriesId(site, 's1', {}), (now - i * second) * 1_000), { rejectReason, error: null, labels: null })
  const { logRowsRead } = limits.v3
  await store.upsert('pushedObservations', [
    ...Array.from({ length: logRowsRead - 1 }, (_, i) => row(i + 1, 'late')),
    row(logRowsRead, null),
    row(logRowsRead + 1, null),
  ])
  let reads = 0
  const find: Store['find'] = (collection, query) => {
    reads++
    return store.find(collection, query)
  }
  t.equal((await logOf({ ...store, find }, { limit: 1 })).length, 1, 'the last row of the bound')
  t.ok(reads < 60, `${reads} reads`)
  t.ok((await logOf(store, { limit: 200 })).length <= 2)
})

t.test('page of the log is bounded in bytes, and has at least one entry (v3 7.8)', async t => {
  const store = createMemoryStore()
  await store.upsert('subjects', [watched])
  const row = (i: number, bytes: number) =>
    pushed(observationOfSeries(seriesId(site, 's1', {}), (now - i * second) * 1_000), {
      rejectReason: null,
      error: null,
      labels: null,
      sentId: `r${i}`,
      body: JSON.stringify({ x: 'y'.repeat(bytes) }),
    })
  await store.upsert(
    'pushedObservations',
    Array.from({ length: 100 }, (_, i) => row(i, 16_000)),
  )
  const entries = await logOf(store, { limit: 200 })
  t.ok(entries.length >= 30 && entries.length < 34, `${entries.length} of 16 kB each`)
  t.ok(Buffer.byteLength(JSON.stringify(entries)) <= limits.request.pageBytes + 2)
  t.equal(entries[0]?.id, 'r0')
})
