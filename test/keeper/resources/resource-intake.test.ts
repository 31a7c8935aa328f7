// Intake of Observations on Resources: senders' ids, crashes between the writes of a report, baselines. Reference: docs/reference/v3.md.
import t from 'tap'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import { baselineOf } from '#shared/judging/heard-signal.ts'
import { limits } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { parsePushedObservationId } from '#shared/text/ids.ts'
import { createWorld, minute } from '../world.ts'
import { create, cutting, host, observe, publish, ruleOf, setStage, type World } from './resource-world.ts'

const second = 1_000
const hour = 60 * minute
const day = 24 * hour

const rowsOf = (world: Pick<World, 'store'>, id: string) =>
  world.store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
const idsOf = (world: Pick<World, 'store'>, id: string) =>
  world.store.find('observationIds', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })

t.test('repeated id gets its first reply whatever else the report carries, and nothing is stored or judged (v3 7.2)', async t => {
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
    // From now on, rounds insert ids without a look-up again.
    await world.clock.advance(limits.intake.sentIdReadsMs + 1)
    t.strictSame(await observe(world, id, { ...sent, sentId: 'run 17/ä' }), [first], title)
    t.strictSame(await rowsOf(world, id), rows, title)
  }
  t.match(await ruleOf(world, id, 'down'), { status: 'ok' })
  t.equal((await world.subject(id))?.custom?.accepted, 1)
})

t.test('ids repeated within one command get the same reply (v3 7.9)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const [one, two] = await observe(world, id, { signal: 'probe', sentId: 'x' }, { signal: 'load', value: 3, sentId: 'x' })
  t.strictSame(two, one)
  t.equal((await rowsOf(world, id)).length, 1)
})

t.test('ids are inserted without a look-up, and looked up for a while after a repeated id (v3 7.2)', async t => {
  const asked: number[] = []
  const world = await setStage(host, store => ({
    ...store,
    get: (collection, ids) => {
      if (collection === 'observationIds') asked.push(ids.length)
      return store.get(collection, ids)
    },
  }))
  const { id } = await create(world)
  for (const sentId of ['a', 'b'])
    await observe(world, id, { signal: 'probe', sentId }, { signal: 'load', value: 1, sentId: `${sentId}2` })
  t.strictSame(asked.splice(0), [])
  await observe(world, id, { signal: 'probe', sentId: 'a' })
  t.strictSame(asked.splice(0), [1], 'once it was found to be stored')
  await observe(world, id, { signal: 'probe', sentId: 'c' })
  t.strictSame(asked.splice(0), [1], 'while repeats are expected')
  await world.clock.advance(limits.intake.sentIdReadsMs)
  await observe(world, id, { signal: 'probe', sentId: 'd' })
  t.strictSame(asked.splice(0), [])
  await observe(world, id, { signal: 'probe', sentId: 'e', atUs: 0 })
  t.strictSame(asked, [1], 'a report that is refused claims no id')
})

for (const isRefused of [false, true]) {
  const title = isRefused ? 'new ids, a repeated one and a refused report' : 'new ids and a repeated one'
  t.test(`${title} in one round each get the same reply as in rounds of their own (v3 7.2)`, async t => {
    let puts = 0
    const world = await setStage(host, store => ({
      ...store,
      putInOrder: given => {
        puts += given.some(({ collection, documents }) => collection === 'observationIds' && documents.length > 0) ? 1 : 0
        return store.putInOrder(given)
      },
    }))
    const ids = await Promise.all(['one', 'two'].map(async () => (await create(world)).id))
    const [one, two] = ids as [string, string]
    const [first] = await observe(world, one, { signal: 'probe', state: 'problem', sentId: 'x' })
    puts = 0
    const refused = isRefused ? [{ signal: 'probe', sentId: 'z', atUs: 0 }] : []
    const [repeated, fresh] = await Promise.all([
      observe(world, one, { signal: 'load', value: 9, sentId: 'x' }),
      observe(world, two, { signal: 'probe', sentId: 'x' }, { signal: 'speed', signalKind: 'event', sentId: 'y' }, ...refused),
    ])
    t.equal(puts, isRefused ? 1 : 2, 'in one round, which is stepped twice')
    t.strictSame(repeated, [first])
    t.match(fresh, [
      { ok: true, observation: 'x', createdSignal: false },
      { ok: true, observation: 'y', createdSignal: true },
      ...refused.map(() => ({ ok: false, error: { facts: { field: 'at' } } })),
    ])
    const counts = await Promise.all(ids.map(async id => [(await rowsOf(world, id)).length, (await idsOf(world, id)).length]))
    t.strictSame(counts, [
      [1, 1],
      [2, 2],
    ])
    t.equal((await world.subject(two))?.custom?.accepted, 1, 'each is judged once')
    t.match(await ruleOf(world, one, 'down'), { status: 'problem' })
  })
}

t.test('later report can use the id of a refused report even if their round is stepped twice (v3 7.2, 7.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const [first] = await observe(world, id, { signal: 'load', value: 1, sentId: 'known' })
  await world.clock.advance(limits.intake.sentIdReadsMs)
  const aheadUs = (world.clock.now() + 5 * minute) * 1_000
  const results = await observe(
    world,
    id,
    { signal: 'probe', state: 'ok', sentId: 'x', atUs: aheadUs },
    { signal: 'probe', state: 'problem', sentId: 'x' },
    { signal: 'load', value: 9, sentId: 'known' },
  )
  t.match(results, [{ ok: false, error: { facts: { field: 'at' } } }, { ok: true, signal: 's1', observation: 'x' }, first])
  t.match(await rowsOf(world, id), [
    { ok: 0, sentId: 'x' },
    { sentId: 'known', value: 1 },
  ])
})

/** World whose first keeper died after this number of writes of a report, and whose second keeper has taken over. */
async function setCutReport(
  sent: Partial<SentObservation>,
  { document = host, after = 1, before = [] }: { document?: object; after?: number; before?: object[] } = {},
) {
  const cut: { after: number | null } = { after: null }
  let made = 0
  const world = createWorld(store => (made++ === 0 ? cutting(store, cut) : store))
  await publish(world, readManifest(document, { systemKeys: new Set(), destinations: [] }))
  const first = await world.startOne({ exclusive: true })
  const { id } = await create(world)
  if (before.length > 0) await observe(world, id, ...before)
  cut.after = after
  void observe(world, id, { signal: 'probe', sentId: 'x', ...sent }).catch(() => undefined)
  await world.clock.advance(1_000)
  world.hub.cut(first.bus)
  await world.clock.advance(minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  return { world, id }
}

t.test('report counts as new when it has the id of a lost report and another instant (v3 7.2, 7.7)', async t => {
  const { world, id } = await setCutReport({ value: 1 })
  const places = await idsOf(world, id)
  t.equal(places.length, 1)
  const aheadUs = (world.clock.now() + 5 * minute) * 1_000
  t.match(await observe(world, id, { signal: 'probe', sentId: 'x', value: 2, atUs: aheadUs }), [{ ok: false }])
  t.strictSame([await rowsOf(world, id), await idsOf(world, id)], [[], places], 'a refused one leaves no trace')
  const atUs = (world.clock.now() - hour) * 1_000
  const [answer] = await observe(world, id, { signal: 'probe', sentId: 'x', value: 3, atUs })
  t.match(answer, { ok: true, signal: 's1', observation: 'x' })
  const rows = await rowsOf(world, id)
  t.match(rows, [{ value: 3, sentId: 'x' }])
  t.equal(parsePushedObservationId(rows[0]?.id ?? '').observedAtUs, atUs)
  t.match(await idsOf(world, id), [{ atUs }])
  t.strictSame(await observe(world, id, { signal: 'probe', sentId: 'x', value: 1 }), [answer])
  t.strictSame(await rowsOf(world, id), rows)
})

t.test(
  'report that its keeper could not store is refused if its signal is removed before it is sent again (v3 4.6, 7.2)',
  async t => {
    const { world, id } = await setCutReport({ signal: 'load', value: 1 })
    const [probe] = host.signals
    const [down] = host.rules
    await publish(
      world,
      readManifest({ ...host, version: 2, signals: [probe], rules: [down] }, { systemKeys: new Set(), destinations: [] }),
    )
    await world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template: 'host@2', answers: {} } as never)
    t.match(await observe(world, id, { signal: 'load', sentId: 'x', value: 1 }), [
      { ok: false, error: { facts: { field: 'signal' } } },
    ])
    t.match(await observe(world, id, { signal: 'probe', sentId: 'x' }), [{ ok: true, signal: 's1', observation: 'x' }])
    t.match(await rowsOf(world, id), [{ sentId: 'x' }])
  },
)

t.test('a successor knows the ids that were sent to the keeper before it (v3 7.2)', async t => {
  const world = createWorld()
  await publish(world, readManifest(host, { systemKeys: new Set(), destinations: [] }))
  const before = await world.startOne({ exclusive: true })
  const { id } = await create(world)
  const [first] = await observe(world, id, { signal: 'probe', state: 'problem', sentId: 'x' })
  const rows = await rowsOf(world, id)
  world.hub.cut(before.bus)
  await world.clock.advance(minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  t.strictSame(await observe(world, id, { signal: 'probe', sentId: 'x' }), [first])
  t.strictSame(await rowsOf(world, id), rows)
})

t.test('two Resources have two Observations when both get the same id (v3 7.2)', async t => {
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

t.test('report with an id is stored and judged once if the reply of any store write is lost (v3 7.2)', async t => {
  for (const isStamped of [true, false]) {
    for (let after = 0, isLost = true; isLost; after++) {
      isLost = false
      const losing = { after: Number.POSITIVE_INFINITY }
      const world = await setStage(host, store => ({
        ...store,
        putInOrder: async given => {
          const puts = given.filter(({ documents }) => documents.length > 0)
          if (losing.after > puts.length || !puts.some(({ collection }) => collection === 'observationIds'))
            return await store.putInOrder(given)
          await store.putInOrder(puts.slice(0, losing.after))
          losing.after = Number.POSITIVE_INFINITY
          isLost = true
          throw new StoreError('unavailable', 'no answer')
        },
      }))
      const { id } = await create(world)
      losing.after = after
      const atUs = isStamped ? null : world.clock.now() * 1_000
      const sent = [
        { signal: 'probe', state: 'problem', sentId: 'x', atUs },
        { signal: 'load', value: 9, sentId: 'y', atUs },
        { signal: 'extra', signalKind: 'event', sentId: 'z', atUs },
      ]
      const answering = observe(world, id, ...sent)
      await world.clock.advance(3_000)
      const answer = await answering
      const title = `${isStamped ? 'stamped here' : 'with an instant'}, after ${after} writes`
      t.match(answer, [{ createdSignal: false }, { createdSignal: false }, { createdSignal: true }], title)
      t.equal((await rowsOf(world, id)).length, 3, title)
      t.equal((await idsOf(world, id)).length, 3, title)
      t.equal((await world.subject(id))?.custom?.accepted, 2, title)
      t.match(await ruleOf(world, id, 'down'), { status: 'problem' }, title)
      t.strictSame(await observe(world, id, ...sent), answer, title)
      if (!isLost) t.ok(after > 4, `${after} writes`)
    }
  }
})

t.test('ids of a subject are removed with the subject (v3 7.2)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const atUs = (world.clock.now() - hour) * 1_000
  await observe(world, id, { signal: 'probe', sentId: 'a', atUs })
  const [place] = await idsOf(world, id)
  t.match(place, { signalKey: 's1', atUs, createdSignal: 0 })
  await world.command(id, { kind: 'delete-subject' } as never)
  await world.clock.advance(minute)
  t.strictSame(await idsOf(world, id), [])
})

t.test('rows hold the id, the body and the entry point of their report (v3 7.8)', async t => {
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

const onWeek = {
  key: 'low',
  action: 'Look.',
  wait: { confirm_after: 0, recover_after: 0 },
  decision: { signal: 'load', field: 'value', operator: 'lt', operand: 0.5, baseline: { days: 7, min_samples: 3 } },
}

t.test('repeated id with another instant and number changes no baseline (v3 4.5, 7.2)', async t => {
  const world = await setStage({ ...measured, rules: [onWeek] })
  const { id } = await create(world)
  const load = (agoMs: number, value: number) => ({ signal: 'load', value, atUs: (world.clock.now() - agoMs) * 1_000 })
  const baseline = async () => (await world.store.get('series', [`${id}.s2.-`]))[0]?.heard?.baselines[7]
  await observe(world, id, { ...load(7 * day - minute, 90), sentId: 'oldest' })
  for (const [i, value] of [40, 10, 30, 20].entries())
    await observe(world, id, { ...load((9 - i) * hour, value), sentId: `${i}` })
  await world.clock.advance(limits.intake.sentIdReadsMs)
  // A report wrongly treated as new would displace the oldest number of the baseline.
  await observe(world, id, { ...load(-55_000, 1_000), sentId: '2' })
  await observe(world, id, { ...load(0, 25), sentId: 'newest' })
  t.strictSame(await baseline(), { samples: 5, median: 30 })
})

t.test(
  'repeated id with another signal gets a reply when the first keeper died after it wrote the row of the report (v3 7.2)',
  async t => {
    const atUs = createWorld().clock.now() * 1_000
    const load = (i: number) => ({ signal: 'load', value: 1, atUs: atUs + i })
    const { world, id } = await setCutReport(load(3), { after: 2, before: [load(1), load(2)] })
    const before = await rowsOf(world, id)
    t.equal(before.length, 3)
    const answer = { ok: true, signal: 's2', observation: 'x' }
    t.match(await observe(world, id, { signal: 'probe', sentId: 'x', atUs }), [answer])
    t.match(await world.store.get('series', [`${id}.s2.-`]), [{ observedAtUs: atUs + 3 }])
    t.strictSame(await rowsOf(world, id), before)
  },
)

for (const [title, after] of [
  ['its place', 1],
  ['its row', 2],
] as const) {
  t.test(`baseline holds all its days when a report is repeated after a crash that followed ${title} (v3 4.5, 7.2)`, async t => {
    const now = createWorld().clock.now()
    const leaving = { signal: 'load', value: 30, atUs: (now - 7 * day + minute) * 1_000 }
    const before = [leaving, ...[10, 20].map((value, i) => ({ signal: 'load', value, atUs: (now - (2 - i) * hour) * 1_000 }))]
    const lost = { signal: 'load', value: 25, sentId: 'x' }
    const { world, id } = await setCutReport(lost, { document: { ...measured, rules: [onWeek] }, after, before })
    t.match(await observe(world, id, lost), [{ ok: true, signal: 's2' }])
    const [series] = await world.store.get('series', [`${id}.s2.-`])
    t.match(series, { value: 25, heard: { baselines: { 7: { samples: 3, median: 20 } } } })
  })
}

t.test('report from the future counts as its arrival and hides no report that comes after it (v3 7.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const probe = (state: string, aheadMs: number) => ({ signal: 'probe', state, atUs: (world.clock.now() + aheadMs) * 1_000 })
  const ahead = { ...probe('ok', 55_000), reason: 'fast' }
  const arrivedAt = world.clock.now()
  const [first] = await observe(world, id, ahead)
  await world.clock.advance(second)
  t.strictSame(await observe(world, id, ahead), [first], 'its identity is the instant that was sent')
  await observe(world, id, probe('problem', 0))
  t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
  const rows = await rowsOf(world, id)
  t.equal(rows.length, 2, 'both are in the log, once')
  t.equal(Math.min(...rows.map(row => row.receivedAtUs)), arrivedAt * 1_000)
  await world.clock.advance(second)
  await observe(world, id, { ...ahead, reason: 'changed' })
  t.match(await ruleOf(world, id, 'down'), { status: 'ok' }, 'other content for the same instant arrives anew')
})

t.test(
  'report from the future hides no later report of the same batch, and an earlier one does not hide it (v3 7.7)',
  async t => {
    const world = await setStage()
    const { id } = await create(world)
    const ahead = (state: string) => ({ signal: 'probe', state, atUs: (world.clock.now() + 55_000) * 1_000 })
    await observe(world, id, ahead('ok'), { signal: 'probe', state: 'problem' })
    t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
    await observe(world, id, { signal: 'probe', state: 'ok' }, { signal: 'probe', state: 'ok', labels: { a: '1' } })
    await observe(world, id, { signal: 'probe', state: 'ok' }, ahead('problem'))
    t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
    await observe(world, id, { signal: 'probe', state: 'ok' })
    t.match(await ruleOf(world, id, 'down'), { status: 'ok' }, 'also in the next request of the same millisecond')
  },
)

t.test('quiet of a signal is counted from the arrival of a report from the future (v3 4.2, 7.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', atUs: (world.clock.now() + 60_000) * 1_000 })
  await world.clock.advance(3 * minute + second)
  t.match(await ruleOf(world, id, 'down'), { status: 'no_data' })
})

t.test('report from the future keeps its arrival when it is repeated after a crash (v3 7.2, 7.7)', async t => {
  for (const sentId of ['x', null]) {
    const cut = { after: null as number | null }
    const world = await setStage(host, store => cutting(store, cut))
    const { id } = await create(world)
    const sent = { signal: 'probe', sentId, atUs: (world.clock.now() + 50_000) * 1_000 }
    const arrivedUs = world.clock.now() * 1_000
    cut.after = sentId === null ? 1 : 2
    const lost = observe(world, id, sent).catch(() => null)
    await world.clock.advance(second)
    cut.after = null
    await world.clock.advance(10 * second)
    await lost
    await observe(world, id, sent)
    const [series] = await world.store.get('series', [`${id}.s1.-`])
    t.equal(
      Math.floor((series?.heard?.recent[0]?.atUs ?? 0) / 1_000),
      arrivedUs / 1_000,
      `${sentId}: the millisecond of its arrival`,
    )
  }
})

t.test('rebind recalls the reading that counts behind a report from the future (v3 4.6, 7.7)', async t => {
  const world = await setStage({ ...host, rules: [host.rules[0]] })
  const busy = { ...host.rules[1], key: 'busy', decision: { ...host.rules[1]?.decision, min_count: 2 } }
  await publish(
    world,
    readManifest({ ...host, version: 2, rules: [host.rules[0], busy] }, { systemKeys: new Set(), destinations: [] }),
  )
  const { id } = await create(world)
  const load = (aheadMs: number, value: number) => ({ signal: 'load', value, atUs: (world.clock.now() + aheadMs) * 1_000 })
  for (const [aheadMs, value] of [
    [55_000, 1],
    [56_000, 2],
    [57_000, 3],
    [0, 9],
    [1, 9],
  ] as const) {
    await observe(world, id, load(aheadMs, value))
    await world.clock.advance(second)
  }
  await world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template: 'host@2', answers: {} } as never)
  t.match(await ruleOf(world, id, 'busy'), { status: 'problem' })
})

t.test('baseline of a report from the future ends at its arrival (v3 4.5, 7.7)', async t => {
  const world = await setStage({ ...measured, rules: [onWeek] })
  const { id } = await create(world)
  const load = (aheadMs: number, value: number) => ({ signal: 'load', value, atUs: (world.clock.now() + aheadMs) * 1_000 })
  const baseline = async () => (await world.store.get('series', [`${id}.s2.-`]))[0]?.heard?.baselines[7]
  await observe(world, id, load(second - 7 * day, 10))
  await observe(world, id, load(-minute, 20))
  await observe(world, id, load(55_000, 30))
  t.strictSame(await baseline(), { samples: 2, median: 15 })
  await world.clock.advance(2 * second)
  await observe(world, id, load(0, 40))
  t.strictSame(await baseline(), { samples: 1, median: 20 }, 'a number counts in baselines from its own instant on')
})

t.test('baseline is the median of the numbers before the newest Observation (v3 4.5)', async t => {
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
  // If the day of the baseline moved with time, the Observation at the beginning of this day would now lie outside.
  await world.clock.advance(2 * hour)
  t.match(
    await ruleOf(world, id, 'low'),
    { status: 'problem', explanation: /^load 40 \(1d median 100 of 2/ },
    'time alone changes nothing',
  )
})

t.test(
  'Observations of a command or a round count in the baselines of the later Observations of the same command or round (v3 4.5)',
  async t => {
    const world = await setStage(measured)
    const { id } = await create(world)
    const atUs = world.clock.now() * 1_000
    const loads = (...values: number[]) =>
      values.map((value, i) => ({ signal: 'load', value, atUs: atUs - 600_000_000 + value * 1_000 + i }))
    await observe(world, id, ...loads(10, 20, 30))
    t.match(await ruleOf(world, id, 'low'), { explanation: /1d median 15 of 2 readings/ })
    await Promise.all([observe(world, id, ...loads(40, 50)), observe(world, id, ...loads(60)), observe(world, id, ...loads(70))])
    t.match(await ruleOf(world, id, 'low'), { explanation: /^load 70 \(1d median 35 of 6 readings\)/ })
  },
)

t.test('history is read only for reports on signals with a baseline (v3 4.5)', async t => {
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
