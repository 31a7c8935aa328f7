// Missing or damaged Template revision: its Resources report this state, their inputs are kept, and every other Resource is judged (v3
// 4.12).
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { Template, TemplateDocument } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { createWorld } from '../world.ts'
import { create, host, observe, publish, read, ruleOf, second, type World } from './resource-world.ts'

const workspaceId = 'w'
const templateOf = (version: number): Template => readManifest({ ...host, version }, { systemKeys: new Set(), destinations: [] })
const id = `${workspaceId}/host@1`

/**
 * World with two Resources in one partition. `ruin` removes or damages the Template of one of them, and then a keeper that has not read the
 * Template takes over.
 */
async function setScene(ruin: (store: Store) => Promise<unknown>, wrapStore: (store: Store) => Store = store => store) {
  const world = createWorld(wrapStore)
  await publish(world, templateOf(1))
  await publish(world, templateOf(2))
  const before = await world.startOne({ exclusive: true })
  const bad = randomId(10)
  let good = randomId(10)
  while (partitionOf(good) !== partitionOf(bad)) good = randomId(10)
  await create(world, { slug: 'bad' }, bad)
  await create(world, { slug: 'good', template: 'host@2' }, good)
  for (const one of [bad, good]) await observe(world, one, { signal: 'probe', state: 'problem' })
  for (const one of [bad, good]) await observe(world, one, { signal: 'load', value: 1 }, { signal: 'load', value: 1 })
  await world.clock.advance(second)
  const atUs = world.clock.now() * 1_000
  // The report changes no verdict, so only a take-over writes it into the document.
  for (const one of [bad, good]) await observe(world, one, { signal: 'load', value: 1.5, atUs })
  await before.service.stop()
  await ruin(world.store)
  await world.startOne({ exclusive: true })
  await world.clock.advance(second)
  return { world, bad, good }
}

const remove = (store: Store) => store.delete('templates', [id])

async function damage(store: Store) {
  const [document] = await store.get('templates', [id])
  const { template } = document as TemplateDocument
  const rules = template.rules.map(rule => ({ ...rule, decision: { signal: 'gone', field: 'known' as const } }))
  await store.upsert('templates', [{ ...(document as TemplateDocument), template: { ...template, rules } }])
}

const deadLetters = (world: World) => world.store.find('deadLetters', { limit: 100 })

async function listed({ hub, clock, store }: World, t: Test): Promise<ResourceView[]> {
  const around = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const starting = startDirectory(around)
  await clock.advance(second)
  const service = await starting
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const filters = { state: 'active' as const, template: null, meta: [], labels: [] }
  const asked = ask('list-resources', { workspaceId, ...filters, after: null, limit: 50 })
  await clock.advance(second)
  return (await asked).items
}

for (const [fault, ruin] of [
  ['missing', remove],
  ['damaged', damage],
] as const) {
  const words = `not judged: its Template host@1 is ${fault}`

  t.test(
    `Resource shows that it is not judged, and its partition continues, when its Template is ${fault} (v3 4.12)`,
    async t => {
      const { world, bad, good } = await setScene(ruin)
      const kept = await deadLetters(world)
      for (const view of [await read(world, bad), (await listed(world, t)).find(one => one.id === bad)]) {
        t.strictSame(
          view?.rules.map(({ status, explanation, since }) => [status, explanation, since]),
          [
            ['no_data', words, null],
            ['no_data', words, null],
          ],
        )
      }
      t.strictSame(await deadLetters(world), kept, 'reading it is no input')
      await world.clock.advance(4 * 60 * second + 1)
      t.match(
        await ruleOf(world, good, 'down'),
        { status: 'no_data', standing: 'unconfirmed' },
        'the other one fell silent in time',
      )
      t.match(await observe(world, good, { signal: 'probe', state: 'ok' }), [{ ok: true }])
    },
  )

  t.test(`inputs are kept and deadlines are retried after long pauses when a Template is ${fault} (v3 4.12)`, async t => {
    const { world, bad } = await setScene(ruin)
    await world.clock.advance(400 * second)
    const report = { kind: 'observe', observations: [{ ...nothing, signal: 'probe', state: 'ok' }] }
    t.match(await world.command(bad, report as never), { ok: false, error: { code: 'internal' } })
    const rev = (await world.subject(bad))?.rev
    await world.clock.advance(3_600 * second)
    const reason = `Template host@1 is ${fault}, so its Resource bad cannot be judged`
    const kept = await deadLetters(world)
    t.match(kept.map(({ input }) => JSON.parse(input).kind).sort(), ['command', 'deadline'], 'no deadline again and again')
    for (const one of kept) t.match(one, { subjectId: bad, reason }, 'words for the operator')
    t.equal(kept.length, 2)
    t.match(await world.subject(bad), { rev, faulty: { reason } }, 'nor does a deadline write the Resource again')
  })

  t.test(`Resource continues with its earlier readings when its ${fault} Template is usable again (v3 4.12)`, async t => {
    const { world, bad } = await setScene(ruin)
    await world.clock.advance(400 * second)
    await remove(world.store)
    await publish(world, templateOf(1))
    await world.clock.advance(limits.keeper.silenceHoldOffMs + second)
    t.match(await world.subject(bad), { faulty: null }, 'a deadline has judged it')
    t.match(await ruleOf(world, bad, 'down'), { status: 'no_data', explanation: /^probe unresolved/, standing: 'unconfirmed' })
    t.match(await ruleOf(world, bad, 'busy'), { explanation: 'load 1.5 (0 of 2 in 600 s)' })
    t.match(await observe(world, bad, { signal: 'probe', state: 'ok' }), [{ ok: true }])
    t.match(await ruleOf(world, bad, 'down'), { status: 'ok' })
  })

  for (const [what, command, seen] of [
    [
      'bound to another revision',
      { kind: 'rebind-resource', workspaceId, template: 'host@2', answers: {} },
      { template: 'host@2' },
    ],
    ['archived', { kind: 'archive-resource' }, { template: 'host@1', rules: [{ explanation: words }, { explanation: words }] }],
    ['put into maintenance', { kind: 'set-maintenance', minutes: 5, by: 'Ada' }, { maintenance: { by: 'Ada' } }],
  ] as const) {
    t.test(`a Resource is ${what} though its Template is ${fault} (v3 4.12)`, async t => {
      const { world, bad } = await setScene(ruin)
      await world.clock.advance(400 * second)
      t.match(await world.command(bad, command as never), { ok: true, result: seen })
      t.match(await read(world, bad), seen)
    })
  }
}

t.test("other Templates are read when the store cannot read one Template's row (v3 4.12)", async t => {
  const isUnreadable = { now: false }
  const wrapStore = (store: Store) =>
    new Proxy(store, {
      get: (all, name) => {
        if (name !== 'get') return all[name as keyof Store]
        return async (collection: 'templates', ids: readonly string[]) => {
          if (isUnreadable.now && collection === 'templates' && ids.includes(id)) throw new StoreError('permanent', 'damaged row')
          return await all.get(collection, ids)
        }
      },
    })
  const { world, bad, good } = await setScene(async () => {
    isUnreadable.now = true
  }, wrapStore)
  t.match(await ruleOf(world, bad, 'down'), { status: 'no_data', explanation: 'not judged: its Template host@1 is damaged' })
  t.match(await ruleOf(world, good, 'down'), { status: 'problem' })
})

const nothing = { signalKind: null, sentId: null, atUs: null, value: null, reason: '', labels: {}, body: null }
