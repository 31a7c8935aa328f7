// Resources of published Templates in the keeper, on memory bus and store with a clock that the test moves. Reference:
// docs/reference/v3.md.
import t from 'tap'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { createWorld, minute } from '../world.ts'
import { create, host, kindsOf, observe, publish, read, ruleOf, second, setStage } from './resource-world.ts'

t.test('created Resource is returned with its defaults, signals and rules (v3 6.6)', async t => {
  const world = await setStage()
  const { id, reply } = await create(world)
  t.match(reply, { ok: true })
  t.match(await read(world, id), {
    key: `key-${id}`,
    template: 'host@1',
    answers: { load_max: 4 },
    signals: [
      { id: 's1', key: 'probe', kind: 'heartbeat' },
      { id: 's2', key: 'load', kind: 'event' },
    ],
    rules: [
      { key: 'down', signals: ['probe'], status: null, explanation: null, since: null, action: 'Restart the host.' },
      { key: 'busy', signals: ['load'], status: null },
    ],
  })
})

t.test('a Resource is refused and nothing is stored when an answer does not fit (v3 6.2)', async t => {
  const world = await setStage()
  for (const [answers, field] of [
    [{ load_max: 'high' }, 'load_max'],
    [{ speed: 1 }, 'speed'],
  ] as const) {
    const { id, reply } = await create(world, { answers })
    t.match(reply, { ok: false, error: { code: 'validation', facts: { field } } })
    t.equal(await world.subject(id), null)
  }
})

t.test('a rule opens, is confirmed after its wait, and recovers (v3 4.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  t.match(await observe(world, id, { signal: 'probe', state: 'problem', reason: 'no answer' }), [
    { ok: true, signal: 's1', createdSignal: false },
  ])
  t.match(await ruleOf(world, id, 'down'), { status: 'problem', explanation: 'probe problem', standing: 'unconfirmed' })
  for (let i = 0; i < 5; i++) {
    await world.clock.advance(minute)
    await observe(world, id, { signal: 'probe', state: 'problem' })
  }
  t.match(await ruleOf(world, id, 'down'), { standing: 'problem' })
  await observe(world, id, { signal: 'probe' })
  await world.clock.advance(2 * minute)
  t.strictSame(await kindsOf(world, id), ['pending', 'problem', 'recovering', 'closed'])
  t.match(await world.incidents(id), [{ ruleKey: 'down', closedReason: 'recovered', open: 0 }])
})

t.test('hold pauses while the rule cannot decide, and continues from its remaining time (v3 4.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', state: 'problem' })
  // The signal is quiet after three periods of a minute.
  await world.clock.advance(10 * minute)
  t.match(await ruleOf(world, id, 'down'), { status: 'no_data', standing: 'unconfirmed' })
  t.match((await ruleOf(world, id, 'down'))?.explanation, /^probe unresolved \(nothing reported since /)
  t.strictSame(await kindsOf(world, id), ['pending', 'hold paused'])
  await observe(world, id, { signal: 'probe', state: 'problem' })
  await world.clock.advance(minute)
  await observe(world, id, { signal: 'probe', state: 'problem' })
  await world.clock.advance(2 * minute)
  t.strictSame(await kindsOf(world, id), ['pending', 'hold paused', 'hold resumed', 'problem'])
  const [opened, paused, resumed, confirmed] = (await world.history(id)).map(({ at }) => at) as [number, number, number, number]
  t.equal(paused - opened, 3 * minute + 1, 'it was decided until the signal was quiet')
  t.equal(confirmed - resumed, 5 * minute - (paused - opened), 'and confirmed when the decided time reached the hold')
  t.match(await world.incidents(id), [{ troubleSince: opened, confirmedAt: confirmed }])
})

t.test('a counted comparison reads the newest Observations of its window, including late ones (v3 4.1, 4.4)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const atUs = (agoMs: number) => (world.clock.now() - agoMs) * 1_000
  await observe(world, id, { signal: 'load', value: 9 })
  t.match(await ruleOf(world, id, 'busy'), { status: 'no_data', explanation: 'load 9 (1 of 2 in 600 s)' })
  await observe(world, id, { signal: 'load', value: 8, atUs: atUs(5 * minute) })
  t.match(await ruleOf(world, id, 'busy'), { status: 'problem', explanation: 'load 9 (2 of 2 in 600 s)', standing: 'problem' })
  await world.clock.advance(5 * minute + second)
  t.match(await ruleOf(world, id, 'busy'), { status: 'no_data', standing: 'problem' }, 'it has left the window')
  await observe(world, id, { signal: 'load', value: 1 }, { signal: 'load', value: 2 })
  t.match(await ruleOf(world, id, 'busy'), { status: 'ok', standing: null })
})

t.test('successor uses Observations that its predecessor accepted without a change of a verdict (v3 4.1)', async t => {
  const world = createWorld()
  await publish(world, readManifest(host, { systemKeys: new Set(), destinations: [] }))
  const first = await world.startOne({ exclusive: true })
  const { id } = await create(world)
  await observe(world, id, { signal: 'load', value: 1 }, { signal: 'load', value: 1 })
  const written = (await world.subject(id))?.rev
  await observe(world, id, { signal: 'load', value: 3, atUs: world.clock.now() * 1_000 })
  t.equal((await world.subject(id))?.rev, written, 'it was not worth a write of the subject')
  world.hub.cut(first.bus)
  await world.clock.advance(minute)
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute)
  t.match(await ruleOf(world, id, 'busy'), { status: 'ok', explanation: 'load 3 (0 of 2 in 600 s)' })
})

t.test('repeated Observation gets the first reply and is judged once (v3 7.2)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const atUs = world.clock.now() * 1_000
  for (const sent of [
    { signal: 'load', value: 9, atUs },
    { signal: 'load', value: 9, atUs, labels: { core: '1' } },
    { signal: 'probe', state: 'problem', atUs, sentId: 'run-17' },
  ]) {
    const [first] = await observe(world, id, sent)
    await world.clock.advance(second)
    const [again] = await observe(world, id, sent)
    t.match(first, { ok: true })
    t.strictSame(again, first)
  }
  t.equal((await world.subject(id))?.custom?.accepted, 3)
})

t.test('Observation of `no_data` loses its value and is no evidence (v3 4.2, 7.5)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', state: 'no_data', value: 7 })
  t.match(await ruleOf(world, id, 'down'), { status: 'no_data', explanation: 'probe unresolved (no_data)' })
  t.strictSame(await world.incidents(id), [])
  const [row] = await world.store.find('pushedObservations', { where: { id: { gte: id } }, limit: 1 })
  t.match(row, { ok: 2, value: null })
})

t.test('an Observation with a wrong signal or instant is refused, and the response names the field (v3 7.3, 7.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  const at = (ms: number) => (world.clock.now() + ms) * 1_000
  const day = 86_400 * second
  const cases: [string, () => object, string | null][] = [
    ['a signal that is not there', () => ({ signal: 'speed' }), 'signal'],
    ['60 s ahead', () => ({ signal: 'probe', atUs: at(60 * second) }), null],
    ['more than 60 s ahead', () => ({ signal: 'probe', atUs: at(60 * second) + 1_000 }), 'at'],
    ['almost 30 days ago', () => ({ signal: 'probe', atUs: at(second - 30 * day) }), null],
    ['more than 30 days ago', () => ({ signal: 'probe', atUs: at(-30 * day) - 1 }), 'at'],
  ]
  for (const [title, sent, field] of cases) {
    const accepted = (await world.subject(id))?.custom?.accepted
    const [result] = await observe(world, id, sent())
    if (field === null) t.match(result, { ok: true }, title)
    else {
      t.match(result, { ok: false, error: { code: 'validation', facts: { field } } }, title)
      t.equal((await world.subject(id))?.custom?.accepted, accepted, title)
    }
  }
})

t.test('a new Resource of a missing Template is refused, and the partition goes on (v3 4.13)', async t => {
  const world = await setStage()
  const { reply } = await create(world, { template: 'nothing@1' })
  t.match(reply, { ok: false, error: { code: 'validation', facts: { field: 'template' } } })
  t.match((await create(world)).reply, { ok: true })
})

t.test('a Resource is judged at once with its new answers (v3 6.3)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'load', value: 3 }, { signal: 'load', value: 3 })
  t.match(await ruleOf(world, id, 'busy'), { status: 'ok' })
  const body = { kind: 'update-resource', name: 'Host 2', answers: { load_max: 2 }, labels: { env: 'prod' } }
  t.match(await world.command(id, body as never), {
    ok: true,
    result: { name: 'Host 2', answers: { load_max: 2 }, labels: { env: 'prod' } },
  })
  t.match(await ruleOf(world, id, 'busy'), { status: 'problem', standing: 'problem' })
  await world.command(id, { ...body, name: null, answers: { load_max: null }, labels: { env: null } } as never)
  t.match(await read(world, id), { name: 'Host 2', answers: { load_max: 4 } })
  t.strictSame((await read(world, id)).labels, {})
})

t.test(
  'problem of a rule dates from the creation of its Resource when a late first report does not change the verdict (v3 4.8)',
  async t => {
    const silent = { ...host.rules[1], key: 'silent', decision: { not: { signal: 'probe', field: 'known' } } }
    const world = await setStage({ ...host, rules: [silent] })
    const { id } = await create(world)
    const made = await ruleOf(world, id, 'silent')
    t.match(made, { status: 'problem', since: Number, explanation: 'probe not known' })
    await world.clock.advance(60 * second)
    await observe(world, id, { signal: 'probe', atUs: (world.clock.now() - 86_400 * second) * 1_000 })
    t.match(await ruleOf(world, id, 'silent'), { status: 'problem', since: made?.since })
  },
)
