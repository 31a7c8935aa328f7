// Checkpoints in parts (ADR 49): the readings that they have, through crashes, late writers and both forms.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import type { Freshness } from '#shared/contracts/observations/freshness.ts'
import { limits } from '#shared/limits/limits.ts'
import { levelOf } from '#shared/store/level.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { SubjectCache } from '../../../services/keeper/loading/subject-cache.ts'
import { createKeeperMetrics } from '../../../services/keeper/metrics.ts'
import { readCheckpoint, writeCheckpoint } from '../../../services/keeper/partition/checkpoint.ts'
import { freshnessOf } from '../../../services/keeper/partition/freshness.ts'
import { markFresh, markStored, openPartition, type Partition } from '../../../services/keeper/partition/partition.ts'
import { createTakeOverReads } from '../../../services/keeper/partition/take-over-reads.ts'
import { Random } from '../../simulation/random.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { storedFreshness } from '../../support/stored-freshness.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'

const number = 7
const head = keys.lease(number)
const { inlineFreshness, checkpointParts, partCharacters } = limits.keeper

let keepers = 0

/** A keeper's memory of one partition, without rounds. */
function createHolder(store: Store, { level = flatForms, isAlone = true, clock = createVirtualClock() } = {}) {
  const rising = levelOf(level)
  const context = {
    store,
    clock,
    isAlone,
    level: rising,
    keeperId: `k${keepers++}`,
    cache: new SubjectCache(100_000),
    metrics: createKeeperMetrics(new Registry()),
    logger: pino({ level: 'silent' }),
    mayCommit: () => true,
    wake: () => undefined,
  } as never as Parameters<typeof writeCheckpoint>[0]
  let partition: Partition = openPartition(number, clock)
  return {
    raise: rising.raise,
    cache: context.cache,
    get fresh() {
      return partition.fresh
    },
    /** A passed check renews the reading of a subject. */
    report(id: string, slotAt: number, error: string | null = null): void {
      const reading = { addedAt: 1, slotAt, at: slotAt, ok: true, error, statusCode: 200, totalMs: 3 }
      const state = { rules: [], custom: null, templated: null, readings: { aaaa: reading } }
      const subject = { id, rev: 1, judgedAt: slotAt, dueAt: slotAt + 9, ...state }
      partition.fresh.checkpointed.delete(id)
      context.cache.set(id, { subject: subject as never, dirty: true, reports: null })
      markFresh(partition.fresh, id)
    },
    stored: (id: string): void => markStored(partition.fresh, id),
    write: async (): Promise<void> => {
      partition.position.sequence++
      await writeCheckpoint(context, partition, clock.now())
    },
    /** The process dies, and a successor takes over. */
    crash: async (): Promise<void> => {
      for (const id of partition.fresh.dirty) context.cache.drop(id)
      partition = openPartition(number, clock)
      await readCheckpoint(context, partition, createTakeOverReads(context), () => true)
      partition.position.sequence = partition.position.checkpoint?.sequence ?? 0
    },
    /** Returns the readings that a checkpoint must have. */
    known: (): Map<string, Freshness> => {
      const ofCache = [...partition.fresh.dirty].map(id => freshnessOf(context.cache.get(id)?.subject as never))
      return new Map([...partition.fresh.checkpointed, ...ofCache.map(one => [one[0], one] as const)])
    },
  }
}

const headOf = async (store: Store) => (await store.get('checkpoints', [head]))[0]
const partsIn = async (store: Store) => (await store.find('checkpointParts', { limit: 1_000 })).map(({ id }) => id)
const ids = (count: number, prefix = 's') => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

t.test('checkpoint in parts', async t => {
  t.test('checkpoint of few subjects has no parts, and one of many has only changes in its later parts', async t => {
    const store = createMemoryStore()
    const holder = createHolder(store)
    for (const id of ids(inlineFreshness)) holder.report(id, 1)
    await holder.write()
    t.match(await headOf(store), { parts: [], freshness: { length: inlineFreshness } })
    for (const id of ids(1_000)) holder.report(id, 2)
    await holder.write()
    t.match(await headOf(store), { parts: { length: 1 }, freshness: { length: 0 } }, 'the first part has all')
    for (const id of ids(inlineFreshness)) holder.report(id, 3)
    await holder.write()
    t.match(await headOf(store), { parts: { length: 1 }, freshness: { length: inlineFreshness } }, 'few changes are in the head')
    holder.report('s999', 4)
    await holder.write()
    t.match(await headOf(store), { parts: { length: 2 }, freshness: { length: 0 } })
    const [, newest] = await store.get('checkpointParts', (await headOf(store))?.parts ?? [])
    t.equal(newest?.freshness.length, inlineFreshness + 1, 'more changes become a part')
    t.ok(isSame(await storedFreshness(store, number), holder.known()))
  })

  t.test('all readings are written anew when the later parts outweigh the first, and earlier parts are removed', async t => {
    const store = createMemoryStore()
    const holder = createHolder(store)
    for (const id of ids(1_000)) holder.report(id, 1)
    const parts: number[] = []
    for (let round = 0; round < 6; round++) {
      await holder.write()
      parts.push((await partsIn(store)).length)
      for (const id of ids(400)) holder.report(id, 2 + round)
    }
    t.strictSame(parts, [1, 2, 3, 1, 2, 3])
    t.strictSame(await partsIn(store), [...((await headOf(store))?.parts ?? [])])
  })

  t.test('number and size of the parts are bounded', async t => {
    const store = createMemoryStore()
    const holder = createHolder(store)
    for (const id of ids(20_000)) holder.report(id, 1)
    let most = 0
    for (let round = 0; round < checkpointParts + 3; round++) {
      await holder.write()
      most = Math.max(most, (await headOf(store))?.parts?.length ?? 0)
      for (const id of ids(inlineFreshness + 1)) holder.report(id, 2 + round)
    }
    t.ok(most > 3 && most <= checkpointParts, `${most} parts`)
    for (const id of ids(20_000)) holder.report(id, 99, 'x'.repeat(300))
    await holder.write()
    for (const part of await store.find('checkpointParts', { limit: 1_000 }))
      t.ok(JSON.stringify(part).length < 1.2 * partCharacters, `${part.freshness.length} records`)
    t.ok(isSame(await storedFreshness(store, number), holder.known()))
  })

  t.test('form of version 2.0.0 is written until the installation is raised, and is read afterwards', async t => {
    const store = createMemoryStore()
    const holder = createHolder(store, { level: flatForms - 1 })
    for (const id of ids(1_000)) holder.report(id, 1)
    await holder.write()
    t.equal((await headOf(store))?.parts, undefined)
    t.equal((await headOf(store))?.freshness.length, 1_000)
    holder.raise(flatForms)
    await holder.crash()
    t.equal(holder.fresh.checkpointed.size, 1_000)
    holder.report('s1', 2)
    await holder.write()
    t.match(await headOf(store), { parts: { length: 1 }, freshness: { length: 0 } })
    t.ok(isSame(await storedFreshness(store, number), holder.known()))
  })

  t.test('readings survive crashes, killed writers and late writers, and no part is left behind', async t => {
    for (let seed = 0; seed < 6; seed++) {
      const random = new Random(seed, 'checkpoint parts')
      const store = createMemoryStore()
      const doom = { head: false }
      const mortal: Store = {
        ...store,
        replace: async (collection, documents) => {
          if (doom.head && collection === 'checkpoints') throw new StoreError('permanent', 'killed')
          return store.replace(collection, documents)
        },
      }
      const holder = createHolder(mortal, { level: random.chance(0.3) ? flatForms - 1 : flatForms })
      for (const id of ids(random.integer(200, 900))) holder.report(id, 1)
      for (let step = 2; step < 60; step++) {
        const changed = random.chance(0.2) ? 800 : random.integer(0, 400)
        for (let i = 0; i < changed; i++) holder.report(`s${random.integer(0, 900)}`, step)
        if (random.chance(0.3)) for (const id of [...holder.fresh.dirty].slice(0, 50)) holder.stored(id)
        if (random.chance(0.05)) holder.raise(flatForms)
        doom.head = random.chance(0.15)
        const isKilled = doom.head
        const before = isKilled ? await storedFreshness(store, number) : holder.known()
        await holder.write().catch(() => undefined)
        const found = await storedFreshness(store, number)
        for (const [id, record] of before) if (!isEqual(found.get(id), record)) t.fail(`seed ${seed}, step ${step}: ${id}`)
        if (isKilled || random.chance(0.2)) await holder.crash()
      }
      doom.head = false
      holder.raise(flatForms)
      for (let step = 60; step < 63; step++) {
        for (const id of ids(950)) holder.report(id, step)
        await holder.write()
      }
      t.strictSame((await partsIn(store)).sort(), [...((await headOf(store))?.parts ?? [])].sort(), `seed ${seed}`)
    }
  })

  t.test('former holder that is late neither removes nor replaces a part that its successor has named', async t => {
    const store = createMemoryStore()
    const late: (() => Promise<unknown>)[] = []
    const slow: Store = {
      ...store,
      deleteRange: async (...given) => {
        late.push(() => store.deleteRange(...given))
        return 0
      },
    }
    const former = createHolder(slow)
    for (const id of ids(1_000)) former.report(id, 1)
    await former.write()
    const successor = createHolder(store)
    await successor.crash()
    for (const id of ids(900)) successor.report(id, 2)
    await successor.write()
    for (const id of ids(1_000)) former.report(id, 3)
    await t.rejects(former.write(), /moved by somebody else/)
    for (const act of late) await act()
    t.ok(isSame(await storedFreshness(store, number), successor.known()))
  })

  t.test('head is read again when its parts are removed between the two reads', async t => {
    const store = createMemoryStore()
    const holder = createHolder(store)
    for (const id of ids(1_000)) holder.report(id, 1)
    await holder.write()
    let isMoved = false
    const moving: Store = {
      ...store,
      get: async (collection, wanted) => {
        if (collection === 'checkpointParts' && !isMoved) {
          isMoved = true
          for (const id of ids(1_000)) holder.report(id, 2)
          await holder.write()
        }
        return store.get(collection, wanted)
      },
    }
    const successor = createHolder(moving)
    await successor.crash()
    t.ok(isSame(successor.known(), holder.known()))
  })

  t.test(
    'stored revisions of all fresh subjects are asked for a minute after a take-over, and within five minutes later',
    async t => {
      const store = createMemoryStore()
      const asked: number[] = []
      const clock = createVirtualClock()
      const noting: Store = {
        ...store,
        find: async (collection, query) => {
          const named = (query.where?.['id'] as { in?: readonly string[] } | undefined)?.in ?? []
          if (collection === 'subjects') asked.push(named.length)
          return named.map(id => ({ id, rev: 1 })) as never
        },
      }
      const holder = createHolder(noting, { isAlone: false, clock })
      for (const id of ids(300)) holder.report(id, 1)
      const later = async () => {
        await clock.advance(limits.keeper.checkpointMs)
        await holder.write()
      }
      for (let i = 0; i < 5; i++) await later()
      t.strictSame(asked.splice(0), [300, 300, 300, 300, 300])
      for (let i = 0; i < 31; i++) await later()
      t.equal(
        asked.reduce((sum, count) => sum + count, 0),
        310,
      )
      const alone = createHolder(noting, { isAlone: true })
      asked.length = 0
      for (const id of ids(300)) alone.report(id, 1)
      await alone.crash()
      await alone.write()
      t.strictSame(asked, [], 'a keeper that is alone asks for none')
    },
  )

  t.test('subject that another keeper has written is dropped with its readings kept, and all are asked again', async t => {
    const store = createMemoryStore()
    const clock = createVirtualClock()
    let strayed = ''
    const other: Store = {
      ...store,
      find: async (_, query) =>
        (query.where as { id: { in: string[] } }).id.in.map(id => ({ id, rev: id === strayed ? 2 : 1 })) as never,
    }
    const holder = createHolder(other, { isAlone: false, clock })
    for (const id of ids(300)) holder.report(id, 5)
    await clock.advance(2 * limits.keeper.strayMs)
    await holder.write()
    strayed = 's17'
    for (let i = 0; i <= limits.keeper.strayShares; i++) {
      await clock.advance(limits.keeper.checkpointMs)
      await holder.write()
    }
    t.equal(holder.cache.get('s17'), undefined)
    t.match(holder.fresh.checkpointed.get('s17')?.[4], [['aaaa', 5]])
    t.equal((await storedFreshness(store, number)).get('s17')?.[4][0]?.[1], 5)
    t.ok(holder.fresh.strayedAt > 0)
  })
})

/** Compares without a list of differences, which would take minutes. */
const isSame = (one: ReadonlyMap<string, Freshness>, other: ReadonlyMap<string, Freshness>): boolean =>
  one.size === other.size && [...one].every(([id, record]) => isEqual(record, other.get(id)))
const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
