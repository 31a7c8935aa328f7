// Rounds of a keeper: partitions that share a round, work that runs in parallel, and the effect of a lease that became too old during a
// round.
import { Registry } from 'prom-client'
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { limits } from '#shared/limits/limits.ts'
import { withForms } from '#shared/store/forms.ts'
import type { Put, Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { SubjectCache } from '../../services/keeper/loading/subject-cache.ts'
import { createKeeperMetrics } from '../../services/keeper/metrics.ts'
import { openPartition } from '../../services/keeper/partition/partition.ts'
import { commitDrafts } from '../../services/keeper/round/commit.ts'
import { type Draft, noDrafts } from '../../services/keeper/round/draft.ts'
import { SignalNumbers } from '../../services/keeper/step/judging/signal-numbers.ts'
import { series as seriesDocument, subject as subjectDocument } from '../store/documents.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { createWorld } from './world.ts'

const writes = (puts: readonly Put[], id: string) => puts.some(({ documents }) => documents.some(document => document.id === id))

/** Returns ids of two partitions. */
function twoIds(): [string, string] {
  const one = randomId(10)
  let other = randomId(10)
  while (partitionOf(other) === partitionOf(one)) other = randomId(10)
  return [one, other]
}

/** Two subjects of two partitions, in a store that delays writes of the first subject until the test releases these writes. */
async function createTwo() {
  const gate = { isShut: false, ...Promise.withResolvers<void>() }
  const [one, other] = twoIds()
  const puts: string[] = []
  const gated = (store: Store): Store => ({
    ...store,
    putInOrder: async given => {
      if (writes(given, one)) puts.push('one')
      if (writes(given, other)) puts.push('other')
      if (gate.isShut && writes(given, one)) await gate.promise
      return await store.putInOrder(given)
    },
  })
  const world = createWorld(gated)
  const keeper = await world.startOne({ exclusive: true })
  await world.create({}, one)
  await world.create({}, other)
  puts.length = 0
  const answered: string[] = []
  const start = async (id: string, name: string) => {
    const command = { kind: 'start-maintenance', id: randomId(8), endsAt: world.clock.now() + 60_000, by: name }
    const asking = world.client.request(subjects.command(id), command, { timeoutMs: 5_000 }) as Promise<Reply>
    void asking.then(reply => answered.push(`${name}: ${reply.ok ? 'started' : reply.error.message}`))
    await world.clock.settle()
  }
  return { ...world, keeper, one, other, gate, puts, answered, start }
}

t.test('round that waits for the store delays only its own partitions', async t => {
  const { one, other, gate, puts, answered, start, clock } = await createTwo()
  gate.isShut = true
  await start(one, 'first')
  await start(one, 'second')
  await start(other, 'beside')
  t.strictSame(answered, ['beside: started'])
  t.strictSame(puts, ['one', 'other'], 'the second command of one subject is in no round yet')
  gate.resolve()
  await clock.advance(1)
  t.strictSame(answered, ['beside: started', 'first: started', 'second: Already in maintenance'])
})

t.test('subject of a later schema holds up the round that reads it: the log says so, and its reports wait', async t => {
  const world = createWorld(store => withForms({ ...store }))
  const { store, clock, logged } = world
  const former = await world.startOne({ exclusive: true })
  const [later, other] = twoIds()
  let beside = randomId(10)
  while (partitionOf(beside) !== partitionOf(later)) beside = randomId(10)
  for (const id of [later, other, beside]) await world.create({}, id)
  await former.service.stop()
  const stored = (await world.subject(later))!
  const written = { ...stored, rev: stored.rev + 1, schema: 2 }
  await store.replace('subjects', [written])
  await world.startOne({ exclusive: true })
  for (const id of [later, other, beside]) await world.report(id, false)
  const open = async () => Promise.all([later, other, beside].map(async id => (await world.incidents(id)).length))
  t.strictSame(await open(), [0, 1, 0])
  t.ok(logged.includes('work waits for a document that cannot be read'))

  await store.replace('subjects', [{ ...stored, rev: written.rev + 1 }])
  await clock.advance(limits.keeper.retryMsMax)
  t.strictSame(await open(), [1, 1, 1])
})

t.test('keeper finishes the round of each partition before it stops', async t => {
  const { keeper, one, gate, answered, start, store, clock } = await createTwo()
  gate.isShut = true
  await start(one, 'first')
  const stopping = keeper.service.stop()
  await clock.advance(100)
  gate.resolve()
  await clock.advance(2_000)
  await stopping
  t.strictSame(answered, ['first: started'])
  t.ok((await store.get('subjects', [one]))[0]?.maintenance, 'and what was answered is stored')
})

t.test('write without a guarding revision is refused when the lease became too old meanwhile', async t => {
  for (const [change, title] of [
    ['freshness', 'a report that says nothing new is left to the next holder'],
    ['commit', 'a subject that was written is done'],
  ] as const) {
    let isYoung = true
    const store = createMemoryStore()
    const partition = openPartition(0, { now: () => 0 })
    const subject = subjectDocument('sub1', { rev: 0, kind: 'custom', outbox: [] })
    const context = {
      store: { ...store, putInOrder: (puts: readonly Put[]) => store.putInOrder(puts).finally(() => (isYoung = false)) },
      mayCommit: () => isYoung,
      metrics: createKeeperMetrics(new Registry()),
      cache: new SubjectCache(10),
      clock: createHandClock(1),
    }
    const drafts = noDrafts({
      series: () => null,
      seriesOf: () => [],
      pushed: () => null,
      place: () => null,
      newest: () => [],
      numbers: () => new SignalNumbers(),
      note: () => undefined,
      knowsPlaces: true,
      lacksPlaces: () => false,
    })
    const draft: Draft = { id: 'sub1', partition, subject, change, waiting: [], replies: [] }
    drafts.subjects.set('sub1', draft)
    const newest = seriesDocument('sub1.s1.-', { subjectId: 'sub1', rev: 0 })
    drafts.series.set(newest.id, newest)
    const committed = await commitDrafts(context as never, drafts, 'writer')
    t.strictSame(committed.done, change === 'commit' ? [draft] : [], title)
    t.strictSame(committed.lapsed, change === 'commit' ? [] : [partition])
    t.equal(await store.count('series', {}), 1)
  }
})

t.test('draft that was skipped because of an old lease stays skipped when the lease is renewed meanwhile', async t => {
  let isRenewed = false
  const store = createMemoryStore()
  const context = {
    store: { ...store, putInOrder: (puts: readonly Put[]) => store.putInOrder(puts).finally(() => (isRenewed = true)) },
    mayCommit: (partition: number) => partition === 0 || isRenewed,
    metrics: createKeeperMetrics(new Registry()),
    cache: new SubjectCache(10),
    clock: createHandClock(1),
  }
  const drafts = noDrafts({
    series: () => null,
    seriesOf: () => [],
    pushed: () => null,
    place: () => null,
    newest: () => [],
    numbers: () => new SignalNumbers(),
    note: () => undefined,
    knowsPlaces: true,
    lacksPlaces: () => false,
  })
  const [young, old] = [0, 1].map((number): Draft => {
    const id = `sub${number}`
    const subject = subjectDocument(id, { rev: 0, kind: 'custom', outbox: [] })
    const partition = openPartition(number, { now: () => 0 })
    return { id, partition, subject, change: 'commit', waiting: [], replies: [] }
  }) as [Draft, Draft]
  for (const draft of [young, old]) drafts.subjects.set(draft.id, draft)
  const committed = await commitDrafts(context as never, drafts, 'writer')
  t.strictSame(
    (await store.get('subjects', [young.id, old.id])).map(stored => stored?.id ?? null),
    [young.id, null],
  )
  t.strictSame(committed.done, [young])
  t.strictSame(committed.lapsed, [old.partition], 'its partition is opened anew, and its inputs are read again')
})

t.test('subjects of a running round stay in memory when the cache is full', async t => {
  const cache = new SubjectCache(2)
  for (const id of ['a', 'b', 'c', 'd', 'e']) cache.set(id, { subject: null, dirty: id === 'c', reports: null })
  t.strictSame(
    cache.evict(id => id === 'a'),
    ['c'],
  )
  t.strictSame(
    ['a', 'b', 'c', 'd', 'e'].filter(id => cache.get(id) !== undefined),
    ['a', 'c', 'd', 'e'],
  )
})
