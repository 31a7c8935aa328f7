// Questions of a start: their number depends neither on the partitions nor on the subjects, and one fault does not stop the others.
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Store, UnreadableDocument } from '#shared/store/port.ts'
import { createTakeOverReads } from '../../../services/keeper/partition/take-over-reads.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { createWorld } from '../world.ts'

/** Wraps a store so that the questions to it are noted, with their collection. */
const noting = (questions: string[], store: Store): Store => ({
  ...store,
  get: (collection, ids) => {
    questions.push(`get ${collection}`)
    return store.get(collection, ids)
  },
  find: (collection, query) => {
    questions.push(`find ${collection}`)
    return store.find(collection, query)
  },
})

/** Returns the questions of a keeper that starts on a store with so many subjects, each with a report that no checkpoint has. */
async function questionsOfStart(subjects: number): Promise<string[]> {
  const questions: string[] = []
  let isNoting = false
  const world = createWorld(store => (isNoting ? noting(questions, store) : store))
  const first = await world.startOne({ exclusive: true })
  const ids: string[] = []
  for (let i = 0; i < subjects; i++) ids.push(await world.create())
  await first.service.stop()
  const slotAt = world.clock.now()
  for (const id of ids) await world.report(id, true, { slotAt }, 'aaaa', 0)
  isNoting = true
  const next = await world.startOne({ exclusive: true })
  t.strictSame(next.service.unready(), [])
  isNoting = false
  await next.service.stop()
  const slots = new Set(await Promise.all(ids.map(id => world.keptSlot(id))))
  t.strictSame([...slots], [slotAt], 'each report was judged')
  return questions.sort()
}

t.test('a start asks no more questions for many subjects in all partitions than for a few', async t => {
  const few = await questionsOfStart(3)
  const many = await questionsOfStart(400)
  const taking = (questions: string[]) => questions.filter(one => one !== 'get subjects')
  const once = ['find subjects', 'find subjects', 'get checkpoints']
  t.strictSame([taking(few), taking(many)], [once, once], 'outboxes, subjects and checkpoints of all partitions')
  // Rounds read the subjects of their reports, as many as fit a round.
  t.ok(many.length <= 20, `${many.length} questions, and ${few.length} for a few subjects`)
})

t.test('reads of partitions that are taken together', async t => {
  const row = (id: string, partition: number, over: object = {}) => ({
    ...{ id, rev: 1, partition, kind: 'website', checkRev: 1, checkLocations: ['aaaa'], dueAt: 5, deletedAt: null, hasOutbox: 0 },
    ...over,
  })
  const world = async () => {
    const questions: string[] = []
    const store = createMemoryStore()
    await store.insert('subjects', [row('a', 1), row('b', 2, { hasOutbox: 1 }), row('c', 4), row('d', 3)] as never)
    let askedAt = 0
    const state = async () => ({ createdAt: 's', firstSequence: 1, lastSequence: ++askedAt, lastAt: 0, askedAt: null })
    const clock = { now: () => 7 }
    const reads = createTakeOverReads({ store: noting(questions, store), bus: { observations: { state } }, clock } as never)
    return { questions, store, reads }
  }

  t.test('subjects come in one question for each run of partitions, and only to their partition', async t => {
    const { reads, questions } = await world()
    const found = await Promise.all([1, 2, 4].map(partition => reads.rows(partition)))
    t.strictSame(
      found.map(rows => rows.map(({ id }) => id)),
      [['a'], ['b'], ['c']],
    )
    t.strictSame(questions, ['find subjects', 'find subjects'])
  })

  t.test('only a partition with an outbox looks for it', async t => {
    const { reads, questions } = await world()
    t.strictSame(await Promise.all([1, 2, 3, 4].map(reads.hasOutboxes)), [false, true, false, false])
    t.strictSame(questions, ['find subjects'])
  })

  t.test('parts are read by pages, in the order of the request', async t => {
    const { reads, questions, store } = await world()
    const ids = Array.from({ length: limits.keeper.takeOverParts + 1 }, (_, i) => `p${i}`)
    await store.insert('checkpointParts', ids.slice(1).map(id => ({ id, rev: 1, freshness: [] })) as never)
    const found = await Promise.all([reads.parts(ids.slice(0, 3)), reads.parts(ids.slice(3))])
    t.strictSame(
      found.flat().map(part => part?.id ?? null),
      [null, ...ids.slice(1)],
    )
    t.strictSame(questions, ['get checkpointParts', 'get checkpointParts'])
  })

  t.test('a checkpoint that cannot be read stops only its partition', async t => {
    const { store } = await world()
    const [broken, whole] = [keys.lease(1), keys.lease(2)]
    await store.insert('checkpoints', [{ id: whole, rev: 1 }] as never)
    const get: Store['get'] = async (collection, ids) => {
      if (ids.includes(broken)) throw new UnreadableDocument(collection, broken, null)
      return await store.get(collection, ids)
    }
    const reads = createTakeOverReads({ store: { ...store, get } } as never)
    const found = await Promise.allSettled([reads.head(broken), reads.head(whole)])
    t.strictSame(
      found.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    )
  })

  t.test('a request during a reading is answered by a later reading', async t => {
    const { reads } = await world()
    const first = reads.stream()
    await Promise.resolve()
    await Promise.resolve()
    const answers = await Promise.all([first, reads.stream(), reads.stream()])
    t.strictSame(
      answers.map(({ state, askedAt }) => [state.lastSequence, askedAt]),
      [
        [1, 7],
        [2, 7],
        [2, 7],
      ],
    )
  })
})
