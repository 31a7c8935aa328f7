// First report on a Resource in the keeper: Resource and Observation are either both stored or both missing, whenever the keeper dies (v3
// 8.4).
import t from 'tap'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { randomId } from '#shared/text/ids.ts'
import { createWorld, minute } from '../world.ts'
import { cutting, host, publish, read, ruleOf, setStage, type World } from './resource-world.ts'

const observed = {
  signal: 'probe',
  state: 'problem',
  signalKind: null,
  sentId: null,
  atUs: null,
  value: null,
  reason: '',
  labels: {},
  body: null,
}
const command = {
  kind: 'first-report',
  workspaceId: 'w',
  slug: 'srv-1',
  name: 'srv-1',
  template: 'host@1',
  answers: {},
  boundTo: null,
  isTrial: false,
}

const report = (world: World, id: string, more: object = {}, observation: object = {}): Promise<Reply> =>
  world.command(id, { ...command, ...more, observation: { ...observed, ...observation } } as never)

const rowsOf = ({ store }: Pick<World, 'store'>, id: string) =>
  store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })

/** Returns the number of documents in all collections that a report can write. */
async function storedOf({ store }: Pick<World, 'store'>): Promise<number> {
  const counts = (['subjects', 'pushedObservations', 'observationIds', 'series', 'incidents', 'deadLetters'] as const).map(name =>
    store.count(name, {}),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

t.test('first report creates the Resource and its Observation, which is judged at once (v3 8.4)', async t => {
  const world = await setStage()
  const id = randomId(10)
  const reply = await report(world, id, { answers: { load_max: 7 } }, { sentId: 'run-1', reason: 'refused' })
  t.strictSame(reply, {
    ok: true,
    result: { results: [{ ok: true, signal: 's1', observation: 'run-1', createdSignal: false }] },
  })
  t.match(await read(world, id), { key: 'srv-1', name: 'srv-1', template: 'host@1', answers: { load_max: 7 }, labels: {} })
  t.match(await rowsOf(world, id), [{ sentId: 'run-1', error: 'refused', source: 'address' }])
  t.match(await ruleOf(world, id, 'down'), { status: 'problem', standing: 'unconfirmed' })
})

const refused: [title: string, more: object, observation: object, field: string][] = [
  ['an unknown signal', {}, { signal: 'speed' }, 'signal'],
  ['another kind of signal', {}, { signalKind: 'event' }, 'kind'],
  ['an instant too far ahead', {}, { atUs: 9e15 }, 'at'],
  ['an instant too long ago', {}, { atUs: 0 }, 'at'],
  ['an unknown answer', { answers: { colour: 'red' } }, {}, 'colour'],
  ['an answer of another type', { answers: { load_max: 'high' } }, {}, 'load_max'],
]
for (const isTrial of [false, true]) {
  t.test(`${isTrial ? 'trial' : 'first report'} creates no Resource and stores nothing when it is refused (v3 8.4)`, async t => {
    const world = await setStage()
    for (const [title, more, observation, field] of refused) {
      const id = randomId(10)
      const reply = await report(world, id, { ...more, isTrial }, observation)
      const [only] = reply.ok ? (reply.result as { results: Reply[] }).results : [reply]
      t.match(only, { ok: false, error: { code: 'validation', facts: { field } } }, title)
      t.equal(await world.subject(id), null, title)
    }
    t.equal(await storedOf(world), 0)
  })
}

t.test('trial returns the reply of the report and stores nothing (v3 8.4)', async t => {
  const world = await setStage()
  const id = randomId(10)
  const trial = await report(world, id, { isTrial: true }, { sentId: 'run-1' })
  t.match(trial, { ok: true, result: { results: [{ ok: true }] } })
  t.equal(await storedOf(world), 0)
  t.strictSame(await report(world, id, {}, { sentId: 'run-1' }), trial)
  const before = await rowsOf(world, id)
  await report(world, id, { isTrial: true }, { sentId: 'run-2' })
  t.strictSame(await rowsOf(world, id), before, 'on a Resource that exists')
  await world.clock.advance(limits.intake.sentIdReadsMs)
  t.strictSame(await report(world, id, { isTrial: true }, { sentId: 'run-1', signal: 'load' }), trial, 'of an id that is stored')
})

t.test(
  'first report opens no Incident for the silence before it, and is judged even if no rule reads its signal (v3 8.4)',
  async t => {
    const silent = {
      key: 'silent',
      action: 'Ask its owner.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { not: { signal: 'probe', field: 'known', within_seconds: 60 } },
    }
    const world = await setStage({ ...host, rules: [silent] })
    const heard = randomId(10)
    await report(world, heard, {}, { state: 'ok' })
    t.match(await ruleOf(world, heard, 'silent'), { status: 'ok' })
    t.strictSame(await world.incidents(heard), [])
    const unheard = randomId(10)
    await report(world, unheard, { slug: 'srv-2' }, { signal: 'load', value: 1 })
    t.equal((await world.incidents(unheard)).length, 1)
  },
)

t.test('first report on a Resource that exists already only adds its Observation (v3 8.4)', async t => {
  const world = await setStage()
  const id = randomId(10)
  await report(world, id, { answers: { load_max: 7 } })
  const second = await report(world, id, { answers: { load_max: 9 }, name: 'other' }, { signal: 'load', value: 3 })
  t.match(second, { ok: true, result: { results: [{ ok: true, signal: 's2' }] } })
  t.match(await read(world, id), { name: 'srv-1', answers: { load_max: 7 } })
  t.equal((await rowsOf(world, id)).length, 2)
  const other = await report(world, id, { boundTo: 'hosts' })
  t.match(other, { ok: false, error: { code: 'validation', facts: { field: 'resource' } } }, 'of another Template')
  t.match(await report(world, id, { boundTo: 'host' }), { ok: true })
  t.equal((await rowsOf(world, id)).length, 3)
})

t.test('repeated command stores its Observation once (v3 8.4)', async t => {
  const world = await setStage()
  const id = randomId(10)
  const first = await report(world, id, { id: 'command-1' })
  await world.clock.advance(2_000)
  t.strictSame(await report(world, id, { id: 'command-1' }), first)
  t.equal((await rowsOf(world, id)).length, 1)
})

const template: Template = readManifest(host, { systemKeys: new Set(), destinations: [] })

for (const [title, sent, writes] of [
  ['an id', { sentId: 'run-1' }, 4],
  ['an instant', { atUs: 'now' }, 3],
  ['an id on the second signal', { sentId: 'run-1', signal: 'load', value: 9 }, 4],
  ['an id on a signal that it declares', { sentId: 'run-1', signal: 'disk', signalKind: 'event' }, 3],
] as const) {
  t.test(
    `first report with ${title} stores both or neither when its keeper dies between its writes, and a retry completes it (v3 8.4)`,
    async t => {
      for (let after = 0; after < writes; after++) {
        const cut: { after: number | null } = { after: null }
        let made = 0
        const world = createWorld(store => (made++ === 0 ? cutting(store, cut) : store))
        await publish(world, template)
        const first = await world.startOne({ exclusive: true })
        const id = randomId(10)
        const observation = { ...sent, ...('atUs' in sent ? { atUs: world.clock.now() * 1_000 } : {}) }
        cut.after = after
        let isAnswered = false
        report(world, id, {}, observation).then(
          () => {
            isAnswered = true
          },
          () => undefined,
        )
        await world.clock.advance(1_000)
        t.equal(cut.after, -1, 'the writes were cut')
        t.notOk(isAnswered, 'nothing is acknowledged')
        t.equal(await world.subject(id), null, 'there is no Resource without its Observation')
        world.hub.cut(first.bus)
        await world.clock.advance(minute)
        await world.startOne({ exclusive: true })
        await world.clock.advance(minute)
        const again = await report(world, id, {}, observation)
        t.match(again, { ok: true, result: { results: [{ ok: true }] } }, `after ${after} writes it is taken`)
        t.equal((await rowsOf(world, id)).length, 1, `after ${after} writes it is stored once`)
        const key = 'signal' in sent ? sent.signal : 'probe'
        const { templated, custom } = (await world.subject(id)) ?? {}
        if (key === 'disk') t.ok(custom?.signals.some(({ slug }) => slug === key))
        else t.match(templated?.heard[key], { recent: { length: 1 } }, `after ${after} writes it is heard`)
      }
    },
  )
}
