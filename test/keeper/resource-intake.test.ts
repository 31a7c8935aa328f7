// Intake of Observations on Resources: senders' ids, crashes between the writes of a report, baselines. Rules: docs/reference/v3.md.
import t from 'tap'
import type { SentObservation } from '#shared/contracts/resource-commands.ts'
import { baselineOf } from '#shared/judging/heard-signal.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import type { Store } from '#shared/store/port.ts'
import { create, cutting, host, observe, publish, ruleOf, setStage, type World } from './resource-world.ts'
import { createWorld, minute } from './world.ts'

const hour = 60 * minute
const day = 24 * hour

const rowsOf = (world: Pick<World, 'store'>, id: string) =>
  world.store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
const idsOf = (world: Pick<World, 'store'>, id: string) =>
  world.store.find('observationIds', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })

t.test('an id sent again answers the first answer, whatever else it carries, and stores and judges nothing (v3 7.2)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const cases: [string, Partial<SentObservation>][] = [
    ['another state', { signal: 'probe', state: 'problem' }],
    ['another instant', { signal: 'probe', atUs: (world.clock.now() - hour) * 1_000 }],
    ['an instant that is refused', { signal: 'probe', atUs: 0 }],
    ['another signal', { signal: 'load', value: 9 }],
    ['an unknown signal', { signal: 'speed' }],
  ]
  const [first] = await observe(world, id, { signal: 'probe', sentId: 'run 17/ä' })
  t.match(first, { ok: true, signal: 's1', observation: 'run 17/ä', createdSignal: false })
  const rows = await rowsOf(world, id)
  for (let i = 0; i < 20; i++) await observe(world, id, { signal: 'load', value: 1, labels: { i: `${i}` }, atUs: i * 1_000 })
  for (const [title, sent] of cases) {
    t.strictSame(await observe(world, id, { ...sent, sentId: 'run 17/ä' }), [first], title)
    t.strictSame(await rowsOf(world, id), rows, title)
  }
  t.match(await ruleOf(world, id, 'down'), { status: 'ok' })
  t.equal((await world.subject(id))?.custom?.accepted, 1)
})

t.test('ids repeated within one command are answered alike (v3 7.9)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const [one, two] = await observe(world, id, { signal: 'probe', sentId: 'x' }, { signal: 'load', value: 3, sentId: 'x' })
  t.strictSame(two, one)
  t.equal((await rowsOf(world, id)).length, 1)
})

t.test('the same id on two Resources is two Observations (v3 7.2)', async t => {
  const world = await setStage()
  const [one, two] = [(await create(world)).id, (await create(world)).id]
  for (const id of [one, two]) await observe(world, id, { signal: 'probe', state: 'problem', sentId: 'x' })
  for (const id of [one, two]) t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
})

for (const sentId of ['run-1', null]) {
  const title = sentId === null ? 'an instant' : 'an id'
  t.test(`a report with ${title} is stored once and judged when its keeper died between its writes (v3 7.2)`, async t => {
    for (const after of sentId === null ? [0, 1, 2] : [0, 1, 2, 3]) {
      const cut: { after: number | null } = { after: null }
      let made = 0
      const world = createWorld(store => (made++ === 0 ? cutting(store, cut) : store))
      await publish(world, readManifest(host, { systemKeys: new Set(), destinations: [] }))
      const first = await world.startOne({ exclusive: true })
      const { id } = await create(world)
      const sent = { signal: 'probe', state: 'problem', sentId, atUs: sentId === null ? world.clock.now() * 1_000 : null }
      cut.after = after
      void observe(world, id, sent).catch(() => undefined)
      await world.clock.advance(1_000)
      t.equal(cut.after, -1, 'the writes were cut')
      world.hub.cut(first.bus)
      await world.clock.advance(minute)
      await world.startOne({ exclusive: true })
      await world.clock.advance(minute)
      const [again] = await observe(world, id, sent)
      t.match(again, { ok: true, signal: 's1' })
      t.equal((await rowsOf(world, id)).length, 1, `after ${after} writes it is stored once`)
      t.match(await ruleOf(world, id, 'down'), { status: 'problem' }, `after ${after} writes it is judged`)
      t.strictSame(await observe(world, id, sent), [again])
      t.equal((await idsOf(world, id)).length, sentId === null ? 0 : 1)
    }
  })
}

t.test('the ids of a subject leave with it, and each with the retention of its row (v3 7.2)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const atUs = (world.clock.now() - hour) * 1_000
  await observe(world, id, { signal: 'probe', sentId: 'a', atUs })
  const [place] = await idsOf(world, id)
  t.match(place, { signalKey: 's1', atUs, createdSignal: 0 })
  const leavesAfterMs = (place?.expireAt ?? 0) - atUs / 1_000 - 30 * day
  t.ok(leavesAfterMs >= 0 && leavesAfterMs < hour)
  await world.command(id, { kind: 'delete-subject' } as never)
  await world.clock.advance(minute)
  t.strictSame(await idsOf(world, id), [])
})

t.test('rows have the id, the body and the door of their report (v3 7.8)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', sentId: 'a', body: '{"a":1}' })
  t.match(await rowsOf(world, id), [{ sentId: 'a', body: '{"a":1}', source: 'api' }])
})

const measured = {
  ...host,
  rules: [
    {
      key: 'low',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: {
        any: [1, 7].map(days => ({
          signal: 'load',
          field: 'value',
          operator: 'lt',
          operand: 0.5,
          baseline: { days, min_samples: 3 },
        })),
      },
    },
  ],
}

t.test('a baseline is the median of the numbers before the newest Observation (v3 4.5)', async t => {
  const world = await setStage({ ...measured })
  const { id } = await create(world)
  const now = world.clock.now()
  const load = (agoMs: number, value: number | null) => ({ signal: 'load', value, atUs: (now - agoMs) * 1_000 })
  const baselines = async () => (await world.store.get('series', [`${id}.s2.-`]))[0]?.heard?.baselines
  const reports: [string, object, number[], number[]][] = [
    ['nothing before', load(7 * day, 100), [], []],
    ['the begin of a window counts, its end does not', load(0, 40), [], [100]],
    ['a late one counts at its own time', load(hour, 120), [120], [100, 120]],
    ['one at the very begin of the day', load(day, 80), [80, 120], [100, 80, 120]],
    ['one before the day, sent twice', load(day + 1, 90), [80, 120], [100, 90, 80, 120]],
    ['the same with another number', load(day + 1, 10), [80, 120], [100, 10, 80, 120]],
    ['one without a number', load(2 * hour, null), [80, 120], [100, 10, 80, 120]],
    ['one too old', load(8 * day, 1_000), [80, 120], [100, 10, 80, 120]],
  ]
  for (const [title, sent, ofDay, ofWeek] of reports) {
    await observe(world, id, sent)
    t.strictSame(await baselines(), { 1: baselineOf(Float64Array.from(ofDay)), 7: baselineOf(Float64Array.from(ofWeek)) }, title)
  }
  t.match(await ruleOf(world, id, 'low'), {
    status: 'problem',
    explanation: 'load 40 (1d median 100 of 2 readings), load 40 (7d median 90 of 4 readings)',
  })
  await world.clock.advance(2 * day)
  t.match(await ruleOf(world, id, 'low'), { status: 'problem' }, 'time alone changes nothing')
})

t.test('the Observations of one command, and of one round, count in the baselines of its later ones (v3 4.5)', async t => {
  const world = await setStage(measured)
  const { id } = await create(world)
  const atUs = world.clock.now() * 1_000
  const loads = (...values: number[]) =>
    values.map((value, i) => ({ signal: 'load', value, atUs: atUs - 600_000_000 + value * 1_000 + i }))
  await observe(world, id, ...loads(10, 20, 30))
  t.match(await ruleOf(world, id, 'low'), { explanation: /1d median 15 of 2 readings/ })
  await Promise.all([observe(world, id, ...loads(40, 50)), observe(world, id, ...loads(60)), observe(world, id, ...loads(70))])
  t.match(await ruleOf(world, id, 'low'), { explanation: /^load 70 \(1d median 35 of 6 readings\)/ })
})

t.test('no history is read but for reports on signals with a baseline (v3 4.5)', async t => {
  let reads = 0
  const counting = (store: Store): Store => ({
    ...store,
    numbers: (collection, query) => {
      reads++
      return store.numbers(collection, query)
    },
  })
  const world = await setStage(measured, counting)
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe' })
  await world.clock.advance(hour)
  await ruleOf(world, id, 'low')
  t.equal(reads, 0)
  await observe(world, id, { signal: 'load', value: 1 }, { signal: 'load', value: 2 })
  t.equal(reads, 1, 'once a command')
})
