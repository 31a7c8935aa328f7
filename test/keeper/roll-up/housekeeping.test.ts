// Removal of old documents: expired documents are removed in slices, the documents of a deleted subject in one removal.
import t from 'tap'
import { day, hour, limits } from '#shared/limits/limits.ts'
import { rollUpId } from '#shared/roll-up/roll-up-ids.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { checkObservationId, pushedObservationId } from '#shared/text/ids.ts'
import type { KeeperContext } from '../../../services/keeper/context.ts'
import { startHousekeeping } from '../../../services/keeper/removal/housekeeping.ts'
import { createRemovals, removeChildren, removeSignal } from '../../../services/keeper/removal/removals.ts'
import { alert, history, incident, maintenanceWindow, observation, policy, pushed, series } from '../../store/documents.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { createWorld } from '../world.ts'
import { start } from './roll-up-world.ts'

const { expireMs, expireSliceMs, deletionSlice } = limits.keeper
const one = 'aaaaaaaaaa'
const other = 'bbbbbbbbbb'

const aside = (id: string, subjectId: string, expireAt = 9e12) => ({
  ...{ id, rev: 1, subjectId, partition: 1, at: 1, reason: 'x', input: '{}', expireAt },
})

async function idsIn(store: Store, collection: CollectionName): Promise<string[]> {
  return (await store.find(collection, { limit: 10_000 })).map(({ id }) => id)
}

/** Housekeeping on a store whose `expire` fails as long as `failing` is set. `warnings` counts the logged warnings. */
function keepHouse() {
  const { clock, client, store } = createWorld()
  const house = { clock, store, isOurs: false, failing: false, warnings: 0, onExpire: () => {} }
  const expire: Store['expire'] = async (...given) => {
    house.onExpire()
    if (house.failing) throw new Error('away')
    return store.expire(...given)
  }
  const logger = { warn: () => house.warnings++ }
  const context = { bus: client, store: { ...store, expire }, clock, logger } as unknown as KeeperContext
  return { house, chores: startHousekeeping(context, () => house.isOurs) }
}

t.test('expired documents of each kind are removed at their instant when the keeper holds partition 0', async t => {
  const { house, chores } = keepHouse()
  const { clock, store } = house
  const due = clock.now() + 2 * expireMs
  await store.upsert('alerts', [alert('old', { expireAt: due }), alert('new', { incidentId: 'x', expireAt: due + 1 })])
  await store.upsert('series', [series('old', { expireAt: due }), series('new', { expireAt: due + 1 })])
  await store.upsert('deadLetters', [aside('old', one, due), aside('new', one, due + 1)])
  const oldest = Math.floor((due - limits.retention.checksMs - limits.retention.heldBackMs) / day) * day
  const checks = [oldest - 1, oldest].map(at => checkObservationId(one, 'aaaa', at))
  await store.insert(
    'observations',
    checks.map(id => observation(id)),
  )
  const left = async () => {
    const collections = ['alerts', 'series', 'deadLetters', 'observations'] as const
    return (await Promise.all(collections.map(collection => idsIn(store, collection)))).flat()
  }
  await clock.advance(expireMs)
  t.equal((await left()).length, 8, 'another keeper holds partition 0')
  house.isOurs = true
  await clock.advance(expireMs)
  t.strictSame(await left(), ['new', 'new', 'new', checks[1]])
  chores.stop()
  await clock.advance(2 * expireMs)
  t.equal((await left()).length, 4, 'nothing is looked for after a stop')
})

t.test(
  'many expired documents are removed in slices with a pause, and a failed removal is retried at the next housekeeping',
  async t => {
    const { house, chores } = keepHouse()
    const { clock, store } = house
    house.isOurs = true
    const old = Array.from({ length: 4 * deletionSlice }, (_, index) => series(`old ${index}`, { expireAt: 1 }))
    await store.upsert('series', old)
    const left = () => store.count('series', {})
    await clock.advance(expireMs)
    t.equal(await left(), 3 * deletionSlice)
    house.failing = true
    await clock.advance(expireSliceMs)
    house.failing = false
    await clock.advance(expireMs - 1)
    t.equal(await left(), 3 * deletionSlice, 'no haste after a failure')
    t.equal(house.warnings, 1)
    await clock.advance(1)
    t.equal(await left(), 2 * deletionSlice)
    house.onExpire = () => chores.stop()
    await clock.advance(expireSliceMs)
    t.equal(await left(), deletionSlice)
    await clock.advance(2 * expireMs)
    t.equal(await left(), deletionSlice, 'a slice that is stopped in its midst is the last')
  },
)

/** Documents of two subjects with two signals each, in every collection that belongs to a subject. */
async function storeChildren(now: number): Promise<Store> {
  const store = createMemoryStore()
  for (const [index, subjectId] of [one, other].entries()) {
    const name = `${subjectId}.1`
    await store.upsert('history', [history(name, { subjectId, incidentId: name })])
    await store.upsert('incidents', [incident(name, { subjectId })])
    await store.upsert('alerts', [alert(name, { subjectId, incidentId: name, number: index })])
    await store.upsert('deadLetters', [aside(name, subjectId)])
    await store.upsert('policies', [policy(name, { subjectId })])
    await store.upsert('windows', [maintenanceWindow(name, { subjectId })])
    for (const key of ['s1', 's12']) {
      await store.upsert('series', [series(`${subjectId}.${key}.-`, { subjectId, signalKey: key })])
      await store.upsert('pushedObservations', [pushed(pushedObservationId(subjectId, key, {}, now * 1_000))])
      const rows = (['hour', 'day'] as const).map(level => rollUpId(subjectId, { kind: 'signal', id: key }, level, now))
      await store.upsert(
        'rollUps',
        rows.map(id => ({ id, data: '' })),
      )
    }
    // Days from the oldest day that can still be stored to tomorrow.
    const days = Array.from({ length: 8 }, (_, back) => now + (1 - back) * day)
    await store.insert(
      'observations',
      days.map(at => observation(checkObservationId(subjectId, 'aaaa', at))),
    )
  }
  return store
}

const children = [
  'history',
  'incidents',
  'alerts',
  'deadLetters',
  'series',
  'policies',
  'windows',
  'pushedObservations',
  'rollUps',
  'observations',
] as const

async function countOf(store: Store, subjectId: string): Promise<number[]> {
  const isOf = (id: string) => id.includes(subjectId)
  return await Promise.all(children.map(async collection => (await idsIn(store, collection)).filter(isOf).length))
}

t.test('removal of a subject removes all its documents and keeps all documents of its neighbours', async t => {
  const now = start + hour
  const store = await storeChildren(now)
  t.strictSame(await countOf(store, one), [1, 1, 1, 1, 2, 1, 1, 2, 4, 8])
  await removeChildren({ store, clock: createHandClock(now) } as unknown as KeeperContext, one, () => true)
  t.strictSame(await countOf(store, one), Array(children.length).fill(0))
  t.strictSame(await countOf(store, other), [1, 1, 1, 1, 2, 1, 1, 2, 4, 8])
})

t.test('removal of a signal removes all its documents and keeps all documents of a signal with a longer key', async t => {
  const now = start + hour
  const store = await storeChildren(now)
  await removeSignal({ store, clock: createHandClock(now) } as unknown as KeeperContext, one, 's1', () => true)
  t.strictSame(await countOf(store, one), [1, 1, 1, 1, 1, 1, 1, 1, 2, 8])
  for (const collection of ['series', 'pushedObservations', 'rollUps'] as const)
    t.notOk(
      (await idsIn(store, collection)).some(id => id.startsWith(one) && id.includes('s1.')),
      collection,
    )
})

t.test('removal is not reported as done when its partition is lost, and starts again on request', async t => {
  const store = await storeChildren(start)
  let isOurs = false
  const told = Promise.withResolvers<void>()
  const done: string[] = []
  const clock = { ...createHandClock(start), after: () => () => undefined }
  const context = { store, clock, mayCommit: () => isOurs, logger: { debug: () => told.resolve() } }
  const finished = Promise.withResolvers<void>()
  const onRemoved = (subjectId: string) => {
    done.push(subjectId)
    finished.resolve()
  }
  const removals = createRemovals(context as never, onRemoved, () => false)
  removals.start(one, null)
  await told.promise
  await new Promise<void>(resolve => void setImmediate(resolve))
  t.same(done, [])
  isOurs = true
  removals.start(one, null)
  await finished.promise
  t.same(done, [one])
  t.strictSame(await countOf(store, one), Array(children.length).fill(0))
})
