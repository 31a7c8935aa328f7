// Copy of a store through its port: passes that die at any write, while the source changes, and one last pass. The target is then equal.
import t from 'tap'
import type { CollectionName } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { copyStore } from '../../../infra/move/copy-store.ts'
import { digestOf, shownSum, textOf } from '../../../infra/move/digest.ts'
import { isOfMove, writeMark } from '../../../infra/move/marks.ts'
import { nameOf, placeOf } from '../../../infra/move/place.ts'
import { removeProgress } from '../../../infra/move/progress.ts'
import { refusalByMark } from '../../../infra/runtime/data/move-mark.ts'
import { Random } from '../../simulation/random.ts'
import { auditBlock, history, observation, subject } from '../../store/documents.ts'
import { dyingStore } from '../../support/store/dying-store.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())
const changed: readonly CollectionName[] = ['subjects', 'observations', 'history', 'server_api_audit', 'settings']

async function contentOf(store: Store): Promise<string[]> {
  const all: string[] = []
  for (const collection of changed) {
    const found: { id: string }[] = await store.find(collection, { limit: 10_000 })
    if (found.length === 10_000) throw new Error('too many for one page')
    all.push(...found.filter(({ id }) => !isOfMove(id)).map(document => `${collection} ${textOf(document)}`))
  }
  return all
}

/** Inserts, changes, exchanges and deletes documents at random. */
async function change(store: Store, random: Random): Promise<void> {
  const id = () => `id${random.integer(0, 400)}`
  for (let n = random.integer(0, 300); n > 0; n--) {
    await store.upsert('subjects', [subject(id(), { rev: random.integer(1, 9), name: random.id(3) })])
    await store.insert('observations', [observation(`${id()}.${random.integer(0, 9)}`)])
    await store.upsert('settings', [{ id: id(), rev: 1, value: random.id(4) }])
    await store.delete(random.pick(['subjects', 'observations', 'settings'] as const), [id()])
  }
  const from = random.integer(0, 10_000)
  const dense = Array.from({ length: random.integer(0, 1_500) }, (_, n) => observation(`many${from}.${n}`))
  await store.insert('observations', dense)
  await store.deleteRange('observations', `many${random.integer(0, 9_999)}`, 'many9', random.integer(1, 900))
  await store.upsert('server_api_audit', [auditBlock(random.id(4))])
  // Two records exchange their values in a unique index.
  await store.delete('history', ['one', 'other'])
  const order = random.chance(0.5) ? [1, 2] : [2, 1]
  await store.insert(
    'history',
    ['one', 'other'].map((record, i) => history(record, { incidentId: 'in', sequence: order[i] ?? 0 })),
  )
}

for (let seed = 1; seed <= 20; seed++) {
  t.test(`copy is equal after passes that died while the source changed: seed ${seed}`, async t => {
    const random = new Random(seed, 'copy')
    const [source, target] = [createMemoryStore(), createMemoryStore()]
    const copy = (into: Store) => copyStore({ source, target: into, clock, onProgress: () => undefined })
    // More than fit into one range; each pass deletes some and adds others, so ranges grow and are divided.
    const many = Array.from({ length: random.integer(0, 4_000) }, (_, n) => observation(`many${(n * 7_919) % 10_007}`))
    await source.insert('observations', many)
    for (let pass = random.integer(1, 4); pass > 0; pass--) {
      await change(source, random)
      await copy(dyingStore(target, random.integer(1, 40), random.chance(0.5))).catch(error => t.match(error.message, 'dead'))
    }
    await change(source, random)
    const copied = await copy(target)
    t.same(await contentOf(target), await contentOf(source))
    const subjects: { id: string }[] = await source.find('subjects', { limit: 10_000 })
    const { count, digest } = copied.find(({ collection }) => collection === 'subjects') ?? {}
    t.equal(count, subjects.length)
    t.equal(digest, shownSum(digestOf(subjects.map(textOf))))
    t.same(await copy(target), copied, 'another pass finds the same')
    await removeProgress(target)
    t.same(
      (await target.find('settings', { limit: 10_000 })).filter(({ id }) => isOfMove(id)),
      [],
    )
  })
}

t.test('copy of an unchanged source writes nothing', async t => {
  const [source, target] = [createMemoryStore(), createMemoryStore()]
  await change(source, new Random(1, 'unchanged'))
  await source.insert(
    'observations',
    Array.from({ length: 3_000 }, (_, n) => observation(`many${n}`)),
  )
  await writeMark(target, { id: 'm', installationId: 'i', state: 'arriving', other: 'x', at: 0 })
  const copy = (into: Store) => copyStore({ source, target: into, clock, onProgress: () => undefined })
  await copy(target)
  await t.resolves(copy(dyingStore(target, 1, false)))
})

t.test('copy fails when the target changes what it is given', async t => {
  const [source, target] = [createMemoryStore(), createMemoryStore()]
  await source.insert('subjects', [subject('a', { name: 'as it was' })])
  const lossy: Store = {
    ...target,
    insert: (collection, documents) =>
      target.insert(collection, documents.map(document => ({ ...document, name: 'another' })) as never),
  }
  await t.rejects(copyStore({ source, target: lossy, clock, onProgress: () => undefined }), {
    message: 'The document a of subjects reads otherwise at the target than it was written.',
  })
})

t.test('digest does not depend on the order of members and of documents', async t => {
  const [one, other] = [
    { id: 'a', b: { c: 1, d: [true, null] }, e: undefined },
    { b: { d: [true, null], c: 1 }, id: 'a' },
  ]
  t.equal(textOf(one), textOf(other))
  t.same(digestOf(['x', 'y']), digestOf(['y', 'x']))
  t.notSame(digestOf(['x', 'x']), digestOf(['y', 'y']))
})

t.test('place is a folder or a pair of addresses, and its name has no secret', async t => {
  const settings = { MONGODB_URL: 'mongodb://user:p%40ss@a,b/db?tls=true', NATS_URL: 'nats://token@n1:4222,nats://n2:4222' }
  const named = placeOf('--to', [], settings)
  t.equal(nameOf(named), 'mongodb://a,b/db and nats://n1:4222 and nats://n2:4222')
  t.match(placeOf('--to', ['here'], settings), { kind: 'folder', path: /\/here$/ })
  t.match(placeOf('--to', ['mongodb://m', 'nats://n'], settings), { mongodbUrl: 'mongodb://m', natsUrl: 'nats://n' })
  t.throws(() => placeOf('--to', ['mongodb://user:pass@m'], settings), { message: /^--to has an address with a password/ })
  t.throws(() => placeOf('--to', ['here', 'nats://n'], settings), { message: /^--to takes one folder, or/ })
  t.throws(() => placeOf('--to', ['nats://n'], { MONGODB_URL: '', NATS_URL: '' }), { message: /lacks the address of MongoDB/ })
  t.throws(() => placeOf('--to', ['env:NOT_SET_HERE'], settings), { message: '--to: the environment has no NOT_SET_HERE.' })
})

t.test('store refuses a start unless its move is complete and leads to it', async t => {
  const mark = { id: 'm', installationId: 'i', other: 'mongodb://m', at: 0 }
  t.equal(refusalByMark('It', null), null)
  t.equal(refusalByMark('It', { ...mark, state: 'arrived' }), null)
  t.match(
    refusalByMark('It', { ...mark, state: 'arriving' }),
    /^It is the target of a move from mongodb:\/\/m that is not complete: run/,
  )
  t.match(refusalByMark('It', { ...mark, state: 'leaving' }), /^It was moved to mongodb:\/\/m, but the move is not complete: run/)
  t.match(refusalByMark('It', { ...mark, state: 'left' }), /^It was moved to mongodb:\/\/m on 1970-01-01, and is not used/)
})
