// Observations of generation 3 on signals that no Template declares: signals that a sender declares, signals of custom subjects, signals of
// website monitors. Reference: docs/reference/v3.md, 7.2 to 7.5.
import t from 'tap'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import type { Store } from '#shared/store/port.ts'
import { declaredSignalKey } from '#shared/subjects/resource-signals.ts'
import { rawSources } from '../../../services/keeper/roll-up/sources.ts'
import { createWorld, minute } from '../world.ts'
import { create, cutting, host, observe, publish, read, setStage, type World } from './resource-world.ts'
import { addRule, addSignal, createCustom, must, reachability, send, unset, verdictOf } from './signal-commands.ts'

const rowsOf = (world: Pick<World, 'store'>, id: string) =>
  world.store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 100 })
const fieldOf = (result: ObservedResult | undefined) => (result?.ok === false ? result.error.facts?.field : 'accepted')
const subjects: [title: string, make: (world: World) => Promise<string>, kind: string][] = [
  ['a Resource of a Template', async world => (await create(world)).id, 'template'],
  ['a website monitor', world => world.create(), 'website'],
  ['a custom subject of generation 2', createCustom, 'custom'],
]

for (const [title, make, kind] of subjects) {
  t.test(
    `first Observation with a kind declares a signal that ${title} does not know, once, and no rule judges it (v3 7.3)`,
    async t => {
      const world = await setStage()
      const id = await make(world)
      const before = await world.subject(id)
      const speed = { signal: 'speed', state: 'problem' }
      t.equal(fieldOf((await observe(world, id, speed))[0]), 'signal', 'not without a kind')
      t.same(await world.subject(id), before, 'nothing refused leaves a trace')
      const [first, second] = await observe(
        world,
        id,
        { ...speed, signalKind: 'heartbeat', sentId: 'a' },
        { ...speed, signalKind: 'heartbeat', sentId: 'b' },
      )
      const key = declaredSignalKey('speed')
      t.match(first, { ok: true, signal: key, observation: 'a', createdSignal: true })
      t.match(second, { ok: true, signal: key, observation: 'b', createdSignal: false })
      t.match((await world.subject(id))?.custom?.signals.at(-1), { key, slug: 'speed', kind: 'declared_heartbeat' }, 'stored')
      t.match((await observe(world, id, speed))[0], { ok: true, createdSignal: false }, 'known from now on, without its kind')
      t.equal(fieldOf((await observe(world, id, { ...speed, signalKind: 'event' }))[0]), 'kind')
      t.strictSame(await observe(world, id, { ...speed, state: 'ok', sentId: 'a' }), [first], 'the first answer again')
      t.equal((await rowsOf(world, id)).length, 3)
      const after = await world.subject(id)
      t.equal(after?.kind, kind)
      t.equal(after?.dueAt, before?.dueAt, 'it never goes quiet')
      t.strictSame(after?.rules, before?.rules)
      const { signals } = await read(world, id)
      t.match(signals.at(-1), { id: key, key: 'speed', kind: 'heartbeat', isPlatform: false })
    },
  )
}

t.test('declaration of a signal is refused when its key is invalid or it is the 17th (v3 7.3)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const declare = async (signal: string) => fieldOf((await observe(world, id, { signal, signalKind: 'event' }))[0])
  const cases: [title: string, signal: string, outcome: string][] = [
    ['63 characters', 'x'.repeat(63), 'accepted'],
    ['64 characters', 'x'.repeat(64), 'signal'],
    ['a capital letter', 'Speed', 'signal'],
    ['a leading dot', '.speed', 'signal'],
    ['dots, dashes and underlines', 'a.b-c_d', 'accepted'],
    ['a name of the platform', 'reachability@aaaa', 'signal'],
  ]
  for (const [title, signal, outcome] of cases) t.equal(await declare(signal), outcome, title)
  for (let i = 3; i <= 16; i++) t.equal(await declare(`s${i}`), 'accepted', `the ${i}th`)
  const before = [await world.subject(id), await rowsOf(world, id)]
  t.equal(await declare('s17'), 'signal', 'the 17th')
  t.same([await world.subject(id), await rowsOf(world, id)], before)
  t.equal(await declare('s16'), 'accepted', 'a known one takes more')
})

t.test('reports of one round that declare the same signal declare it once (v3 7.3)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const atUs = world.clock.now() * 1_000
  const one = (more: object) => observe(world, id, { signal: 'speed', signalKind: 'event', ...more })
  const answers = (
    await Promise.all([one({ atUs }), one({ atUs }), one({ atUs: atUs - 1_000 }), one({ atUs: atUs - 2_000 })])
  ).flat()
  t.strictSame(
    answers.map(answer => answer.ok && answer.createdSignal),
    [true, true, false, false],
    'the second repeats the first and gets its answer',
  )
  t.equal((await rowsOf(world, id)).length, 3)
  t.equal((await world.subject(id))?.custom?.signals.filter(({ slug }) => slug === 'speed').length, 1)
})

t.test('Observation without id and instant stays separate from an Observation that names the same instant (v3 7.2)', async t => {
  const world = await setStage()
  for (const [title, make] of subjects) {
    const id = await make(world)
    await observe(world, id, { signal: 'speed', signalKind: 'event' })
    const sent = { signal: 'speed', atUs: world.clock.now() * 1_000 }
    const both = [observe(world, id, { ...sent, value: 1 }), observe(world, id, { ...sent, value: 2, atUs: null })]
    const [one, two] = (await Promise.all(both)).flat()
    t.not(one?.ok && one.observation, two?.ok && two.observation, title)
    const values = (await rowsOf(world, id)).map(({ value }) => value)
    t.strictSame(values.sort(), [1, 2, null].sort(), title)
  }
})

t.test('report without an id that declared its signal gets the same reply when it is sent again (v3 7.2)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const sent = { signal: 'speed', signalKind: 'event', atUs: world.clock.now() * 1_000, value: 1 }
  const [first] = await observe(world, id, sent)
  t.strictSame(await observe(world, id, sent), [first])
  t.match(await observe(world, id, { ...sent, value: 2 }), [{ createdSignal: false }], 'another content replaces it')
  t.match(await observe(world, id, { ...sent, value: 2, body: '{}' }), [{ createdSignal: false }])
  t.match(await rowsOf(world, id), [{ value: 2, body: '{}' }])
})

/** Creates a world with one Resource. `dieAfter` sends a report; the first keeper dies after this number of its writes. */
async function setCutStage(make: (world: World) => Promise<string>) {
  const cut: { after: number | null } = { after: null }
  let made = 0
  const world = createWorld((store: Store) => (made++ === 0 ? cutting(store, cut) : store))
  await publish(world, readManifest(host, { systemKeys: new Set(), destinations: [] }))
  const first = await world.startOne({ exclusive: true })
  const id = await make(world)
  const dieAfter = async (after: number, sent: object) => {
    cut.after = after
    void observe(world, id, sent).catch(() => undefined)
    await world.clock.advance(1_000)
    if (cut.after !== -1) throw new Error('the writes were not cut')
    world.hub.cut(first.bus)
    await world.clock.advance(minute)
    await world.startOne({ exclusive: true })
    await world.clock.advance(minute)
  }
  return { world, id, dieAfter }
}

for (const [title, make] of subjects) {
  for (const sentId of ['run-1', null]) {
    const by = sentId === null ? 'with its instant' : 'with its id'
    t.test(
      `declaration on ${title}, sent again ${by} after its keeper died between its writes, is stored once (v3 7.3)`,
      async t => {
        for (const after of sentId === null ? [0, 1] : [0, 1, 2]) {
          const { world, id, dieAfter } = await setCutStage(make)
          const atUs = sentId === null ? world.clock.now() * 1_000 : null
          const sent = { signal: 'speed', signalKind: 'event', sentId, atUs, value: 5 }
          await dieAfter(after, sent)
          const [other] = await observe(world, id, { signal: 'heat', signalKind: 'event', value: 70 })
          t.match(other, { ok: true, createdSignal: true })
          const [again] = await observe(world, id, sent)
          t.match(again, { ok: true, signal: declaredSignalKey('speed'), createdSignal: true }, `after ${after} writes`)
          t.strictSame(await observe(world, id, sent), [again])
          const rows = await rowsOf(world, id)
          const ofSignal = (slug: string) =>
            rows.filter(row => row.id.includes(`.${declaredSignalKey(slug)}.`)).map(row => row.value)
          t.strictSame([ofSignal('speed'), ofSignal('heat')], [[5], [70]], 'each signal has its own')
        }
      },
    )
  }
}

t.test(
  'report that replaced the report which declared a signal gets its own first reply when it is sent again (v3 7.2)',
  async t => {
    const world = await setStage()
    const { id } = await create(world)
    const declaring = { signal: 'disk', signalKind: 'event', value: 1, atUs: world.clock.now() * 1_000 }
    const said = async (value: number) => {
      const [result] = await observe(world, id, { ...declaring, value })
      return result?.ok === true && result.createdSignal
    }
    t.strictSame([await said(1), await said(1)], [true, true])
    t.strictSame([await said(2), await said(2)], [false, false], 'other content')
    t.strictSame([await said(1), await said(1)], [false, false], 'the first content, which replaces the other')
  },
)

t.test("acknowledged declaration is known after its keeper's death (v3 7.3)", async t => {
  for (const [title, make] of subjects) {
    const { world, id, dieAfter } = await setCutStage(make)
    const [first] = await observe(world, id, { signal: 'speed', signalKind: 'periodic', sentId: 'a' })
    await dieAfter(0, { signal: 'other', signalKind: 'event' })
    t.strictSame(await observe(world, id, { signal: 'speed', sentId: 'a' }), [first], title)
    t.match((await read(world, id)).signals.at(-1), { key: 'speed', kind: 'periodic' }, title)
  }
})

t.test('report with any content counts as new when it has the id of a lost declaration (v3 7.2)', async t => {
  const { world, id, dieAfter } = await setCutStage(async made => (await create(made)).id)
  await dieAfter(1, { signal: 'speed', signalKind: 'event', sentId: 'a' })
  t.match(await observe(world, id, { signal: 'probe', sentId: 'a' }), [{ ok: true, signal: 's1', createdSignal: false }])
  t.match(await observe(world, id, { signal: 'speed', sentId: 'a' }), [{ ok: true, signal: 's1', createdSignal: false }])
})

t.test('generation 2 neither lists a declared signal nor can use its name (v3 7.3)', async t => {
  const world = await setStage()
  const id = await createCustom(world)
  await observe(world, id, { signal: 'speed', signalKind: 'heartbeat' })
  const report = { observedAtUs: null, status: 'ok', value: null, error: '', labels: {} }
  const cases: [object, string][] = [
    [{ kind: 'report-observation', signal: 'speed', ...report }, 'Signal not found'],
    [{ kind: 'delete-signal', signal: 'speed' }, 'Signal not found'],
    [{ kind: 'update-signal', signal: 'speed', name: 'Speed', meta: '{}' }, 'Signal not found'],
    [{ kind: 'create-signal', name: 'Speed', signalKind: 'custom_event', meta: '{}', convert: false }, 'Signal name taken'],
  ]
  for (const [command, message] of cases) t.match(await send(world, id, command), { ok: false, error: { message } })
  const policy = { inputs: [{ ...unset, signal: 'speed' }], need: 'any', atLeast: null, confirmAfterMs: 0, closeAfterMs: 0 }
  t.match(await send(world, id, { kind: 'create-rule', name: 'r', convert: false, policy }), { ok: false })
})

t.test('rules of generation 2 select Observations by labels, and read `no_data` as no data (v3 7.5)', async t => {
  const world = await setStage()
  const id = await createCustom(world)
  await addSignal(world, id, 'beat')
  await addRule(world, id, 'prod', { signal: 'beat', match: { env: 'prod' } })
  await addRule(world, id, 'any', { signal: 'beat' })
  await addRule(world, id, 'slow', { signal: 'beat', mode: 'latest_value', compare: '>', threshold: 10 })
  const now = () => world.clock.now() * 1_000
  const steps: [title: string, sent: object, statuses: [prod: unknown, any: unknown, slow: unknown]][] = [
    ['ok', { labels: { env: 'prod' }, value: 5 }, ['ok', 'ok', 'ok']],
    ['a problem elsewhere', { state: 'problem', labels: { env: 'test' }, value: 11 }, ['ok', 'problem', 'problem']],
    ['no data', { state: 'no_data', labels: { env: 'prod' }, value: 99 }, ['no_data', 'no_data', 'no_data']],
    ['a problem', { state: 'problem', labels: { env: 'prod' }, value: 11 }, ['problem', 'problem', 'problem']],
    ['a late one', { labels: { env: 'prod' }, value: 1, atUs: now() - 60_000_000 }, ['problem', 'problem', 'problem']],
    ['one of 2 days ago', { labels: { env: 'prod' }, value: 1, atUs: now() - 2 * 86_400e6 }, ['problem', 'problem', 'problem']],
  ]
  for (const [title, sent, expected] of steps) {
    await world.clock.advance(1_000)
    t.match(await observe(world, id, { signal: 'beat', signalKind: 'heartbeat', ...sent }), [{ ok: true, signal: 's1' }], title)
    t.strictSame(await Promise.all(['prod', 'any', 'slow'].map(rule => verdictOf(world, id, rule))), expected, title)
  }
  t.equal(fieldOf((await observe(world, id, { signal: 'beat', signalKind: 'event' }))[0]), 'kind')
  t.equal((await rowsOf(world, id)).length, steps.length)
})

t.test(
  'report from the future counts as its arrival on a signal of generation 2, and hides no later report (v3 7.5, 7.7)',
  async t => {
    const world = await setStage()
    const id = await createCustom(world)
    await addSignal(world, id, 'beat')
    await addRule(world, id, 'alive', { signal: 'beat' })
    await observe(world, id, { signal: 'beat', atUs: (world.clock.now() + 55_000) * 1_000 })
    await world.clock.advance(1_000)
    await observe(world, id, { signal: 'beat', state: 'problem', atUs: world.clock.now() * 1_000 })
    t.equal(await verdictOf(world, id, 'alive'), 'problem')
  },
)

t.test(
  'report of generation 2 and Observation of generation 3 are one when instant and labels are the same (v3 7.2)',
  async t => {
    const world = await setStage()
    const id = await createCustom(world)
    await addSignal(world, id, 'beat')
    await addRule(world, id, 'alive', { signal: 'beat' })
    const observedAtUs = world.clock.now() * 1_000
    const labels = { env: 'prod' }
    const reported = { observedAtUs, labels, value: null, error: '' }
    await must(world, id, { kind: 'report-observation', signal: 'beat', status: 'problem', ...reported })
    await observe(world, id, { signal: 'beat', atUs: observedAtUs, labels })
    t.match(await rowsOf(world, id), [{ ok: 1, source: 'api' }])
    t.equal(await verdictOf(world, id, 'alive'), 'ok', 'the one that came last counts')
  },
)

for (const sentId of ['run-1', null]) {
  const by = sentId === null ? 'with its instant' : 'with its id'
  t.test(
    `report of no data on a signal of generation 2, sent again ${by} after its keeper died, is judged once (v3 7.2)`,
    async t => {
      for (const after of sentId === null ? [0, 1, 2] : [0, 1, 2, 3]) {
        const { world, id, dieAfter } = await setCutStage(async made => {
          const custom = await createCustom(made)
          await addSignal(made, custom, 'beat', 'custom_event')
          await addRule(made, custom, 'alive', { signal: 'beat' })
          return custom
        })
        const sent = { signal: 'beat', state: 'no_data', sentId, atUs: sentId === null ? world.clock.now() * 1_000 : null }
        await dieAfter(after, sent)
        const [again] = await observe(world, id, sent)
        t.match(again, { ok: true, signal: 's1' })
        t.equal(await verdictOf(world, id, 'alive'), 'no_data', `after ${after} writes`)
        const number = (await world.subject(id))?.custom?.accepted
        t.strictSame(await observe(world, id, sent), [again])
        t.equal((await world.subject(id))?.custom?.accepted, number)
        t.equal((await rowsOf(world, id)).length, 1)
      }
    },
  )
}

t.test(
  'report sent again with its id and other labels gets a reply if its first keeper died after writing the row (v3 7.2, 7.5)',
  async t => {
    const report = (env: string) => ({ signal: 'beat', labels: { env } })
    const { world, id, dieAfter } = await setCutStage(async made => {
      const custom = await createCustom(made)
      await addSignal(made, custom, 'beat', 'custom_event')
      await observe(made, custom, { ...report('prod'), atUs: made.clock.now() * 1_000 })
      return custom
    })
    const atUs = world.clock.now() * 1_000 + 1
    await dieAfter(2, { ...report('prod'), sentId: 'x', atUs })
    t.match(await observe(world, id, { ...report('test'), sentId: 'x', atUs }), [{ ok: true, signal: 's1', observation: 'x' }])
    t.match(await world.store.find('series', { where: { subjectId: id }, limit: 9 }), [
      { labels: { env: 'prod' }, observedAtUs: atUs },
    ])
    t.equal((await rowsOf(world, id)).length, 2)
  },
)

t.test("website's Observation counts until the next check, and the newest instant wins (v3 7.4)", async t => {
  const world = await setStage()
  const id = await world.create()
  await world.report(id, true)
  const push = async (state: string, agoMs = 0, more: object = {}) =>
    (await observe(world, id, { signal: reachability, state, atUs: (world.clock.now() - agoMs) * 1_000, ...more }))[0]
  const status = () => verdictOf(world, id, 'availability')
  const steps: [title: string, act: () => Promise<unknown>, status: string][] = [
    ['a problem is pushed', () => push('problem'), 'problem'],
    ['an older one changes nothing', () => push('ok', 30_000), 'problem'],
    ['a check that ended before it changes nothing', () => world.report(id, true, { ageMs: 5_000 }), 'problem'],
    ['the next check counts', () => world.report(id, true), 'ok'],
    ['one of now is ahead', () => push('problem', -50_000), 'problem'],
    ['the check after it counts', () => world.report(id, true), 'ok'],
  ]
  for (const [title, act, expected] of steps) {
    await world.clock.advance(2_000)
    await act()
    t.equal(await status(), expected, title)
  }
  t.match(await push('ok', 0, { signalKind: 'heartbeat' }), { ok: true, signal: reachability, createdSignal: false })
})

t.test("website's Observation with a wrong field is refused, and the response names the field (v3 7.4)", async t => {
  const world = await setStage()
  const id = await world.create()
  const now = world.clock.now()
  const cases: [title: string, sent: object, field: string][] = [
    ['no_data', { state: 'no_data' }, 'state'],
    ['another kind', { signalKind: 'event' }, 'kind'],
    ['a location that it does not have', { signal: 'reachability@zzzz' }, 'signal'],
    ['the same with a kind', { signal: 'reachability@zzzz', signalKind: 'heartbeat' }, 'signal'],
    ['more than 60 s ahead', { atUs: (now + 61_000) * 1_000 }, 'at'],
    ['more than 30 days ago', { atUs: (now - 30 * 86_400_000 - 1) * 1_000 }, 'at'],
  ]
  const before = await world.subject(id)
  for (const [title, sent, field] of cases)
    t.equal(fieldOf((await observe(world, id, { signal: reachability, ...sent }))[0]), field, title)
  const sent = { signal: reachability, state: 'ok', signalKind: null, sentId: null, atUs: null, value: null }
  const observations = [{ ...sent, reason: '', labels: {}, body: null }]
  const reply = await send(world, id, { kind: 'observe', source: 'address', observations })
  t.match(reply, { result: { results: [{ ok: false, error: { facts: { field: 'signal' } } }] } }, 'an address may not')
  const report = { observedAtUs: null, status: 'ok', value: null, error: '', labels: {} }
  for (const signal of [`s-${id}`, reachability])
    t.match(await send(world, id, { kind: 'report-observation', signal, ...report }), { ok: false }, 'generation 2 may not')
  t.same(await world.subject(id), before)
  t.strictSame(await rowsOf(world, id), [])
})

t.test(
  'two Observations of a website without an instant are both stored when they arrive in one millisecond (v3 7.2)',
  async t => {
    const world = await setStage()
    const id = await world.create()
    const [one, two] = await observe(world, id, { signal: reachability }, { signal: reachability })
    const [three] = await observe(world, id, { signal: reachability })
    t.equal(new Set([one, two, three].map(answer => answer?.ok && answer.observation)).size, 3)
    t.equal((await rowsOf(world, id)).length, 3)
  },
)

t.test('repeated id of a website changes no verdict after a later check (v3 7.2)', async t => {
  const world = await setStage()
  const id = await world.create()
  const sent = { signal: reachability, state: 'problem', sentId: 'a', atUs: (world.clock.now() + 50_000) * 1_000 }
  const [first] = await observe(world, id, sent)
  await world.clock.advance(5_000)
  await world.report(id, true)
  t.strictSame(await observe(world, id, sent), [first])
  t.equal(await verdictOf(world, id, 'availability'), 'ok')
  t.equal((await rowsOf(world, id)).length, 1)
})

t.test("acknowledged Observation of a website and its instant are kept after its keeper's death (v3 7.4)", async t => {
  const { world, id, dieAfter } = await setCutStage(async made => {
    const site = await made.create()
    await made.report(site, true)
    return site
  })
  await world.clock.advance(30_000)
  await observe(world, id, { signal: reachability, state: 'problem' })
  await world.report(id, true, { ageMs: 10_000 })
  await dieAfter(0, { signal: 'other', signalKind: 'event' })
  t.match((await world.subject(id))?.readings['aaaa'], { ok: false, isPushed: true })
  t.equal(await verdictOf(world, id, 'availability'), 'problem', 'the older check was judged again, and lost again')
  await world.report(id, true)
  t.equal(await verdictOf(world, id, 'availability'), 'ok')
})

t.test("website's Observation is judged when it is sent again after a keeper died between its writes (v3 7.2)", async t => {
  for (const sentId of ['run-1', null]) {
    for (const after of sentId === null ? [0, 1] : [0, 1, 2]) {
      const { world, id, dieAfter } = await setCutStage(made => made.create())
      const sent = { signal: reachability, state: 'problem', sentId, atUs: sentId === null ? world.clock.now() * 1_000 : null }
      await dieAfter(after, sent)
      const [again] = await observe(world, id, sent)
      t.match(again, { ok: true, signal: reachability })
      t.equal(await verdictOf(world, id, 'availability'), 'problem', `after ${after} writes`)
      const { rev } = (await world.subject(id)) ?? {}
      t.strictSame(await observe(world, id, sent), [again])
      t.equal((await world.subject(id))?.rev, rev, 'nothing more is committed')
      t.equal((await rowsOf(world, id)).length, 1)
    }
  }
})

t.test('roll-ups leave out Observations pushed for a website, and include declared signals (v3 7.4)', async t => {
  const world = await setStage()
  const id = await world.create()
  await observe(world, id, { signal: reachability }, { signal: 'speed', signalKind: 'event' })
  const sources = await rawSources(world.store, id, world.clock.now())
  t.strictSame(sources, [{ kind: 'signal', id: declaredSignalKey('speed') }])
})
