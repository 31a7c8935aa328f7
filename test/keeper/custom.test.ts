// Custom subjects in the keeper (reference/custom-subjects): signals, rules, observations, maintenance, acknowledgement, on memory bus and
// store with a clock that the test moves.
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { IdempotencyRecord } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import { noReports } from '../../services/keeper/loading/stored-reports.ts'
import { remembered } from '../../services/keeper/step/commands/idempotency.ts'
import { step } from '../../services/keeper/step/step.ts'
import { nothingHeld } from '../../services/keeper/step/types.ts'
import { countPushed, pushedRows } from '../support/worlds/pushed-rows.ts'
import { noTemplates } from './resources/no-templates.ts'
import { createWorld, minute, websiteMeta } from './world.ts'

const hour = 60 * minute
const day = 24 * hour

async function createCustom(wrapStore?: (store: Store) => Store) {
  const world = createWorld(wrapStore)
  const keeper = await world.startOne({ exclusive: true })
  const id = randomId(10)
  const send = (command: Record<string, unknown>) => world.command(id, command as never)
  const must = async (command: Record<string, unknown>) => {
    const reply = await send(command)
    if (!reply.ok) throw new Error(`${command['kind']}: ${reply.error.message}`)
    return reply.result as never
  }
  await must({ kind: 'create-subject', workspaceId: 'w', slug: 'shop', name: 'Shop' })
  const signal = (name: string, kind = 'custom_heartbeat') =>
    must({ kind: 'create-signal', name, signalKind: kind, meta: '{}', convert: false })
  const rule = (name: string, inputs: Partial<PolicyInput>[], over: object = {}) =>
    must({ kind: 'create-rule', name, convert: false, policy: policy(inputs, over) })
  const report = (signalSlug: string, status: 'ok' | 'problem', over: object = {}) =>
    send({
      kind: 'report-observation',
      signal: signalSlug,
      observedAtUs: world.clock.now() * 1_000,
      ...reported,
      status,
      ...over,
    })
  const kinds = async () =>
    (await world.alerts(id))
      .sort((a, b) => a.decidedAt - b.decidedAt)
      .map(({ kind, held, reminder }) => (held ? `held ${kind}` : reminder ? 'reminder' : kind))
  const verdict = async (slug: string) => (await world.subject(id))?.rules.find(one => one.slug === slug)?.verdict?.verdict
  return { ...world, keeper, id, send, must, signal, rule, report, kinds, verdict }
}

const reported = { value: null, error: '', labels: {} }
const unset: PolicyInput = {
  signal: null,
  from: null,
  mode: null,
  compare: null,
  threshold: null,
  match: null,
  noDataAfterMs: null,
}
const policy = (inputs: Partial<PolicyInput>[], over: object = {}) => ({
  inputs: inputs.map(input => ({ ...unset, ...(input.from == null ? { mode: 'status' as const } : {}), ...input })),
  need: 'any',
  atLeast: null,
  confirmAfterMs: 2 * minute,
  closeAfterMs: 2 * minute,
  ...over,
})
const refusal = (reply: Reply) => (reply.ok ? 'accepted' : `${reply.error.code} ${reply.error.message}`)

t.test('custom subject sends an alert when a problem of its first rule lasts for the confirmation delay', async t => {
  const house = await createCustom()
  await house.signal('API errors')
  await house.rule('API down', [{ signal: 'api-errors' }])
  t.equal(await house.verdict('api-down'), 'not_judged', 'young until it has reported or its grace is over')
  await house.report('api-errors', 'problem', { error: 'boom' })
  const [incident] = await house.incidents(house.id)
  t.match(incident, { status: 'pending', ruleKey: 'r1', explanation: '1 of 1 input failing (api-errors)' })
  await house.clock.advance(2 * minute)
  t.strictSame(await house.kinds(), ['problem'])
  const [alert] = await house.alerts(house.id)
  t.match(alert?.facts, { error: 'boom', failing: [], unknown: [], ok: [], url: '', subjectSlug: 'shop', ruleKey: 'api-down' })
  t.equal(alert?.expireAt, (alert?.decidedAt ?? 0) + limits.keeper.alertMs)
  await house.report('api-errors', 'ok')
  await house.clock.advance(2 * minute)
  t.strictSame(await house.kinds(), ['problem', 'recovery'])
  t.match((await house.incidents(house.id))[0], { status: 'ok', closedReason: 'recovered' })
})

t.test('evidence, records and messages show the error of a report without the secrets of its address (v3 11.2)', async t => {
  const house = await createCustom()
  await house.signal('push')
  await house.rule('fails', [{ signal: 'push' }], { confirmAfterMs: 0 })
  await house.report('push', 'problem', { error: 'see https://ann:hidden@queue.example/?api_key=hidden&n=1' })
  const shown = 'see https://queue.example/?api_key=redacted&n=1'
  t.match(await house.incidents(house.id), [{ evidence: { inputs: [{ reason: shown }] } }])
  t.match(await house.alerts(house.id), [{ facts: { error: shown } }])
  const subject = await house.subject(house.id)
  const kept = [
    ...(await house.incidents(house.id)),
    ...(await house.alerts(house.id)),
    ...(await house.history(house.id)),
    subject,
  ]
  t.ok(kept.length >= 4)
  for (const document of kept) t.notMatch(JSON.stringify(document), 'hidden')
})

t.test('report is stored with the reason of its refusal when the keeper refuses it', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const now = house.clock.now()
  await house.report('beat', 'ok', { observedAtUs: now * 1_000 })
  const cases: [string, object, string][] = [
    ['61 s in the future', { observedAtUs: (now + 62_000) * 1_000 }, 'clock_skew'],
    ['50 s in the future', { observedAtUs: (now + 50_000) * 1_000, labels: { other: 'x' } }, 'accepted'],
    ['a day and a minute old, another set of labels', { observedAtUs: (now - day - minute) * 1_000, labels: { a: 'b' } }, 'late'],
    ['older than it is kept', { observedAtUs: (now - 31 * day) * 1_000 }, 'out_of_retention'],
    ['older than the newest of the same labels', { observedAtUs: (now - 1_000) * 1_000 }, 'out_of_order'],
    ['a microsecond older', { observedAtUs: now * 1_000 - 1 }, 'out_of_order'],
    ['older, but of labels that reported nothing', { observedAtUs: (now - 1_000) * 1_000, labels: { zone: 'x' } }, 'accepted'],
    ['of the very same instant', { observedAtUs: now * 1_000 }, 'accepted'],
  ]
  for (const [title, over, reason] of cases) {
    const reply = await house.report('beat', 'ok', over)
    t.match(reply, { ok: true, result: { rejectReason: reason, accepted: reason === 'accepted' } }, title)
  }
  const rows = await pushedRows(house.store, house.id)
  t.equal(rows.length, 8, 'each is stored once: the same instant replaced what was there')
  await house.report('beat', 'problem', { observedAtUs: (now - 2_000) * 1_000 })
  t.equal((await house.incidents(house.id)).length, 0, 'what is not accepted is never judged')
})

t.test('observation that is sent again replaces its row, is accepted as before and is judged again', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const observedAtUs = house.clock.now() * 1_000
  await house.report('beat', 'problem', { observedAtUs, labels: { b: '1', a: '2' } })
  t.equal((await house.incidents(house.id))[0]?.status, 'problem')
  const again = await house.report('beat', 'ok', { observedAtUs, labels: { a: '2', b: '1' } })
  t.match(again, { ok: true, result: { accepted: true } })
  t.equal((await house.incidents(house.id))[0]?.status, 'recovering', 'judged again')
  const rows = await pushedRows(house.store, house.id)
  t.strictSame(
    rows.map(row => row.ok),
    [1],
    'the order of labels says nothing',
  )
  await house.report('beat', 'ok', { observedAtUs: observedAtUs + 5_000_000, labels: { a: '2', b: '1' } })
  t.match(await house.report('beat', 'problem', { observedAtUs, labels: { a: '2', b: '1' } }), {
    result: { rejectReason: 'accepted' },
  })
  t.equal(await house.verdict('down'), 'ok', 'a newer one counts')
})

t.test('observation without an instant is stored once when a retry repeats it', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const command = { kind: 'report-observation', id: 'once', signal: 'beat', observedAtUs: null, ...reported, status: 'ok' }
  const first = await house.send(command)
  await house.clock.advance(1_000)
  t.strictSame(await house.send(command), first)
  t.equal((await pushedRows(house.store, house.id)).length, 1)
})

t.test('stored replies to commands and stamped instants are kept when many reports follow', async t => {
  const house = await createCustom()
  const create = { kind: 'create-signal', id: 'create-once', name: 'run', signalKind: 'custom_event', meta: '{}', convert: false }
  const created = await house.send(create)
  const send = (number: number) => house.report('run', 'ok', { id: `report-${number}`, observedAtUs: null, value: number })
  const answers: Reply[] = []
  for (let number = 0; number < 40; number++) {
    answers.push(await send(number))
    await house.clock.advance(1)
  }
  await house.clock.advance(1_000)
  const repeated: Reply[] = []
  for (let number = 0; number < 40; number++) repeated.push(await send(number))
  t.strictSame(repeated, answers, 'each is answered word for word')
  t.equal(await countPushed(house.store, house.id), 40, 'and stored once')
  t.strictSame(await house.send(create), created, 'a signal whose answer was lost is not refused as taken')
  await house.clock.advance(minute)
  await send(1_000)
  const idempotency = (await house.subject(house.id))?.idempotency ?? []
  t.strictSame(
    idempotency.filter(({ reply }) => reply === null).map(({ id }) => id),
    ['report-1000'],
    'stamps are forgotten soon',
  )
})

t.test('expired replies are removed by the next report that changes a verdict', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }])
  const idsOf = async () => (await house.subject(house.id))?.idempotency.length
  await house.report('beat', 'ok')
  t.equal(await idsOf(), 3, 'of the subject, its signal and its rule')
  await house.clock.advance(limits.keeper.idempotencyAgeMs)
  await house.report('beat', 'problem')
  t.equal(await idsOf(), 0)
})

t.test('command is not refused as `not_found` when the partition of its subject closes while the command is read', async t => {
  const ways: Record<string, (house: Awaited<ReturnType<typeof createCustom>>) => Promise<void> | void> = {
    'handed over': house => house.keeper.service.stop(),
    'opened anew': house => {
      house.hub.cut(house.keeper.bus)
      house.hub.restore(house.keeper.bus)
    },
  }
  for (const [way, close] of Object.entries(ways)) {
    const gate = { ...Promise.withResolvers<void>(), reached: false, shut: false }
    const gated = (store: Store): Store => ({
      ...store,
      get: async (collection, ids) => {
        const found = await store.get(collection, ids)
        if (collection !== 'pushedObservations' || !gate.shut) return found
        gate.reached = true
        await gate.promise
        return found
      },
    })
    const house = await createCustom(gated)
    await house.signal('beat')
    gate.shut = true
    const command = { kind: 'report-observation', id: 'once', signal: 'beat', observedAtUs: 1_000, ...reported, status: 'ok' }
    const asked = house.client
      .request(subjects.command(house.id), command, { timeoutMs: 5_000 })
      .catch((error: Error) => error.message)
    await house.clock.settle()
    t.equal(gate.reached, true, `${way}: the round reads what it needs`)
    const closing = close(house)
    await house.clock.settle()
    gate.shut = false
    gate.resolve()
    await house.clock.advance(5_000)
    t.notMatch(await asked, { error: { code: 'not_found' } }, way)
    await closing
    if (way === 'handed over') await house.startOne({ exclusive: true })
    t.match(await house.send(command), { ok: true }, `${way}: asked again, it is answered`)
    t.equal(await countPushed(house.store, house.id), 1)
  }
})

t.test('observations without an instant are all accepted and stored when they arrive in one millisecond', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const command = { kind: 'report-observation', signal: 'beat', observedAtUs: null, ...reported, status: 'ok' }
  const { kind: _, ...one } = command
  const batch = { kind: 'report-observations', id: 'batch', observations: [one, one, one] }
  const replies = await Promise.all([house.send({ ...command, id: 'a' }), house.send({ ...command, id: 'b' }), house.send(batch)])
  t.match(replies.slice(0, 2), [{ result: { accepted: true } }, { result: { accepted: true } }])
  const rows = await pushedRows(house.store, house.id)
  t.equal(new Set(rows.map(row => row.observedAtUs)).size, 5)
  t.strictSame(await house.send(batch), replies[2], 'repeated, a batch replaces itself')
  t.equal((await pushedRows(house.store, house.id)).length, 5)
})

t.test(
  'after a set-back of the clock an observation is accepted if the keeper stamps it, and refused if its sender does',
  async t => {
    const house = await createCustom()
    await house.signal('beat')
    await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    t.match(await house.report('beat', 'ok', { observedAtUs: null }), { result: { rejectReason: 'accepted' } })
    house.clock.stepWall(-hour)
    t.match(await house.report('beat', 'problem', { observedAtUs: null }), { result: { rejectReason: 'accepted' } })
    t.equal(await house.verdict('down'), 'problem')
    const ahead = (house.clock.now() + 61_000) * 1_000
    t.match(await house.report('beat', 'ok', { observedAtUs: ahead }), { result: { rejectReason: 'clock_skew' } })
  },
)

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

t.test('incident closes no earlier than it began when its rule is deleted after the clock was set back', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'problem')
  const [open] = await house.incidents(house.id)
  house.clock.stepWall(-5_000)
  await house.must({ kind: 'delete-rule', rule: 'down' })
  t.match((await house.incidents(house.id))[0], { open: 0, closedReason: 'rule_removed', closedAt: open?.troubleSince })
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

t.test(
  'incident of a deleted rule closes at once without a message; a new rule with the same name opens a new incident',
  async t => {
    const house = await createCustom()
    await house.signal('beat')
    await house.rule('Down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    await house.report('beat', 'problem')
    await house.clock.advance(minute)
    await house.must({ kind: 'delete-rule', rule: 'down' })
    t.match((await house.incidents(house.id))[0], {
      open: 0,
      status: 'ok',
      closedReason: 'rule_removed',
      closedAt: house.clock.now() - 1,
    })
    t.strictSame(await house.kinds(), ['problem'])
    await house.rule('Down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    t.equal((await house.incidents(house.id)).length, 2, 'another rule, another incident')
    t.strictSame(
      (await house.subject(house.id))?.rules.map(rule => rule.key),
      ['r2'],
    )
  },
)

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

t.test('maintenance withholds messages about problems, lets recoveries be sent, and ends without a message', async t => {
  const house = await createCustom()
  await house.signal('beat', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: minute, closeAfterMs: minute })
  const endsAt = house.clock.now() + hour
  t.match(await house.must({ kind: 'start-maintenance', endsAt, by: 'Ann' }), { endsAt, cancelledAt: null, by: 'Ann' })
  t.equal(refusal(await house.send({ kind: 'start-maintenance', endsAt, by: 'Bob' })), 'invalid_state Already in maintenance')
  await house.report('beat', 'problem')
  const confirmedAt = house.clock.now() - 1 + minute
  await house.clock.advance(2 * hour)
  t.strictSame(await house.kinds(), ['held problem'], 'nothing is sent when it runs out')
  t.equal((await house.subject(house.id))?.maintenance, null)
  const [window] = await house.store.find('windows', { where: { subjectId: house.id }, limit: 9 })
  t.match(window, { state: 'ranOut', cancelledAt: null, steps: [{ state: 'running' }, { state: 'ranOut' }] })
  await house.clock.advance(confirmedAt + 4 * hour - house.clock.now())
  t.strictSame(await house.kinds(), ['held problem', 'problem'], 'told at its next reminder time')
  await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + hour, by: 'Ann' })
  await house.report('beat', 'ok')
  await house.clock.advance(minute)
  t.strictSame(await house.kinds(), ['held problem', 'problem', 'recovery'], 'a recovery is never held')
})

t.test('maintenance window ends on time even if its subject has no other deadline', async t => {
  const house = await createCustom()
  await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + 10 * minute, by: 'Ann' })
  await house.must({ kind: 'move-maintenance', endsAt: house.clock.now() + 20 * minute })
  await house.clock.advance(20 * minute)
  t.equal((await house.subject(house.id))?.maintenance, null)
  t.equal(refusal(await house.send({ kind: 'cancel-maintenance' })), 'not_found No maintenance window')
  t.match(await house.send({ kind: 'start-maintenance', endsAt: house.clock.now() + 10 * minute, by: 'Ann' }), { ok: true })
})

t.test('problem is notified when its confirmation delay ends at the exact end of the maintenance window', async t => {
  const house = await createCustom()
  await house.signal('beat', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: minute })
  await house.report('beat', 'problem')
  const confirmedAt = house.clock.now() - 1 + minute
  await house.must({ kind: 'start-maintenance', endsAt: confirmedAt, by: 'Ann' })
  await house.clock.advance(2 * minute)
  t.strictSame(await house.kinds(), ['problem'])
})

t.test('window whose end is moved keeps its start, and problems are notified as usual after it is cancelled', async t => {
  const house = await createCustom()
  await house.signal('beat', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 10 * minute })
  await house.report('beat', 'problem')
  const started = (await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + hour, by: 'Ann' })) as {
    startedAt: number
  }
  const endsAt = house.clock.now() + 2 * hour
  t.match(await house.must({ kind: 'move-maintenance', endsAt }), { startedAt: started.startedAt, endsAt })
  t.equal(refusal(await house.send({ kind: 'move-maintenance', endsAt: house.clock.now() })), 'validation invalid observed_at')
  const cancelled = (await house.must({ kind: 'cancel-maintenance' })) as { cancelledAt: number }
  t.equal(cancelled.cancelledAt, house.clock.now() - 1)
  await house.clock.advance(10 * minute)
  t.strictSame(await house.kinds(), ['problem'])
})

t.test('acknowledgement records only the first person and stops reminders', async t => {
  const house = await createCustom()
  await house.signal('beat', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'problem')
  const [incident] = await house.incidents(house.id)
  const acknowledge = (by: string) => house.must({ kind: 'acknowledge-incident', incidentId: incident?.id, by, via: 'api' })
  const first = (await acknowledge('Ann')) as { acknowledgedAt: number }
  t.match(first, { recorded: true, acknowledgedBy: 'Ann', status: 'problem', ruleSlug: 'down' })
  await house.clock.advance(minute)
  t.match(await acknowledge('Bob'), { recorded: false, acknowledgedBy: 'Ann', acknowledgedAt: first.acknowledgedAt })
  t.match((await house.incidents(house.id))[0], { acknowledgedBy: 'Ann', status: 'problem' })
  await house.clock.advance(4 * hour + 2 * minute)
  t.strictSame(await house.kinds(), ['problem'])
})

t.test('confirmed problem gets reminders, and its incident keeps its state, while its rule is not judged', async t => {
  const house = await createCustom()
  await house.signal('errors', 'custom_event')
  await house.signal('beat')
  await house.rule('down', [{ signal: 'errors' }], { confirmAfterMs: 0 })
  await house.report('errors', 'problem')
  const inputs = [{ signal: 'errors' }, { signal: 'beat', noDataAfterMs: 30 * hour }]
  await house.must({ kind: 'replace-rule', rule: 'down', name: 'Down', policy: policy(inputs, { need: 'all', closeAfterMs: 0 }) })
  t.equal(await house.verdict('down'), 'not_judged')
  await house.clock.advance(9 * hour)
  t.strictSame(await house.kinds(), ['problem', 'reminder', 'reminder'])
  t.match(await house.incidents(house.id), [{ status: 'problem', condition: 'problem', closedAt: null }])
})

t.test('website becomes custom once, by its first signal or rule, and its checks continue', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  const signal = { kind: 'create-signal', name: 'Beat', signalKind: 'custom_event', meta: '{}' }
  t.equal(
    refusal(await world.command(id, { ...signal, convert: false } as never)),
    'invalid_state Website subjects are managed elsewhere',
  )
  t.match(await world.command(id, { ...signal, convert: true } as never), { ok: true })
  t.equal((await world.subject(id))?.kind, 'custom')
  t.equal(
    refusal(await world.command(id, { kind: 'update-signal', signal: `s-${id}`, name: 'x', meta: '{}' } as never)),
    'forbidden Signal is managed by Website monitoring',
  )
  const report = { kind: 'report-observation', signal: `s-${id}`, observedAtUs: null, ...reported, status: 'ok' }
  t.equal(refusal(await world.command(id, report as never)), 'forbidden Signal does not accept posted observations')
  t.equal(
    refusal(await world.command(id, { kind: 'delete-rule', rule: 'reachability' } as never)),
    'forbidden Rule is managed by Website monitoring',
  )
  const authored = policy([{ signal: `s-${id}`, mode: 'latest_value', compare: '>', threshold: 2 }], { confirmAfterMs: 0 })
  await world.command(id, { kind: 'create-rule', name: 'Slow', policy: authored, convert: true } as never)
  await world.report(id, true)
  const verdicts = (await world.subject(id))?.rules.map(({ slug, verdict }) => [slug, verdict?.verdict])
  t.strictSame(
    verdicts,
    [
      ['reachability', 'ok'],
      ['slow', 'problem'],
    ],
    'its latency is a number that a rule may read',
  )
})

t.test('command changes nothing when its subject is of another kind', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  t.equal(
    refusal(await world.command(id, { kind: 'delete-subject', subjectKind: 'custom' } as never)),
    'invalid_state Website subjects are managed elsewhere',
  )
  await world.command(id, { kind: 'create-signal', name: 'Beat', signalKind: 'custom_event', meta: '{}', convert: true } as never)
  const reply = await world.command(id, { kind: 'delete-subject', subjectKind: 'website' } as never)
  t.equal(refusal(reply), 'invalid_state Custom subjects are managed elsewhere')
  t.match(reply, { error: { details: new RegExp(`/v2/subjects/s-${id}`, 'i') } })
  const { confirm_after: _, recover_after: __, ...check } = websiteMeta
  const update = { kind: 'update-website', name: 'Shop', check: { ...check, failure_mode: null } }
  t.equal(refusal(await world.command(id, update as never)), 'invalid_state Custom subjects are managed elsewhere')
  t.equal((await world.subject(id))?.deletedAt, null)
})

t.test('successor continues windows, silences and holds when the first keeper dies', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: minute })
  await house.report('beat', 'ok')
  await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + 3 * minute, by: 'Ann' })
  house.hub.cut(house.keeper.bus)
  await house.startOne({ keeperId: 'rival' })
  await house.clock.advance(20_000)
  t.match(
    await house.report('beat', 'ok', { observedAtUs: (house.clock.now() - 60_000) * 1_000 }),
    { result: { rejectReason: 'out_of_order' } },
    'the newest of a set of labels is remembered',
  )
  await house.clock.advance(7 * minute)
  t.equal((await house.subject(house.id))?.maintenance, null)
  t.strictSame(await house.kinds(), ['no_data'], 'silent after 5 minutes, confirmed a minute later, when the window was over')
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

t.test('report that changes no verdict is stored with its series, and its subject is not written', async t => {
  const writes: string[] = []
  const house = await createCustom(store => ({
    ...store,
    putInOrder: async puts => {
      writes.push(puts.flatMap(({ collection, documents }) => (documents.length > 0 ? [collection] : [])).join(' '))
      return await store.putInOrder(puts)
    },
  }))
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const statuses = ['ok', 'ok', 'problem', 'problem'] as const
  writes.length = 0
  for (const status of statuses) {
    t.match(await house.report('beat', status, { value: writes.length }), { ok: true, result: { accepted: true } })
    const seen = writes.splice(0).filter(names => names.includes('pushed'))
    t.strictSame(seen.length, 1, 'one write for all of it')
    t.equal(seen[0], `pushedObservations series${seen[0]?.endsWith('subjects') ? ' subjects' : ''}`)
  }
  const before = await house.subject(house.id)
  for (let i = 0; i < 3; i++) await house.report('beat', 'problem', { value: i })
  const after = await house.subject(house.id)
  t.equal(after?.judgedAt, before?.judgedAt, 'the document is as it was')
  const [series] = await house.store.find('series', { where: { subjectId: house.id }, limit: 9 })
  t.match(series, { value: 2, status: 'problem', subjectRev: after?.rev, observedAtUs: (house.clock.now() - 1) * 1_000 })
})

t.test('newest report of a series is remembered as long as the rows of the series are kept', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.report('beat', 'ok')
  await house.clock.advance(minute)
  const at = house.clock.now()
  await house.report('beat', 'ok')
  const [series] = await house.store.find('series', { where: { subjectId: house.id }, limit: 9 })
  const keptMs = (series?.expireAt ?? 0) - at
  t.ok(keptMs >= limits.retention.pushedMs && keptMs <= limits.retention.pushedMs + hour, `${keptMs} ms`)
})

t.test("keeper accepts a sender's newer reports without a read of the store, and recognizes repeated reports", async t => {
  const reads: string[] = []
  const house = await createCustom(store => ({
    ...store,
    get: async (collection, ids) => {
      reads.push(`${collection} ${ids.length}`)
      return await store.get(collection, ids)
    },
    find: async (collection, query) => {
      reads.push(`find ${collection}`)
      return await store.find(collection, query)
    },
  }))
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const startedAt = house.clock.now()
  const at = (ms: number) => ({ observedAtUs: (startedAt + ms) * 1_000 })
  await house.report('beat', 'ok', at(0))
  await house.report('beat', 'ok', at(1))
  reads.length = 0
  for (let ms = 2; ms < 9; ms++) t.match(await house.report('beat', 'ok', at(ms)), { result: { accepted: true } })
  t.strictSame(reads, [], 'newer than all before')
  const early = { result: { rejectReason: 'clock_skew' } }
  t.match(await house.report('beat', 'problem', at(5 * minute)), early)
  await house.clock.advance(4.5 * minute)
  await house.report('beat', 'ok', at(4 * minute))
  reads.length = 0
  t.match(await house.report('beat', 'problem', at(5 * minute)), early, 'sent again it keeps its reason')
  t.strictSame(reads, ['pushedObservations 1'])
  t.match(await house.report('beat', 'ok', at(3)), { result: { accepted: true } }, 'and an old one its acceptance')
  t.match(await house.report('beat', 'ok', at(10)), { result: { rejectReason: 'out_of_order' } })
  t.equal(await countPushed(house.store, house.id), 12)
  for (let i = 0; i < 2 * limits.keeper.seriesInMemory; i++)
    await house.report('beat', 'ok', { ...at(11), labels: { i: `${i}` } })
  t.match(
    await house.report('beat', 'ok', at(10)),
    { result: { rejectReason: 'out_of_order' } },
    'also among many sets of labels',
  )
})

t.test('successor knows the reports that came after the last write of their subject', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }, { signal: 'beat', match: { zone: 'a' } }], { confirmAfterMs: 0 })
  for (let i = 0; i < 8; i++) {
    for (const labels of [{}, { zone: 'a' }]) await house.report('beat', 'ok', { labels })
    await house.clock.advance(minute)
  }
  const written = (await house.subject(house.id))?.judgedAt ?? 0
  t.ok(house.clock.now() - written > 6 * minute, 'the document is older than silence takes')
  house.hub.cut(house.keeper.bus)
  await house.startOne({ keeperId: 'successor' })
  await house.clock.advance(3 * minute)
  await house.report('beat', 'ok', { labels: { zone: 'b' } })
  t.strictSame(await house.kinds(), [], 'silence counts from the newest report of each')
  t.equal(await house.verdict('down'), 'ok')
  await house.clock.advance(2 * minute)
  t.strictSame(await house.kinds(), ['no_data'])
})

t.test(
  'rule reads the report that arrived last when two series have the same instant, also after a take-over by another keeper',
  async t => {
    for (const [first, last] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const house = await createCustom()
      for (const name of ['beat', 'other']) await house.signal(name, 'custom_event')
      await house.rule('down', [{ signal: 'beat' }, { signal: 'other' }], { need: 'all', confirmAfterMs: 0, closeAfterMs: 0 })
      const observedAtUs = house.clock.now() * 1_000
      const observations = [
        { signal: 'beat', ...reported, status: 'problem', observedAtUs, labels: { zone: first } },
        { signal: 'beat', ...reported, status: 'ok', observedAtUs, labels: { zone: last } },
      ]
      await house.must({ kind: 'report-observations', observations })
      house.hub.cut(house.keeper.bus)
      await house.startOne({ keeperId: 'successor' })
      await house.clock.advance(20_000)
      await house.report('other', 'problem')
      t.equal(await house.verdict('down'), 'ok', `${first}, then ${last}`)
      t.strictSame(await house.kinds(), [])
    }
  },
)

t.test(
  'observation that is sent again to a successor replaces its earlier report, even if no rule has read that report',
  async t => {
    const house = await createCustom()
    await house.signal('beat', 'custom_event')
    const observedAtUs = house.clock.now() * 1_000
    for (let i = 4; i >= 0; i--) await house.report('beat', 'ok', { observedAtUs: observedAtUs - i })
    house.hub.cut(house.keeper.bus)
    await house.startOne({ keeperId: 'successor' })
    await house.clock.advance(20_000)
    await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    t.equal(await house.verdict('down'), 'ok')
    t.match(await house.report('beat', 'problem', { observedAtUs }), { result: { accepted: true } })
    t.equal(await house.verdict('down'), 'problem')
  },
)

t.test('input is not silent right after a take-over, even if there is no checkpoint', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  // A report that the keeper stamps is written with its subject, so the partition never writes a checkpoint.
  await house.report('beat', 'ok', { observedAtUs: null })
  await Promise.all([house.keeper.service.stop(), house.clock.advance(100)])
  t.equal(await house.store.count('checkpoints', {}), 0)
  await house.clock.advance(12 * minute)
  await house.startOne()
  await house.clock.advance(21_000)
  await house.report('beat', 'ok', { observedAtUs: null })
  await house.clock.advance(11 * minute)
  t.strictSame(await house.kinds(), [])
  await house.clock.advance(minute)
  t.strictSame(await house.kinds(), ['no_data'], 'and real silence is seen')
})

t.test('silent input stays silent for a successor whatever the age of the checkpoint', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.signal('other', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }, { signal: 'other' }], { confirmAfterMs: 0, closeAfterMs: 0 })
  for (let i = 0; i < 2; i++) await house.report('beat', 'ok')
  await house.clock.advance(10 * minute)
  t.equal(await house.store.count('checkpoints', {}), 1, 'written with the second report')
  t.strictSame(await house.kinds(), ['no_data'])
  house.hub.cut(house.keeper.bus)
  await house.startOne({ keeperId: 'successor' })
  await house.clock.advance(11_000)
  t.match(await house.report('other', 'ok'), { ok: true })
  t.equal(await house.verdict('down'), 'no_data')
  await house.clock.advance(minute)
  t.strictSame(await house.kinds(), ['no_data'], 'nobody is told of a recovery that was none')
})

t.test('report that a keeper stored before its death is judged by the next keeper', async t => {
  const dying = { now: false }
  const house = await createCustom(store => ({
    ...store,
    putInOrder: async puts => {
      if (!dying.now) return await store.putInOrder(puts)
      await store.putInOrder(puts.filter(({ collection }) => collection !== 'subjects'))
      return await new Promise<never>(() => undefined)
    },
  }))
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'ok')
  dying.now = true
  const reportedAt = house.clock.now()
  const command = { kind: 'report-observation', id: 'last', signal: 'beat', observedAtUs: reportedAt * 1_000, ...reported }
  const asked = house.client.request(subjects.command(house.id), { ...command, status: 'problem' }, { timeoutMs: 1_000 })
  asked.catch(() => undefined)
  await house.clock.settle()
  house.hub.cut(house.keeper.bus)
  dying.now = false
  t.equal(await house.verdict('down'), 'ok', 'not judged')
  await house.startOne({ keeperId: 'successor' })
  await house.clock.advance(20_000)
  await house.report('beat', 'problem', { observedAtUs: (reportedAt - 1) * 1_000 })
  const [incident] = await house.incidents(house.id)
  t.match(incident, { status: 'problem', troubleSince: reportedAt }, 'as of the instant at which it was reported')
})

t.test('acknowledged reports still count when a predecessor writes their subject late', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.signal('other', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }, { signal: 'other' }], { confirmAfterMs: 0 })
  await house.report('beat', 'ok')
  const late = await house.subject(house.id)
  for (let i = 0; i < 4; i++) {
    await house.clock.advance(minute)
    await house.report('beat', 'ok')
  }
  if (late === null) throw new Error('no subject')
  await house.store.replace('subjects', [{ ...late, rev: late.rev + 1, writer: 'predecessor' }])
  t.match(await house.report('other', 'ok'), { ok: true }, 'refused, read and stepped again')
  await house.clock.advance(3 * minute)
  t.strictSame(await house.kinds(), [], 'the reports of the last minutes still count')
  t.equal(await house.verdict('down'), 'ok')
})

t.test('keeper reads a series again when another keeper has replaced it', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.rule('down', [{ signal: 'run' }], { confirmAfterMs: 0 })
  const at = house.clock.now() * 1_000
  await house.report('run', 'ok', { observedAtUs: at })
  const [series] = await house.store.find('series', { where: { subjectId: house.id }, limit: 1 })
  if (series === undefined) throw new Error('no series')
  const overtaken = { rev: series.rev + 1, writer: 'rival', observedAtUs: at + 2, number: 2, status: 'problem' } as const
  await house.store.replace('series', [{ ...series, ...overtaken }])
  t.match(await house.report('run', 'ok', { observedAtUs: at + 1 }), { ok: true })
  t.equal(await house.verdict('down'), 'problem')
  t.match(await house.store.get('series', [series.id]), [{ observedAtUs: at + 2, status: 'problem' }])
})

t.test('deleted custom subject loses all its documents', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'problem')
  await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + hour, by: 'Ann' })
  await house.must({ kind: 'delete-subject' })
  await house.clock.advance(5_000)
  t.equal(await countPushed(house.store, house.id), 0)
  for (const collection of ['series', 'policies', 'windows', 'incidents', 'history', 'alerts'] as const)
    t.equal((await house.store.find(collection, { where: { subjectId: house.id }, limit: 9 })).length, 0, collection)
  t.equal(refusal(await house.report('beat', 'ok')), 'not_found Subject not found')
})

t.test('long text of a sender is stored whole in its row and shortened in the verdict', async t => {
  const house = await createCustom()
  await house.signal('beat', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const error = '😀'.repeat(2_000)
  await house.report('beat', 'problem', { error })
  const [row] = await pushedRows(house.store, house.id)
  t.equal(row?.error, error)
  const [entry] = await house.history(house.id)
  t.equal(entry?.evidence?.inputs[0]?.reason, '😀'.repeat(300), 'as many as a message shows (reference/messages 5.3)')
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

t.test('replaced recovery delay takes effect at once, even if nothing else of the rule changed', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.rule('down', [{ signal: 'run' }], { confirmAfterMs: 0 })
  await house.report('run', 'problem')
  await house.report('run', 'ok')
  const wellSince = house.clock.now() - 1
  t.match((await house.incidents(house.id))[0], { status: 'recovering', wellSince, effectiveAt: wellSince })
  const closeAfter = (closeAfterMs: number) =>
    house.must({
      kind: 'replace-rule',
      rule: 'down',
      name: 'Down',
      policy: policy([{ signal: 'run' }], { confirmAfterMs: 0, closeAfterMs }),
    })
  await closeAfter(10 * minute)
  await house.clock.advance(8 * minute)
  t.match((await house.incidents(house.id))[0], { status: 'recovering' })
  await closeAfter(5 * minute)
  t.match((await house.incidents(house.id))[0], { status: 'ok', closedAt: wellSince })
})

t.test('unchanged verdict keeps its first instant, and a recovery names no error although an input still fails', async t => {
  const house = await createCustom()
  for (const name of ['one', 'two', 'three']) await house.signal(name, 'custom_event')
  const inputs = ['one', 'two', 'three'].map(signal => ({ signal }))
  await house.rule('down', inputs, { need: 'majority', confirmAfterMs: 0, closeAfterMs: minute })
  await house.report('one', 'problem', { error: 'one is down' })
  await house.report('two', 'problem')
  const since = house.clock.now() - 1
  await house.clock.advance(1_000)
  await house.report('three', 'problem')
  t.match((await house.subject(house.id))?.rules[0]?.verdict, { verdict: 'problem', since })
  for (const name of ['two', 'three']) await house.report(name, 'ok')
  await house.clock.advance(minute)
  const told = (await house.alerts(house.id)).sort((a, b) => a.number - b.number)
  t.strictSame(
    told.map(({ kind, facts }) => [kind, facts.error]),
    [
      ['problem', 'one is down'],
      ['recovery', ''],
    ],
  )
})

t.test('repeated report without an instant replaces no later report of the same millisecond', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const command = { kind: 'report-observation', signal: 'beat', observedAtUs: null, ...reported, status: 'ok' }
  await Promise.all(['a', 'b', 'a', 'c'].map((id, value) => house.send({ ...command, id, value })))
  t.strictSame((await pushedRows(house.store, house.id)).map(({ value }) => value).sort(), [1, 2, 3], 'b, a again, and c')
})

t.test('rule that is created after an observation was sent again with another status reads the newest status', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  const observedAtUs = house.clock.now() * 1_000
  await house.report('run', 'ok', { observedAtUs })
  await house.report('run', 'problem', { observedAtUs })
  await house.rule('down', [{ signal: 'run' }])
  t.equal(await house.verdict('down'), 'problem')
})

t.test('each maintenance window has its own record with the latest changes of the window', async t => {
  const house = await createCustom()
  const endsAt = house.clock.now() + hour
  await house.must({ kind: 'start-maintenance', endsAt, by: 'Ann' })
  await house.must({ kind: 'cancel-maintenance' })
  await house.must({ kind: 'start-maintenance', endsAt, by: 'Bob' })
  for (let i = 1; i <= limits.maintenance.steps; i++) await house.must({ kind: 'move-maintenance', endsAt: endsAt + i })
  const windows = await house.store.find('windows', { where: { subjectId: house.id }, sort: [['startedAt', 'asc']], limit: 9 })
  t.strictSame(
    windows.map(({ id, by, state, endsAt: end }) => [id, by, state, end]),
    [
      [`${house.id}.w1`, 'Ann', 'cancelled', endsAt],
      [`${house.id}.w2`, 'Bob', 'running', endsAt + limits.maintenance.steps],
    ],
  )
  t.equal(windows[1]?.steps.length, limits.maintenance.steps)
  t.match(windows[1]?.steps.at(-1), { event: { type: 'end.moved', endsAt: endsAt + limits.maintenance.steps } })
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

t.test('reports of one round count as if each report had its own round', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.signal('beat')
  const at = (ms: number) => ({ observedAtUs: (house.clock.now() + ms) * 1_000 })
  await Promise.all([house.report('run', 'problem', at(0)), house.rule('down', [{ signal: 'run' }])])
  t.equal(await house.verdict('down'), 'problem', 'a rule reads what was reported just before it')
  const sent = await Promise.all([
    house.report('beat', 'ok', at(-2_000)),
    house.report('beat', 'ok', at(-1_000)),
    house.report('beat', 'problem', at(-2_000)),
  ])
  t.match(sent[2], { result: { accepted: true } }, 'sent again, it keeps its acceptance')
  const behind = await Promise.all([house.report('beat', 'ok', at(-500)), house.report('beat', 'problem', at(-600))])
  t.match(behind, [{ result: { accepted: true } }, { result: { rejectReason: 'out_of_order' } }])
  await house.rule('quiet', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await Promise.all([house.report('beat', 'problem', at(0)), house.report('beat', 'problem', at(1))])
  const incidents = (await house.incidents(house.id)).filter(({ ruleKey }) => ruleKey === 'r2')
  t.match(incidents, [{ status: 'problem' }], 'one that says nothing new takes back no commit')
})

t.test('last 16 replies are kept, one for each command', t => {
  const { idempotencyRecords: most } = limits.keeper
  let kept: IdempotencyRecord[] = []
  for (let at = 0; at < most + 4; at++) kept = remembered(kept, { id: `c${at}`, at, reply: '{}' })
  t.strictSame(
    kept.map(({ id }) => id),
    Array.from({ length: most }, (_, i) => `c${i + 4}`),
  )
  const again = remembered(remembered([], { id: 'r', at: 1, reply: null }), { id: 'r', at: 2, reply: null })
  t.match(again, [{ id: 'r', at: 2 }])
  t.equal(again.length, 1)
  t.end()
})

t.test('each report of a batch finds the earlier reports of the batch as if they were stored', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const now = house.clock.now() * 1_000
  const one = (observedAtUs: number) => ({ signal: 'beat', ...reported, status: 'ok', observedAtUs })
  const observations = [one(now - 2_000), one(now), one(now - 2_000), one(now - 1_000)]
  const { results } = (await house.must({ kind: 'report-observations', observations })) as { results: object[] }
  const reasons = ['accepted', 'accepted', 'accepted', 'out_of_order']
  t.match(
    results,
    reasons.map(rejectReason => ({ ok: true, observation: { rejectReason } })),
  )
  const refusedRow = (await house.store.find('pushedObservations', { where: {}, limit: 9 })).find(
    row => row.rejectReason !== null,
  )
  t.equal(
    refusedRow?.expireAt,
    house.clock.now() - 1 + limits.retention.pushedMs,
    'what is never judged leaves on a day of its own',
  )
  const two = { kind: 'report-observations', observations: [one(now + 2_000), one(now + 1_000)] }
  t.match(await house.must(two), { results: [{ ok: true }, { observation: { rejectReason: 'out_of_order' } }] }, 'of two also')
})

t.test('report that changes no verdict leaves the earlier deadlines of its input in force', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.rule('down', [{ signal: 'run' }], { confirmAfterMs: minute })
  await house.report('run', 'problem')
  const subject = await house.subject(house.id)
  const now = house.clock.now() + 2 * minute
  const command = {
    kind: 'report-observation',
    id: 'r',
    signal: 'run',
    ...reported,
    status: 'problem',
    observedAtUs: now * 1_000,
  }
  const context = { now, held: nothingHeld, confirmAfterMs: 0, closeAfterMs: 0, templateOf: noTemplates, stored: noReports }
  const stepped = step(subject, { kind: 'command', subjectId: house.id, at: now, command: command as never }, context)
  t.equal(stepped.change, 'commit')
  t.equal(stepped.subject?.rules[0]?.incident?.value, 'problem')
})
