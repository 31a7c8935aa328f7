// Incidents and maintenance of custom subjects in the keeper: alerts, windows, acknowledgements, reminders (reference/incidents).
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { countPushed } from '../../support/worlds/pushed-rows.ts'
import { createWorld, minute, websiteMeta } from '../world.ts'
import { createCustom, hour, policy, refusal, reported } from './custom-world.ts'

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

t.test(
  'incident of a deleted rule closes at once, and only withdraws what stays open; a new rule with the same name opens a new incident',
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
    t.strictSame(await house.kinds(), ['problem', 'withdrawn'], 'of which only alerts that stay open hear (v3 10.16)')
    await house.rule('Down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    t.equal((await house.incidents(house.id)).length, 2, 'another rule, another incident')
    t.strictSame(
      (await house.subject(house.id))?.rules.map(rule => rule.key),
      ['r2'],
    )
  },
)

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
  t.strictSame(await house.kinds(), ['problem', 'acknowledged'])
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

t.test('deleted custom subject loses all its documents', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'problem')
  await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + hour, by: 'Ann' })
  await house.must({ kind: 'delete-subject' })
  await house.clock.advance(5_000)
  t.equal(await countPushed(house.store, house.id), 0)
  for (const collection of ['series', 'policies', 'windows', 'incidents', 'history'] as const)
    t.equal((await house.store.find(collection, { where: { subjectId: house.id }, limit: 9 })).length, 0, collection)
  t.match(await house.store.find('alerts', { limit: 9 }), [{ kind: 'withdrawn' }], 'but what ends an alert elsewhere (v3 10.16)')
  t.equal(refusal(await house.report('beat', 'ok')), 'not_found Subject not found')
})

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
