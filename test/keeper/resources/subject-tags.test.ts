// Tags of subjects, as their keeper stores the tags after each commit. Reference: docs/reference/v3.md, 9.2 to 9.4.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import type { Store } from '#shared/store/port.ts'
import { answerTag, labelTag, stateTag, tagsOf, templateTag } from '#shared/subjects/subject-tags.ts'
import { subjectTagId } from '#shared/text/ids.ts'
import { withTags } from '../../../services/keeper/round/outbox.ts'
import { subjectDocument } from '../../support/worlds/fake-keeper.ts'
import { createWorld, websiteMeta } from '../world.ts'
import { create, host, publish, setStage, type World } from './resource-world.ts'

/** Returns the ids of a subject's stored tags without the removed tags. */
async function stored({ store }: Pick<World, 'store'>, id: string): Promise<string[]> {
  const found = await store.find('subjectTags', { where: { gone: 0 }, limit: 1_000 })
  return found.map(tag => tag.id).filter(tagId => tagId.endsWith(`/${id}`))
}

const expected = (id: string, tags: readonly string[]) => tags.map(tag => subjectTagId('w', tag, id)).sort()

const described = {
  ...host,
  fields: [...host.fields, { key: 'team', type: 'string' }, { key: 'ports', type: 'integer_list' }],
}

t.test('tags follow a Resource through its creation, changes and deletion (v3 9.3, 9.4)', async t => {
  const world = await setStage(described)
  const { id } = await create(world, { answers: { ports: [1], team: 'core' }, labels: { env: 'test' } })
  const always = [stateTag('active'), templateTag('host'), templateTag('host@1')]
  const first = [...always, answerTag('host', 'load_max', 4), answerTag('host', 'team', 'core'), labelTag('env', 'test')]
  t.strictSame(await stored(world, id), expected(id, first), 'defaults have tags, lists have none')
  await world.command(id, {
    kind: 'update-resource',
    name: 'Other',
    answers: { load_max: 0.4, team: null },
    labels: { env: null, tier: '1' },
  } as never)
  const second = [...always, answerTag('host', 'load_max', 0.4), labelTag('tier', '1')]
  t.strictSame(await stored(world, id), expected(id, second))
  await world.command(id, { kind: 'delete-subject' } as never)
  t.strictSame(await stored(world, id), [])
  await world.clock.advance(limits.keeper.goneTagMs + 2 * limits.keeper.expireMs)
  t.equal(await world.store.count('subjectTags', {}), 0, 'nothing is left of gone tags after a while')
})

t.test(
  'website monitors and custom subjects have tags, whichever generation creates and changes the subject (v3 9.3)',
  async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const website = await world.create({ url: 'https://one.test/' })
    const tagged = async (check: object) => {
      const subject = await world.subject(website)
      t.strictSame(subject && expected(website, tagsOf(subject)), await stored(world, website))
      t.match(
        new Set(subject ? tagsOf(subject) : []),
        new Set(Object.entries(check).map(([key, value]) => answerTag('website-check', key, value))),
      )
    }
    await tagged({ url: 'https://one.test/', interval_value: 1, confirm_after: 120, recover_after: 120, method: 'GET' })
    await world.command(website, {
      kind: 'update-website',
      name: 'Site',
      check: { ...websiteMeta, url: 'https://two.test/', interval_value: 5, data: 'secret' },
    } as never)
    await tagged({ url: 'https://two.test/', interval_value: 5 })
    const tags = tagsOf((await world.subject(website))!)
    t.notOk(
      tags.some(tag => tag.includes('secret') || tag.includes('locations') || tag.includes('statuses')),
      String(tags),
    )

    await world.command('Custom0001', { kind: 'create-subject', workspaceId: 'w', slug: 'c', name: 'C' } as never)
    t.strictSame(await stored(world, 'Custom0001'), expected('Custom0001', [stateTag('active')]))
    await world.command('Custom0001', { kind: 'update-resource', name: null, answers: null, labels: { a: 'b' } } as never)
    t.strictSame(await stored(world, 'Custom0001'), expected('Custom0001', [stateTag('active'), labelTag('a', 'b')]))
  },
)

t.test('archived subject gets the tag of archived subjects and loses the tag of active subjects', t => {
  const check = { ...websiteMeta, locations: [] }
  const active = subjectDocument('s', 'w', 's', 'S', check, 1)
  const archived = { ...active, archivedAt: 5 }
  t.match(withTags(active, archived).outbox, [{ mode: 'tags', put: [stateTag('archived')], gone: [stateTag('active')] }])
  const back = withTags(archived, { ...withTags(active, archived), archivedAt: null })
  t.match(back.outbox, [{ put: [stateTag('active')], gone: [stateTag('archived')] }], 'the later of two that wait counts')
  t.equal(back.outbox.length, 1)
  t.equal(withTags(active, { ...active, name: 'New' }).outbox.length, 0)
  t.equal(withTags(active, { ...active, labels: {} }).outbox.length, 0, 'other labels that say the same')
  t.end()
})

t.test('successor stores the tags that a crashed keeper had not stored', async t => {
  let isDead = false
  const wrap = (store: Store): Store => ({
    ...store,
    advance: async (collection, documents) => {
      if (isDead && collection === 'subjectTags') throw new Error('dead')
      return store.advance(collection, documents)
    },
  })
  const world = createWorld(wrap)
  const first = await world.startOne({ exclusive: true })
  const id = await world.create()
  isDead = true
  void world
    .command(id, { kind: 'update-resource', name: null, answers: null, labels: { a: 'b' } } as never)
    .catch(() => undefined)
  await world.clock.advance(100)
  t.strictSame((await world.subject(id))?.labels, { a: 'b' }, 'it is committed')
  t.notOk((await stored(world, id)).includes(subjectTagId('w', labelTag('a', 'b'), id)))
  world.hub.cut(first.bus)
  isDead = false
  await world.startOne({ exclusive: true })
  await world.clock.advance(60_000)
  t.ok((await stored(world, id)).includes(subjectTagId('w', labelTag('a', 'b'), id)))
})

t.test('late write of an earlier revision neither restores nor removes a tag', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  const rev = (await world.subject(id))?.rev ?? 0
  const relabel = (labels: object) => world.command(id, { kind: 'update-resource', name: null, answers: null, labels } as never)
  await relabel({ a: 'old' })
  await relabel({ a: 'new' })
  const before = await stored(world, id)
  const late = (value: string, gone: 0 | 1) => ({
    id: subjectTagId('w', labelTag('a', value), id),
    rev: rev + 1,
    gone,
    expireAt: null,
  })
  t.strictSame(await world.store.advance('subjectTags', [late('old', 0), late('new', 1)]), ['refused', 'refused'])
  t.strictSame(await stored(world, id), before)
})

t.test('tags follow a Resource to another revision and into the archive (v3 6.4, 6.5, 9.3)', async t => {
  const world = await setStage(described)
  const fields = [
    { key: 'load_max', type: 'number', default: 8 },
    { key: 'zone', type: 'string' },
  ]
  await publish(world, readManifest({ ...described, version: 2, fields }, { systemKeys: new Set(), destinations: [] }))
  const { id } = await create(world, { answers: { load_max: 3, team: 'core' } })
  const command = { kind: 'rebind-resource', workspaceId: 'w', template: 'host@2', answers: { zone: 'a' } }
  t.match(await world.command(id, command as never), { ok: true })
  const bound = [templateTag('host'), templateTag('host@2'), answerTag('host', 'load_max', 3), answerTag('host', 'zone', 'a')]
  t.strictSame(await stored(world, id), expected(id, [stateTag('active'), ...bound]))
  t.match(await world.command(id, { kind: 'archive-resource' } as never), { ok: true })
  t.strictSame(await stored(world, id), expected(id, [stateTag('archived'), ...bound]))
})
