// Rules of custom subjects in the keeper: their inputs, policies and grace periods (reference/custom-subjects).
import t from 'tap'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import { limits } from '#shared/limits/limits.ts'
import { pushedRows } from '../../support/worlds/pushed-rows.ts'
import { createWorld, minute, websiteMeta } from '../world.ts'
import { createCustom, day, hour, policy, refusal, reported } from './custom-world.ts'

t.test('new input has its full grace period when it is added after a set-back of the clock', async t => {
  const house = await createCustom()
  await house.clock.advance(limits.keeper.silenceHoldOffMs + 1)
  await house.signal('beat')
  await house.signal('tick')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'ok')
  const site = await house.create({ confirm_after: 0 })
  house.clock.stepWall(-10 * minute)
  await house.rule('late', [{ signal: 'tick' }], { confirmAfterMs: 0 })
  t.equal(await house.verdict('late'), 'not_judged', 'a rule')
  await house.must({
    kind: 'replace-rule',
    rule: 'down',
    name: 'Down',
    policy: policy([{ signal: 'tick' }], { confirmAfterMs: 0 }),
  })
  t.equal(await house.verdict('down'), 'not_judged', 'an input of a rule')
  const { confirm_after, recover_after, ...check } = { ...websiteMeta, locations: ['bbbb'] }
  t.match(await house.command(site, { kind: 'update-website', name: 'Site', check } as never), { ok: true })
  t.equal((await house.subject(site))?.rules[0]?.verdict?.verdict, 'not_judged', 'a location')
  t.strictSame(await house.kinds(), [])
})

t.test('heartbeat becomes `no_data` after its permitted silence, and an event never becomes `no_data`', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.signal('deploy', 'custom_event')
  await house.rule('quiet', [{ signal: 'beat', noDataAfterMs: 10 * minute }], { confirmAfterMs: 0 })
  await house.rule('events', [{ signal: 'deploy' }], { confirmAfterMs: 0 })
  t.equal(await house.verdict('events'), 'ok', 'an event that never reported is false')
  await house.report('beat', 'ok')
  await house.clock.advance(10 * minute - 1)
  t.equal(await house.verdict('quiet'), 'ok')
  await house.clock.advance(2)
  t.equal(await house.verdict('quiet'), 'no_data', 'longer than its time')
  t.match((await house.incidents(house.id))[0], { status: 'no_data', explanation: 'nothing usable from 1 of 1 input (beat)' })
  await house.report('deploy', 'problem')
  await house.clock.advance(2 * hour)
  t.equal(await house.verdict('events'), 'problem')
})

t.test('rules that read other rules are judged in one pass after the rules that they read', async t => {
  const house = await createCustom()
  await house.signal('one')
  await house.signal('two')
  await house.rule('first', [{ signal: 'one' }], { confirmAfterMs: hour })
  await house.rule('second', [{ signal: 'two' }], { confirmAfterMs: hour })
  await house.rule('both', [{ from: 'first' }, { from: 'second' }], { need: 'all', confirmAfterMs: 0 })
  t.equal(await house.verdict('both'), 'not_judged')
  await house.report('one', 'problem')
  await house.report('two', 'problem')
  t.equal(await house.verdict('both'), 'problem')
  t.strictSame(await house.kinds(), ['problem'], 'only the one without a hold is told')
  t.equal(refusal(await house.send({ kind: 'delete-rule', rule: 'first' })), 'forbidden Rule is still used as an input')
  const circle = policy([{ from: 'both' }])
  const before = await house.subject(house.id)
  t.equal(
    refusal(await house.send({ kind: 'replace-rule', rule: 'first', name: 'First', policy: circle })),
    'validation Invalid rule document',
  )
  t.strictSame(await house.subject(house.id), before, 'a refusal changes nothing')
})

t.test('rule is judged after the rule that it reads, also when the read rule was created later', async t => {
  const house = await createCustom()
  await house.signal('one')
  await house.rule('reader', [{ signal: 'one' }])
  await house.rule('read', [{ signal: 'one' }])
  await house.must({ kind: 'replace-rule', rule: 'reader', name: 'Reader', policy: policy([{ from: 'read' }]) })
  await house.report('one', 'problem')
  t.equal(await house.verdict('reader'), 'problem')
})

t.test(
  'commands are refused without a change when their name is invalid, taken or unknown, or their target is in use',
  async t => {
    const house = await createCustom()
    await house.signal('Beat it')
    await house.rule('Down', [{ signal: 'beat-it' }])
    const cases: [Record<string, unknown>, string][] = [
      [
        { kind: 'create-signal', name: 'beat IT!', signalKind: 'custom_event', meta: '{}', convert: false },
        'validation Signal name taken',
      ],
      [{ kind: 'create-signal', name: '---', signalKind: 'custom_event', meta: '{}', convert: false }, 'validation Invalid name'],
      [{ kind: 'update-signal', signal: 'nope', name: 'x', meta: '{}' }, 'not_found Signal not found'],
      [{ kind: 'delete-signal', signal: 'beat-it' }, 'forbidden Signal is still used by a rule'],
      [{ kind: 'create-rule', name: 'down', policy: policy([]), convert: false }, 'validation Rule name taken'],
      [{ kind: 'create-rule', name: 'x', policy: policy([{ signal: 'nope' }]), convert: false }, 'validation Unknown input'],
      [{ kind: 'create-rule', name: 'x', policy: policy([{ from: 'nope' }]), convert: false }, 'validation Unknown input'],
      [{ kind: 'create-rule', name: 'x', policy: policy([{ from: 'x' }]), convert: false }, 'validation Unknown input'],
      [{ kind: 'replace-rule', rule: 'nope', name: 'x', policy: policy([]) }, 'not_found Rule not found'],
      [{ kind: 'delete-rule', rule: 'nope' }, 'not_found Rule not found'],
      [
        { kind: 'report-observation', signal: 'nope', observedAtUs: null, ...reported, status: 'ok' },
        'not_found Signal not found',
      ],
      [{ kind: 'update-website', name: 'x', check: {} }, 'malformed Malformed command'],
      [{ kind: 'move-maintenance', endsAt: house.clock.now() + 1_000 }, 'not_found No maintenance window'],
      [{ kind: 'cancel-maintenance' }, 'not_found No maintenance window'],
      [{ kind: 'acknowledge-incident', incidentId: `${house.id}.1`, by: 'Ann', via: 'api' }, 'not_found Incident not found'],
    ]
    const before = await house.subject(house.id)
    for (const [command, expected] of cases)
      t.equal(refusal(await house.send(command)), expected, `${command['kind']}: ${expected}`)
    t.strictSame(await house.subject(house.id), before, 'no refusal changed anything')
  },
)

t.test(
  'replaced policy keeps the rule, its slug, its incident, the readings of unchanged inputs and every earlier version',
  async t => {
    const house = await createCustom()
    await house.signal('beat')
    await house.rule('Down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    await house.report('beat', 'problem')
    const replace = {
      kind: 'replace-rule',
      rule: 'down',
      name: 'Quite down',
      policy: policy([{ signal: 'beat' }, { signal: 'beat', match: { zone: '*' } }]),
    }
    t.match(await house.must(replace), { slug: 'down', name: 'Quite down', policyVersion: 2 })
    t.equal((await house.incidents(house.id)).length, 1, 'the same incident')
    t.equal(await house.verdict('down'), 'problem', 'the old input still reads what it had read')
    const versions = await house.store.find('policies', { where: { subjectId: house.id }, limit: 9 })
    t.strictSame(
      versions.map(({ version, ruleSlug }) => [version, ruleSlug]),
      [
        [1, 'down'],
        [2, 'down'],
      ],
    )
  },
)

t.test('new input reads the reports that its signal received before the rule was created', async t => {
  const house = await createCustom()
  await house.signal('load')
  await house.report('load', 'ok', { value: 9, labels: { host: 'a' } })
  await house.report('load', 'ok', { value: 3, labels: { host: 'b' } })
  const input = { signal: 'load', mode: 'latest_value' as const, compare: '>' as const, threshold: 5 }
  await house.rule('a high', [{ ...input, match: { host: 'a' } }])
  await house.rule('b high', [{ ...input, match: { host: 'b' } }])
  t.strictSame([await house.verdict('a-high'), await house.verdict('b-high')], ['problem', 'ok'])
})

t.test("input's grace period begins when its rule is created, even if an older rule already reads the same signal", async t => {
  const house = await createCustom()
  await house.signal('beat')
  const input = { signal: 'beat', noDataAfterMs: 5 * minute }
  await house.rule('first', [input])
  await house.clock.advance(10 * minute)
  t.equal(await house.verdict('first'), 'no_data')
  await house.rule('second', [input])
  t.equal(await house.verdict('second'), 'not_judged', 'added a moment ago')
  await house.clock.advance(4 * minute)
  await house.must({ kind: 'replace-rule', rule: 'second', name: 'second', policy: policy([input], { need: 'all' }) })
  t.equal(await house.verdict('second'), 'not_judged')
  await house.clock.advance(minute + 10)
  t.equal(await house.verdict('second'), 'no_data', 'the same input across versions')
})

t.test('new rule reads the newest series when its signal has more series than a rule can read', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const now = house.clock.now()
  const set = (id: string, at: number, status: 'ok' | 'problem', number = 1) => ({
    ...{ id, rev: 1, writer: 'test', subjectId: house.id, signalKey: 's1', labels: { id }, judgedAt: at, subjectRev: 1 },
    ...{ observedAtUs: at * 1_000, number, status, value: null, error: '', expireAt: now + day },
  })
  const old = Array.from({ length: limits.intake.seriesPerSubject }, (_, i) => set(`a${i}`, now - hour - i, 'ok'))
  await house.store.insert('series', [...old, set('y', now - 1_000, 'problem', 3), set('z', now - 1_000, 'ok', 2)])
  await house.rule('down', [{ signal: 'beat' }])
  t.equal(await house.verdict('down'), 'problem', 'and of two for one instant the one accepted last')
})

t.test('policy that does not fit its subject is refused, and the response names the wrong field', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('one', [{ signal: 'beat' }])
  await house.rule('two', [{ from: 'one' }])
  const details = async (inputs: Partial<PolicyInput>[]) => {
    const reply = await house.send({ kind: 'replace-rule', rule: 'one', name: 'one', policy: policy(inputs) })
    return reply.ok ? 'accepted' : `${reply.error.message}: ${reply.error.details}`
  }
  const beat = { signal: 'beat' }
  t.equal(await details([beat, { signal: 'nope' }]), 'Unknown input: inputs[1].signal: the subject has no signal "nope"')
  t.equal(await details([beat, beat, { from: 'gone' }]), 'Unknown input: inputs[2].from: the subject has no rule "gone"')
  t.equal(await details([beat, { from: 'two' }]), 'Invalid rule document: inputs[1].from makes a circle of rules')
})

t.test('subject is judged when hundreds of its inputs fell silent while no keeper ran', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const perRule = limits.policy.inputs
  const rules = Math.ceil(limits.keeper.deadlinesPerInput / perRule) + 1
  for (let n = 0; n < rules; n++)
    await house.rule(
      `rule ${n}`,
      Array.from({ length: perRule }, (_, i) => ({ signal: 'beat', match: { sensor: `${n}.${i}` } })),
    )
  await house.keeper.service.stop()
  const [subject] = await house.store.get('subjects', [house.id])
  if (subject?.custom == null) throw new Error('no subject')
  const began = house.clock.now()
  const observed = Object.entries(subject.custom.observed).map(
    ([key, input], i) => [key, { ...input, observedAtUs: (began + i) * 1_000, ok: true }] as const,
  )
  const heard = { ...subject, rev: subject.rev + 1, custom: { ...subject.custom, observed: Object.fromEntries(observed) } }
  await house.store.replace('subjects', [{ ...heard, dueAt: began + 5 * minute }])
  await house.clock.advance(hour)
  await house.startOne({ exclusive: true })
  await house.clock.advance(hour + minute)
  t.match(await house.report('beat', 'ok', { labels: { sensor: '0.0' } }), { ok: true })
  t.equal((await house.subject(house.id))?.faulty, null)
  t.equal(await house.verdict(`rule-${rules - 1}`), 'no_data', 'the last of them is judged too')
})

t.test('observations of a deleted signal are removed, and a new signal of the same name starts without observations', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.report('beat', 'problem')
  await house.report('beat', 'problem', { labels: { a: 'b' } })
  await house.must({ kind: 'delete-signal', signal: 'beat' })
  await house.clock.advance(5_000)
  const left = await pushedRows(house.store, house.id)
  const series = await house.store.find('series', { where: { subjectId: house.id }, limit: 9 })
  t.strictSame([left.length, series.length], [0, 0])
  t.equal((await house.subject(house.id))?.hasOutbox, 0, 'nothing is owed any more')
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }])
  t.equal(await house.verdict('down'), 'not_judged')
})

t.test('two inputs that differ only in their thresholds are read again when a report changes one of them', async t => {
  const above = (threshold: number) => ({ signal: 'load', mode: 'latest_value', compare: '>', threshold }) as const
  for (const inputs of [
    [above(10), above(20)],
    [above(20), above(10)],
  ]) {
    const house = await createCustom()
    await house.signal('load', 'custom_event')
    await house.rule('high', inputs, { need: 'all', confirmAfterMs: 0 })
    for (const [value, verdict] of [
      [15, 'ok'],
      [25, 'problem'],
    ] as const) {
      await house.clock.advance(1_000)
      await house.report('load', 'ok', { value })
      t.equal(
        (await house.subject(house.id))?.rules[0]?.verdict?.verdict,
        verdict,
        `above ${inputs[0]?.threshold} first: ${value}`,
      )
    }
  }
})

t.test('input is unknown and its grace period is over after a first report without a number', async t => {
  const house = await createCustom()
  await house.signal('load')
  const above = { signal: 'load', mode: 'latest_value', compare: '>', threshold: 90 } as const
  await house.rule('high', [above], { confirmAfterMs: 0 })
  t.equal(await house.verdict('high'), 'not_judged')
  await house.report('load', 'ok')
  t.equal(await house.verdict('high'), 'no_data', 'it has reported, so its grace is over')
  await house.clock.advance(1_000)
  await house.report('load', 'problem', { value: 95, error: 'hot' })
  t.match((await house.incidents(house.id))[0], {
    status: 'problem',
    evidence: { inputs: [{ value: 'problem', reason: 'hot' }] },
  })
})

t.test(
  "grace of a heartbeat lasts as long as its permitted silence, and begins again when the input's mode or match changes",
  async t => {
    const house = await createCustom()
    await house.signal('beat')
    await house.rule('quick', [{ signal: 'beat', noDataAfterMs: minute }])
    const addedAt = house.clock.now() - 1
    await house.clock.advance(addedAt + minute - house.clock.now())
    t.equal(await house.verdict('quick'), 'not_judged', 'inclusive')
    await house.clock.advance(1)
    t.equal(await house.verdict('quick'), 'no_data')
    const replace = (input: Partial<PolicyInput>) =>
      house.must({ kind: 'replace-rule', rule: 'quick', name: 'Quick', policy: policy([{ signal: 'beat', ...input }]) })
    const input = { compare: '>', threshold: 1, noDataAfterMs: 2 * minute } as const
    await replace({ ...input, mode: 'latest_value' })
    t.equal(await house.verdict('quick'), 'not_judged', 'another mode is another input')
    await replace({ ...input, mode: 'latest_value', match: { a: '1', b: '2' } })
    await house.clock.advance(2 * minute)
    t.equal(await house.verdict('quick'), 'no_data')
    await replace({ ...input, mode: 'latest_value', match: { b: '2', a: '1' } })
    t.equal(await house.verdict('quick'), 'no_data', 'the order of a match says nothing')
    await replace({ ...input, match: { a: '1', b: '2' } })
    t.equal(await house.verdict('quick'), 'not_judged')
  },
)

t.test('rule that is created after an observation was sent again with another status reads the newest status', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  const observedAtUs = house.clock.now() * 1_000
  await house.report('run', 'ok', { observedAtUs })
  await house.report('run', 'problem', { observedAtUs })
  await house.rule('down', [{ signal: 'run' }])
  t.equal(await house.verdict('down'), 'problem')
})

t.test(
  "rule over a website's own signal is not judged for a minute, and has no data after a silence of 3 intervals or of its own limit",
  async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create({ interval_value: 2 })
    const addedAt = world.clock.now()
    const author = (name: string, over: Partial<PolicyInput>) =>
      world.command(id, { kind: 'create-rule', name, policy: policy([{ signal: `s-${id}`, ...over }]), convert: true } as never)
    await author('Own', {})
    const verdict = async (rule = 'own') => (await world.subject(id))?.rules.find(({ slug }) => slug === rule)?.verdict?.verdict
    await world.clock.advance(addedAt + minute - world.clock.now())
    t.equal(await verdict(), 'not_judged')
    await world.clock.advance(1)
    t.equal(await verdict(), 'no_data')
    await world.report(id, true)
    const reportedAt = world.clock.now() - limits.keeper.gatherMs - 1
    await author('Sooner', { noDataAfterMs: 3 * minute })
    await world.clock.advance(reportedAt + 3 * minute - world.clock.now())
    t.equal(await verdict('sooner'), 'ok')
    await world.clock.advance(1)
    t.equal(await verdict('sooner'), 'no_data')
    await world.clock.advance(reportedAt + 6 * minute - world.clock.now())
    t.equal(await verdict(), 'ok')
    await world.clock.advance(1)
    t.equal(await verdict(), 'no_data')
  },
)
