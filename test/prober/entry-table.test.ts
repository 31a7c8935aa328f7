// Check entries as a prober reads them from two buckets: in pages and alone (ADR 45). And the start of a prober that does not know them all.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import type { Bucket, Bus } from '#shared/bus/port.ts'
import { keys, parseObservation, subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { pageNumberOf, partitionOf } from '#shared/text/hash.ts'
import { startProber } from '../../services/prober/app.ts'
import { EntryTable } from '../../services/prober/entry-table.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { checkEntry } from '../support/checks.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const location = 'loc1'
const logger = pino({ level: 'silent' })
const startAt = 1_700_000_000_000
const entry = (rev = 1, more = {}) => ({ ...checkEntry({ url: 'http://127.0.0.1:9/', intervalMs: 60_000, rev }), ...more })

function openTable(readable: (value: object) => boolean = () => true) {
  const told: string[] = []
  const table = new EntryTable({
    onEntry: ({ subjectId, value, at, isPaged }) => {
      told.push(`${subjectId} ${(value as { rev: number }).rev} ${isPaged ? 'paged' : 'alone'} at ${at}`)
      return readable(value as object)
    },
    onRemoved: subjectId => void told.push(`${subjectId} removed`),
    onPage: (key, value) => value !== null && void told.push(`${key} unreadable`),
  })
  let revision = 0
  const change = (key: string, value: unknown, at: number) => ({ key, revision: ++revision, at, value })
  return {
    told: () => told.splice(0),
    complete: () => table.complete(),
    alone: (id: string, value: unknown, at = 5) => table.single(change(keys.check(location, id), value, at)),
    page: (entries: [string, number, object][] | null, at = 9, more = {}) =>
      table.page(change(keys.checkPageOf(location, 'a'), entries === null ? null : { entries, ...more }, at)),
  }
}

t.test('only entries of a new revision in a changed page are news', async t => {
  const { page, told } = openTable()
  page([
    ['a', 1, entry()],
    ['b', 2, entry()],
  ])
  t.strictSame(told(), ['a 1 paged at 1', 'b 1 paged at 2'])
  page([
    ['a', 1, entry()],
    ['b', 3, entry(2)],
    ['c', 4, entry()],
  ])
  t.strictSame(told(), ['b 2 paged at 3', 'c 1 paged at 4'])
  page([['c', 4, entry()]])
  t.strictSame(told(), ['a removed', 'b removed'])
  page(null)
  t.strictSame(told(), ['c removed'])
})

t.test('instant of an entry is its own until all are known, and then that of the page, which all probers know', async t => {
  const { page, told, complete } = openTable()
  page(
    [
      ['a', 0, entry()],
      ['b', 99, entry()],
    ],
    9,
  )
  t.strictSame(told(), ['a 1 paged at 0', 'b 1 paged at 9'], 'never later than the page')
  complete()
  page(
    [
      ['a', 0, entry()],
      ['b', 99, entry(2)],
    ],
    12,
  )
  t.strictSame(told(), ['b 2 paged at 12'])
})

t.test('of two entries of a subject the one with the larger revision counts, whichever comes first', async t => {
  for (const [title, act, expected] of [
    [
      'alone, then the same in its page',
      (of: ReturnType<typeof openTable>) => [of.alone('a', entry()), of.page([['a', 1, entry()]])],
      ['a 1 alone at 5', 'a 1 paged at 1'],
    ],
    [
      'in its page, then the same alone',
      (of: ReturnType<typeof openTable>) => [of.page([['a', 1, entry()]]), of.alone('a', entry())],
      ['a 1 paged at 1'],
    ],
    [
      'alone and newer',
      (of: ReturnType<typeof openTable>) => [of.page([['a', 1, entry()]]), of.alone('a', entry(2))],
      ['a 1 paged at 1', 'a 2 alone at 5'],
    ],
    [
      'older in its page',
      (of: ReturnType<typeof openTable>) => [of.alone('a', entry(2)), of.page([['a', 1, entry()]])],
      ['a 2 alone at 5'],
    ],
    [
      'newer in its page',
      (of: ReturnType<typeof openTable>) => [of.alone('a', entry()), of.page([['a', 1, entry(2)]])],
      ['a 1 alone at 5', 'a 2 paged at 1'],
    ],
  ] as const) {
    const table = openTable()
    act(table)
    t.strictSame(table.told(), expected, title)
  }
})

t.test('removal of an entry that was alone counts only if the subject is in no page', async t => {
  const moved = openTable()
  moved.alone('a', entry())
  moved.page([['a', 1, entry()]])
  moved.told()
  moved.alone('a', null)
  t.strictSame(moved.told(), [])
  moved.page([])
  t.strictSame(moved.told(), ['a removed'], 'the entry that was alone is forgotten')

  const shadowed = openTable()
  shadowed.alone('a', entry(2))
  shadowed.page([['a', 1, entry()]])
  shadowed.told()
  shadowed.alone('a', null)
  t.strictSame(shadowed.told(), ['a removed', 'a 1 paged at 1'])

  const apart = openTable()
  apart.page([['a', 1, entry()]])
  apart.alone('a', entry(2))
  apart.page([], 9, { apart: ['a'] })
  t.strictSame(apart.told(), ['a 1 paged at 1', 'a 2 alone at 5'], 'it left the page for the want of room')
  apart.alone('a', null)
  t.strictSame(apart.told(), ['a removed'])

  const unknown = openTable()
  unknown.alone('a', null)
  t.strictSame(unknown.told(), [])
})

t.test('page that cannot be read leaves its entries as they are, and an entry that cannot be read spoils no other', async t => {
  const { page, told } = openTable(value => !('later' in value))
  page([
    ['a', 1, entry()],
    ['b', 1, entry(1, { later: true })],
  ])
  t.strictSame(told(), ['a 1 paged at 1', 'b 1 paged at 1'])
  const key = keys.checkPageOf(location, 'a')
  page([['a', 2, entry(2)]], 9, { schema: 2 })
  page([['a', 2, 'no entry' as never]])
  t.strictSame(told(), [`${key} unreadable`, `${key} unreadable`])
  page([
    ['a', 1, entry()],
    ['b', 1, entry()],
  ])
  t.strictSame(told(), ['b 1 paged at 1'], 'the entry is tried again with each version of its page')
})

interface Seen {
  subjectId: string
  slotAt: number
  isFlat: boolean
}

async function openWorld() {
  const clock = createVirtualClock(startAt)
  const hub = createMemoryHub({ clock })
  const house = hub.connect()
  const seen: Seen[] = []
  for (let partition = 0; partition < limits.partitions; partition++) {
    await house.observations.open({
      partition,
      from: { sequence: 1 },
      onBroken: () => undefined,
      onMessage: ({ subject, body }) => {
        const { subjectId } = parseObservation(subject, body) as { subjectId: string }
        seen.push({
          subjectId,
          slotAt: (body as { slotAt: number }).slotAt,
          isFlat: subject === subjects.flatObservation(location, subjectId),
        })
        return true
      },
    })
  }
  const start = (proberId: string, wrap: (bus: Bus) => Bus = bus => bus) =>
    startProber(
      { bus: wrap(hub.connect()), clock, logger, metrics: new Registry() },
      { locationId: location, proberId, version: '2.1.0', serviceUrl: 'http://us' },
    )
  const put = (...ids: string[]) => {
    const byPage = Map.groupBy(ids, id => keys.checkPageOf(location, id))
    return Promise.all(
      [...byPage].map(([key, of]) => house.bucket('check-pages').put(key, { entries: of.map(id => [id, 0, entry()]) })),
    )
  }
  return { clock, house, seen, start, put }
}

/** A bus whose watch of single entries is not complete until `release`. */
function lateWatch(bus: Bus): { bus: Bus; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = (bucket: Bucket): Bucket => ({
    ...bucket,
    watch: (filter, { onEntry, onReady }) =>
      bucket.watch(filter, {
        onEntry: found => void promise.then(() => onEntry(found)),
        onReady: () => void promise.then(() => onReady?.()),
      }),
  })
  return { bus: { ...bus, bucket: name => (name === 'checks' ? late(bus.bucket(name)) : bus.bucket(name)) }, release: resolve }
}

t.test('results are reported in the form of the bucket from which their entry came, also after it has moved', async t => {
  const { clock, house, seen, start, put } = await openWorld()
  await put('paged')
  await house.bucket('checks').put(keys.check(location, 'alone'), entry())
  const prober = await start('p1')
  await clock.advance(60_000)
  const formsOf = (id: string) => [
    ...new Set(
      seen
        .splice(0)
        .filter(({ subjectId }) => subjectId === id)
        .map(({ isFlat }) => isFlat),
    ),
  ]
  t.strictSame([...new Set(seen.map(({ subjectId, isFlat }) => `${subjectId} ${isFlat}`))].sort(), ['alone false', 'paged true'])
  seen.splice(0)
  await put('alone')
  await house.bucket('checks').purge('>')
  await clock.advance(120_000)
  t.strictSame(formsOf('alone'), [true])
  t.equal(pageNumberOf('alone') % limits.partitions, partitionOf('alone'))
  await prober.stop()
})

t.test('prober that is alone checks what it knows while the rest arrives, and the rest as if it had known it', async t => {
  const { clock, house, seen, start, put } = await openWorld()
  await put('early')
  await house.bucket('checks').put(keys.check(location, 'late'), entry())
  await clock.advance(120_000)
  let release: () => void = () => undefined
  let isReady = false
  const starting = start('p1', bus => {
    const late = lateWatch(bus)
    release = late.release
    return late.bus
  }).then(prober => {
    isReady = true
    return prober
  })
  await clock.advance(60_000)
  t.strictSame([...new Set(seen.map(({ subjectId }) => subjectId))], ['early'])
  t.notOk(isReady)
  const startedAt = startAt + 120_000
  release()
  await clock.advance(10)
  const prober = await starting
  const late = seen.filter(({ subjectId }) => subjectId === 'late')
  t.equal(late.length, 1, 'it had a slot since the start, which is made up for at once')
  t.ok((late[0]?.slotAt ?? 0) >= startedAt)
  await clock.advance(60_000)
  t.equal(new Set(seen.map(({ subjectId, slotAt }) => `${subjectId} ${slotAt}`)).size, seen.length, 'no slot twice')
  await prober.stop()
})

t.test('prober that joins others takes its share only when it knows all entries', async t => {
  const { clock, seen, start, put } = await openWorld()
  const ids = Array.from({ length: 40 }, (_, n) => `s${n}`)
  await put(...ids)
  const first = await start('p1')
  await clock.advance(60_000)
  let release: () => void = () => undefined
  const joining = start('p2', bus => {
    const late = lateWatch(bus)
    release = late.release
    return late.bus
  })
  seen.splice(0)
  await clock.advance(60_000)
  t.equal(new Set(seen.map(({ subjectId }) => subjectId)).size, ids.length)
  t.equal(first.checksPerSecond().toFixed(3), (ids.length / 60).toFixed(3), 'the first one makes them all')
  release()
  await clock.advance(100)
  const second = await joining
  await clock.advance(1_000)
  t.ok(second.checksPerSecond() > 0)
  t.equal((first.checksPerSecond() + second.checksPerSecond()).toFixed(3), (ids.length / 60).toFixed(3))
  await Promise.all([first.stop(), second.stop()])
})
