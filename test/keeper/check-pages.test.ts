// Check entries in pages (ADR 45): their writer, the change from entries of their own keys, and reports that name their subjects inside.
import t from 'tap'
import type { Bucket, BucketName, Bus } from '#shared/bus/port.ts'
import { keys, parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { type CheckPage, readCheckPage } from '#shared/contracts/observations/check-page.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { levelOf } from '#shared/store/level.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { pageNumberOf, partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { changedPage, type PageChange } from '../../services/keeper/round/page-changes.ts'
import { allEntries, entryAt, putPaged } from '../support/check-entries.ts'
import { checkEntry } from '../support/checks.ts'
import { createWorld, minute, websiteMeta } from './world.ts'

type World = ReturnType<typeof createWorld>

/** Returns ids of subjects of one page. */
function idsOfPage(count: number, page = pageNumberOf('first')): string[] {
  const ids: string[] = []
  for (let n = 0; ids.length < count; n++) if (pageNumberOf(`s${n}`) === page) ids.push(`s${n}`)
  return ids
}

const aloneIn = async (world: World) => (await world.client.bucket('checks').list('>')).map(({ key }) => key)
const pageOf = async (world: World, id: string, location = 'aaaa') =>
  readCheckPage((await world.client.bucket('check-pages').get(keys.checkPageOf(location, id)))?.value)
const update = (world: World, id: string, url: string) =>
  world.command(id, { kind: 'update-website', name: 'N', check: { ...websiteMeta, url } } as never)

/** A bus that counts the calls of each method of its buckets, as `method bucket`. */
function counting(bus: Bus, counts: Map<string, number>): Bus {
  const bucket = (name: BucketName): Bucket =>
    new Proxy(bus.bucket(name), {
      get: (target, method: keyof Bucket) => {
        const act = target[method] as (...given: unknown[]) => unknown
        return (...given: unknown[]) => {
          counts.set(`${method} ${name}`, (counts.get(`${method} ${name}`) ?? 0) + 1)
          return act(...given)
        }
      },
    })
  return { ...bus, bucket }
}

t.test('number of a page has the partition as its remainder, so that the keeper of a partition owns its pages', async t => {
  for (let n = 0; n < 1_000; n++) t.equal(pageNumberOf(`s${n}`) % limits.partitions, partitionOf(`s${n}`))
})

t.test('below level 4, each entry has a key of its own, and there are no pages', async t => {
  const world = createWorld(undefined, undefined, levelOf(flatForms - 1))
  await world.startOne({ exclusive: true })
  const id = await world.create()
  t.strictSame(await aloneIn(world), [keys.check('aaaa', id)])
  t.strictSame(await world.client.bucket('check-pages').list('>'), [])
})

t.test(
  'at level 4, entries of subjects with the same page number share a page of the location, and an entry that is removed leaves it',
  async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const [one, other] = idsOfPage(2) as [string, string]
    await world.create({ locations: ['aaaa', 'bbbb'] }, one)
    await world.create({}, other)
    t.strictSame(await aloneIn(world), [])
    t.strictSame((await pageOf(world, one))?.entries.map(([id]) => id).sort(), [one, other].sort())
    t.strictSame(
      (await pageOf(world, one, 'bbbb'))?.entries.map(([id, at, entry]) => [id, at > 0, entry]),
      [[one, true, await entryAt(world.client, 'bbbb', one)]],
    )
    await update(world, one, 'https://b.example/')
    t.match(await entryAt(world.client, 'aaaa', one), { rev: 2, url: 'https://b.example/' })
    t.match(await entryAt(world.client, 'aaaa', other), { rev: 1 })
    await world.command(one, { kind: 'delete-subject' })
    t.strictSame([...(await allEntries(world.client)).keys()], [keys.check('aaaa', other)])
    t.strictSame(
      (await world.client.bucket('check-pages').list('>')).map(({ key }) => key),
      [keys.checkPageOf('aaaa', other)],
      'a page without entries is gone',
    )
  },
)

t.test('changes of a page that come together are one write', async t => {
  const world = createWorld()
  const counts = new Map<string, number>()
  await world.startOne({ exclusive: true }, bus => counting(bus, counts))
  await Promise.all(idsOfPage(50).map(id => world.create({}, id)))
  t.equal((await allEntries(world.client)).size, 50)
  const written = counts.get('update check-pages') ?? 0
  t.ok(written < 10, `${written} writes for 50 entries`)
})

t.test('take-over of all partitions reads each bucket with checks once', async t => {
  const world = createWorld()
  const counts = new Map<string, number>()
  await world.startOne({ exclusive: true }, bus => counting(bus, counts))
  await world.create()
  t.equal(counts.get('watch checks'), 1)
  t.equal(counts.get('watch check-pages'), 1)
})

t.test('raise of the level moves all entries into pages, and no prober sees one removed meanwhile', async t => {
  const level = levelOf(flatForms - 1)
  const world = createWorld(undefined, undefined, level)
  await world.startOne({ exclusive: true })
  const ids = [...idsOfPage(3), randomId(10), randomId(10)]
  for (const id of ids) await world.create({}, id)
  const seen: string[] = []
  await world.client.bucket('checks').watch('>', { onEntry: ({ key, value }) => value === null && seen.push(key) })
  await world.clock.advance(second)
  const before = await allEntries(world.client)
  level.raise(flatForms)
  await world.clock.advance(second)
  t.strictSame((await aloneIn(world)).length, ids.length, 'the old ones stay for a minute')
  for (const id of ids) t.strictSame((await pageOf(world, id))?.entries.find(([of]) => of === id)?.[1], 0, 'it is no news')
  const [deleted = '', changed = ''] = ids
  await world.command(deleted, { kind: 'delete-subject' })
  await update(world, changed, 'https://b.example/')
  await world.clock.advance(second)
  t.strictSame(seen, [keys.check('aaaa', deleted)], 'a removal in this minute reaches probers that still know the old entry')
  await world.clock.advance(limits.keeper.oldChecksMs)
  t.strictSame(await aloneIn(world), [])
  t.equal(seen.length, 1)
  const after = await allEntries(world.client)
  before.delete(keys.check('aaaa', deleted))
  t.strictSame([...after.keys()].sort(), [...before.keys()].sort())
  t.match(after.get(keys.check('aaaa', changed)), { url: 'https://b.example/' })
})

t.test(
  'keeper that takes over at level 4 moves the entries that an earlier version left, and removes those without a monitor',
  async t => {
    const world = createWorld(undefined, undefined, levelOf(flatForms - 1))
    const earlier = await world.startOne()
    const id = await world.create()
    await Promise.all([earlier.service.stop(), world.clock.advance(100)])
    await world.client.bucket('checks').put(keys.check('aaaa', 'stray'), checkEntry())
    const next = createWorldOn(world)
    await next.startOne()
    await world.clock.advance(second)
    t.strictSame(await aloneIn(world), [keys.check('aaaa', id)])
    t.match((await pageOf(world, id))?.entries, [[id, 0, { rev: 1 }]])
    await world.clock.advance(limits.keeper.oldChecksMs)
    t.strictSame(await aloneIn(world), [])
    t.strictSame([...(await allEntries(world.client)).keys()], [keys.check('aaaa', id)])
  },
)

/** A world with the same bus, store and clock whose level is the present one. */
const createWorldOn = (world: World) => ({ startOne: () => world.startOne({}, undefined, undefined, levelOf(flatForms)) })

t.test('entry whose write ends long after the raise is moved too', async t => {
  const level = levelOf(flatForms - 1)
  const world = createWorld(undefined, undefined, level)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const late = (bucket: Bucket): Bucket => ({
    ...bucket,
    update: async (...given) => {
      await released
      return bucket.update(...given)
    },
  })
  const lateBus = (bus: Bus): Bus => ({
    ...bus,
    bucket: name => (name === 'checks' ? late(bus.bucket(name)) : bus.bucket(name)),
  })
  await world.startOne({ exclusive: true }, lateBus)
  const id = await world.create()
  level.raise(flatForms)
  await world.clock.advance(2 * limits.keeper.oldChecksMs)
  release()
  await world.clock.advance(second)
  t.strictSame(await aloneIn(world), [keys.check('aaaa', id)])
  t.match(await pageOf(world, id), { entries: [[id]] })
  await world.clock.advance(limits.keeper.oldChecksMs)
  t.strictSame(await aloneIn(world), [])
})

t.test('entry that is alone for the want of room stays when the old ones are removed', async t => {
  const level = levelOf(flatForms - 1)
  const world = createWorld(undefined, undefined, level)
  await world.startOne({ exclusive: true })
  const [small, large] = idsOfPage(2) as [string, string]
  for (const id of [small, large]) await world.create({}, id)
  level.raise(flatForms)
  await putPaged(world.client, 'aaaa', small, checkEntry({ data: 'x'.repeat(limits.checkPages.pageBytes) }))
  await world.clock.advance(second)
  t.strictSame((await pageOf(world, large))?.apart, [large])
  t.equal((await aloneIn(world)).length, 2)
  await world.clock.advance(limits.keeper.oldChecksMs)
  t.strictSame(await aloneIn(world), [keys.check('aaaa', large)])
})

for (const [what, damage] of [
  ['damaged', { entries: 'none' }],
  ['of a later schema', { schema: 9, entries: [] }],
  ['no object', 7],
] as const) {
  t.test(`page that is ${what} is made anew from the store at the next change, with all its entries`, async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const ids = idsOfPage(4)
    for (const id of ids) await world.create({}, id)
    const [changed = '', deleted = ''] = ids
    await world.client.bucket('check-pages').put(keys.checkPageOf('aaaa', changed), damage)
    await update(world, changed, 'https://b.example/')
    await world.command(deleted, { kind: 'delete-subject' })
    const left = await allEntries(world.client)
    t.strictSame(
      [...left.keys()].sort(),
      ids
        .filter(id => id !== deleted)
        .map(id => keys.check('aaaa', id))
        .sort(),
    )
    t.match(left.get(keys.check('aaaa', changed)), { rev: 2 })
    t.ok(world.logged.includes('page of check entries cannot be read and is made anew'))
  })
}

t.test('keeper that was late does not bring a removed entry back', async t => {
  const world = createWorld()
  const late = await world.startOne({ keeperId: 'late' })
  const [id, other] = idsOfPage(2) as [string, string]
  await world.create({}, id)
  await world.create({}, other)
  world.hub.cut(late.bus)
  await world.clock.advance(20 * second)
  await world.startOne({ keeperId: 'next' })
  await world.clock.advance(20 * second)
  await world.command(id, { kind: 'delete-subject' })
  world.hub.restore(late.bus)
  await world.clock.advance(minute)
  t.strictSame([...(await allEntries(world.client)).keys()], [keys.check('aaaa', other)])
})

t.test('page without room leaves entries alone, and takes them when there is room again', async t => {
  const entry = checkEntry({ data: 'x'.repeat(300) })
  const put = (subjectId: string, rev: number, given: PageChange['entry'] = { ...entry, rev }): PageChange => ({
    ...{ subjectId, rev, at: 1 },
    entry: given,
  })
  const none = new Map<string, number>()
  const bytesMax = 2 * JSON.stringify(entry).length + 200
  const first = changedPage(null, [put('a', 1), put('b', 1), put('c', 1)], none, bytesMax)
  t.strictSame(
    first.page?.entries.map(([id]) => id),
    ['a', 'b'],
  )
  t.strictSame(first.page?.apart, ['c'])
  t.strictSame(
    first.apart.map(({ subjectId }) => subjectId),
    ['c'],
  )
  t.ok(JSON.stringify(first.page).length <= bytesMax)
  const again = changedPage(first.page, [put('c', 2)], new Map([['c', 1]]), bytesMax)
  t.strictSame(
    again.apart.map(({ rev }) => rev),
    [2],
    'it is written alone again',
  )
  t.ok(again.isSame)
  const older = changedPage(first.page, [put('c', 1)], new Map([['c', 2]]), bytesMax)
  t.strictSame([older.apart, older.isSame], [[], true], 'an older change is none')
  const room = changedPage(first.page, [put('a', 2, null), put('c', 3)], new Map([['c', 2]]), bytesMax)
  t.strictSame(
    room.page?.entries.map(([id]) => id),
    ['b', 'c'],
  )
  t.strictSame([room.page?.apart, room.joined], [undefined, ['c']])
  const gone = changedPage(first.page, [put('c', 3, null)], new Map([['c', 2]]), bytesMax)
  t.strictSame([gone.page?.apart, gone.joined], [undefined, ['c']])
  t.equal(changedPage(room.page, [put('b', 9, null), put('c', 9, null)], none, bytesMax).page, null)
})

t.test('change of a page keeps the instant of an entry that stays as it is, and ignores what is older', async t => {
  const entry = checkEntry({ rev: 3 })
  const page: CheckPage = { entries: [['a', 7, entry]] }
  const change = (rev: number, given: PageChange['entry'] = { ...entry, rev }) =>
    changedPage(page, [{ subjectId: 'a', rev, entry: given, at: 9 }], new Map(), 9_999)
  for (const [title, changed] of [
    ['the same', change(3)],
    ['an older one', change(2)],
    ['an older removal', change(2, null)],
  ] as const)
    t.strictSame([changed.isSame, changed.page], [true, page], title)
  t.strictSame(change(4).page?.entries, [['a', 9, { ...entry, rev: 4 }]])
  t.equal(change(3, null).page, null, 'a removal of the same revision counts')
  t.strictSame(change(3, { ...entry, schema: 2 }).isSame, false, 'another schema is written anew')
})

t.test('entry for which its page has no room is checked and moved like the others', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const [small, large] = idsOfPage(2) as [string, string]
  await world.create({}, small)
  const full = checkEntry({ data: 'x'.repeat(limits.checkPages.pageBytes) })
  await putPaged(world.client, 'aaaa', small, full)
  await world.create({}, large)
  t.strictSame(await aloneIn(world), [keys.check('aaaa', large)])
  t.strictSame((await pageOf(world, large))?.apart, [large])
  await world.clock.advance(limits.keeper.oldChecksMs + second)
  t.strictSame(await aloneIn(world), [keys.check('aaaa', large)], 'it is not taken for an old one')
  await update(world, small, 'https://b.example/')
  await update(world, large, 'https://c.example/')
  t.strictSame(await aloneIn(world), [], 'there is room again')
  t.match(await entryAt(world.client, 'aaaa', large), { url: 'https://c.example/' })
})

t.test('report names its subject in the bus subject or in the body, and both are judged', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true, confirmAfterMs: 0 })
  const id = await world.create()
  await world.report(id, false)
  t.equal((await world.incidents(id)).length, 1)
  const before = (await world.subject(id))?.readings['aaaa']?.slotAt
  await world.clock.advance(minute)
  const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
  const result: CheckResult = { rev: 1, slotAt: world.clock.now(), ageMs: 0, ok: true, error: null, statusCode: 200, phases }
  const flat = subjects.flatObservation('aaaa', id)
  for (const [body, message] of [
    [{ ...result }, 'no subject'],
    [{ ...result, subject: `${id}x` }, 'a subject of another partition'],
    [{ ...result, subject: 'a.b' }, 'no id'],
  ] as const) {
    await world.client.observations.publish(flat, body)
    await world.clock.advance(limits.keeper.gatherMs + 1)
    t.equal((await world.subject(id))?.readings['aaaa']?.slotAt, before, message)
  }
  await world.client.observations.publish(flat, { ...result, subject: id })
  await world.clock.advance(limits.keeper.gatherMs + 1)
  t.equal((await world.subject(id))?.readings['aaaa']?.slotAt, result.slotAt)
  t.equal(parseObservation(subjects.observation('aaaa', id), { subject: 'other' }), null, 'two names are none')
  t.match(parseObservation(subjects.observation('aaaa', id), { subject: id }), { subjectId: id, locationId: 'aaaa' })
})
