// Judging, alerts, acknowledgement and maintenance of custom subjects of generation 2 (reference/custom-subjects). Tested on the real
// keeper in virtual time.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { type Refusal, resultOf } from '../../support/clients/answers.ts'
import type { Answer } from '../../support/worlds/api-world.ts'
import {
  anyOf,
  at,
  documentsNameEveryRefusal,
  editor,
  get,
  home,
  incidents,
  iso,
  made,
  minute,
  post,
  raw,
  refuses,
  remove,
  report,
  rule,
  second,
  signal,
  statusOf,
  stranger,
  viewer,
  watched,
  website,
  world,
} from '../../support/worlds/subjects-v2-world.ts'

t.test('reports open, change and close incidents', async t => {
  t.test('first bad report opens a pending incident with exactly the documented fields', async t => {
    const { subject, slug, ruleSlug } = await watched()
    t.strictSame(await incidents(subject), [], 'none before')
    resultOf(await report(subject, slug, { status: 'problem' }))
    const troubleSince = iso(world.clock.now())
    const [incident, ...more] = await incidents(subject)
    t.strictSame(more, [])
    t.match(incident.id, /^[A-Za-z][0-9A-Za-z]+$/)
    t.strictSame(incident, {
      id: incident.id,
      subject_id: subject,
      rule_id: ruleSlug,
      rule_name: 'Trouble',
      status: 'pending',
      trouble_since: troubleSince,
      confirmed_at: null,
      well_since: null,
      acknowledged: false,
      acknowledged_at: null,
      acknowledged_by: '',
      kind: 'subject_incident',
    })
    t.strictSame(await resultOf(await get(at(subject, 'incidents'), viewer)), [incident])
  })

  t.test('incident passes pending, problem, recovering and closed at the exact end of each delay', async t => {
    const { subject, slug } = await watched(one => ({
      ...anyOf(statusOf(one)),
      wait: { confirm_after: '90s', close_after: '3m' },
    }))
    const opened = world.clock.now()
    resultOf(await report(subject, slug, { status: 'problem' }))
    await world.clock.advance(89 * second)
    t.match(await incidents(subject), [{ status: 'pending' }])
    await world.clock.advance(2 * second)
    t.match(await incidents(subject), [
      { status: 'problem', trouble_since: iso(opened), confirmed_at: iso(opened + 90 * second) },
    ])
    const wellSince = world.clock.now()
    resultOf(await report(subject, slug, { status: 'ok' }))
    t.match(await incidents(subject), [{ status: 'recovering', well_since: iso(wellSince) }])
    resultOf(await report(subject, slug, { status: 'problem', labels: { again: 'x' } }))
    t.match(await incidents(subject), [{ status: 'problem', well_since: null, trouble_since: iso(opened) }], 'bad again')
    resultOf(await report(subject, slug, { status: 'ok', labels: { again: 'x' } }))
    await world.clock.advance(179 * second)
    t.match(await incidents(subject), [{ status: 'recovering' }])
    await world.clock.advance(2 * second)
    t.strictSame(await incidents(subject), [], 'closed incidents are not listed')
  })

  t.test('delays default to two minutes, and a delay of 0s confirms at the first judgement', async t => {
    const { subject, slug } = await watched()
    resultOf(await report(subject, slug, { status: 'problem' }))
    await world.clock.advance(119 * second)
    t.match(await incidents(subject), [{ status: 'pending' }])
    await world.clock.advance(2 * second)
    t.match(await incidents(subject), [{ status: 'problem' }])
    const quick = await watched(one => ({ ...anyOf(statusOf(one)), wait: { confirm_after: '0s' } }))
    resultOf(await report(quick.subject, quick.slug, { status: 'problem' }))
    t.match(await incidents(quick.subject), [{ status: 'problem', confirmed_at: iso(world.clock.now()) }])
  })

  t.test('silent heartbeat becomes no_data after `no_data_after`, and a silent event never does', async t => {
    const { subject, slug } = await watched(one => anyOf(statusOf(one, { no_data_after: '1m' })), 'heartbeat')
    const event = await watched()
    resultOf(await report(subject, slug, { status: 'ok' }))
    resultOf(await report(event.subject, event.slug, { status: 'ok' }))
    await world.clock.advance(60 * second)
    t.strictSame(await incidents(subject), [], 'not at its time, only after it')
    await world.clock.advance(2)
    t.match(await incidents(subject), [{ status: 'pending' }])
    await world.clock.advance(2 * minute)
    t.match(await incidents(subject), [{ status: 'no_data' }])
    t.strictSame(await incidents(event.subject), [])
    resultOf(await report(subject, slug, { status: 'ok' }))
    t.match(await incidents(subject), [{ status: 'recovering' }])
  })

  t.test('heartbeat that never reported has no data after its grace of 5 minutes', async t => {
    const { subject } = await watched(one => anyOf(statusOf(one)), 'heartbeat')
    await world.clock.advance(5 * minute)
    t.strictSame(await incidents(subject), [])
    await world.clock.advance(2)
    t.match(await incidents(subject), [{ status: 'pending' }])
  })

  t.test('input of mode latest_value compares the reported number at any status, and is unknown without a number', async t => {
    const above = (one: string) => anyOf({ signal: one, mode: 'latest_value', compare: '>', threshold: 90 })
    const { subject, slug } = await watched(above)
    resultOf(await report(subject, slug, { status: 'problem', value: 90 }))
    t.strictSame(await incidents(subject), [])
    await world.clock.advance(1)
    resultOf(await report(subject, slug, { status: 'ok', value: 90.5 }))
    t.match(await incidents(subject), [{ status: 'pending' }])
    const silent = await watched(above)
    resultOf(await report(silent.subject, silent.slug, { status: 'ok' }))
    t.match(await incidents(silent.subject), [{ status: 'pending' }], 'unknown, not false')
  })

  t.test('match selects by label, and * selects any value of a present label', async t => {
    const { subject, slug } = await watched(one => anyOf(statusOf(one, { match: { zone: 'a', host: '*' } })))
    resultOf(await report(subject, slug, { status: 'problem', labels: { zone: 'b', host: 'x' } }))
    resultOf(await report(subject, slug, { status: 'problem', labels: { zone: 'a' } }))
    t.strictSame(await incidents(subject), [])
    resultOf(await report(subject, slug, { status: 'problem', labels: { zone: 'a', host: 'y', more: 'z' } }))
    t.match(await incidents(subject), [{ status: 'pending' }])
  })

  t.test('observation that is not accepted is never judged', async t => {
    const { subject, slug } = await watched()
    const skewed = resultOf(await report(subject, slug, { status: 'problem', observed_at: iso(world.clock.now() + 61 * second) }))
    t.equal(skewed.reject_reason, 'clock_skew')
    t.strictSame(await incidents(subject), [])
  })

  t.test('observation is judged again when it is sent with another status', async t => {
    const { subject, slug } = await watched(one => ({ ...anyOf(statusOf(one)), wait: { close_after: '0s' } }))
    const observed_at = iso(world.clock.now())
    resultOf(await report(subject, slug, { status: 'problem', observed_at }))
    t.match(await incidents(subject), [{ status: 'pending' }])
    resultOf(await report(subject, slug, { status: 'ok', observed_at }))
    t.strictSame(await incidents(subject), [])
  })

  /**
   * Each row: the decision, the values of three inputs, and whether an incident opens. Values: 1 is a problem, 0 is ok, ? is unknown
   * because the report has no number.
   */
  const quorums: [need: Record<string, unknown>, readings: string, open: boolean][] = [
    [{ need: 'any' }, '100', true],
    [{ need: 'any' }, '00?', true],
    [{ need: 'any' }, '000', false],
    [{ need: 'majority' }, '100', false],
    [{ need: 'majority' }, '110', true],
    [{ need: 'majority' }, '10?', true],
    [{ need: 'majority' }, '00?', false],
    [{ need: 'all' }, '111', true],
    [{ need: 'all' }, '11?', true],
    [{ need: 'all' }, '110', false],
    [{ need: 'all' }, '0??', false],
    [{ need: 'at_least', at_least: 2 }, '101', true],
    [{ need: 'at_least', at_least: 2 }, '1?0', true],
    [{ need: 'at_least', at_least: 3 }, '1?0', false],
  ]
  for (const [decision, readings, open] of quorums) {
    t.test(`${JSON.stringify(decision)} over ${readings} ${open ? 'opens an incident' : 'opens no incident'}`, async t => {
      const subject = await made()
      const slug = await signal(subject, 'Number', 'event')
      for (const [i, reading] of [...readings].entries()) {
        const value = reading === '?' ? null : Number(reading)
        resultOf(await report(subject, slug, { status: 'ok', value, labels: { n: `${i}` } }))
      }
      const input = (i: number) => ({ signal: slug, mode: 'latest_value', compare: '>', threshold: 0.5, match: { n: `${i}` } })
      await rule(subject, { inputs: [0, 1, 2].map(input), decision })
      t.equal((await incidents(subject)).length, open ? 1 : 0, 'judged when the rule was saved, by what was reported before')
    })
  }

  t.test('rule reads the verdict of another rule, and incidents are listed newest first, then by rule slug', async t => {
    const subject = await made()
    const one = await signal(subject, 'One', 'event')
    const two = await signal(subject, 'Two', 'event')
    await rule(subject, anyOf(statusOf(one)), 'M first')
    await rule(subject, anyOf({ from: 'm-first' }), 'A second')
    await rule(subject, anyOf({ from: 'm-first' }), 'T other')
    await rule(subject, anyOf(statusOf(two)), 'Z third')
    resultOf(await report(subject, one, { status: 'problem' }))
    t.strictSame(
      (await incidents(subject)).map((incident: { rule_id: string }) => incident.rule_id),
      ['a-second', 'm-first', 't-other'],
    )
    await world.clock.advance(second)
    resultOf(await report(subject, two, { status: 'problem' }))
    t.strictSame(
      (await incidents(subject)).map((incident: { rule_id: string }) => incident.rule_id),
      ['z-third', 'a-second', 'm-first', 't-other'],
    )
    await world.clock.advance(second)
    resultOf(await report(subject, two, { status: 'problem' }))
    t.equal((await incidents(subject)).length, 4, 'one open at a time per rule')
  })

  t.test('incident closes when its rule is deleted, and continues when the policy of the rule is replaced', async t => {
    const { subject, slug, ruleSlug } = await watched()
    resultOf(await report(subject, slug, { status: 'problem' }))
    const [before] = await incidents(subject)
    resultOf(await post(at(subject, 'rules', ruleSlug), { name: 'New name', document: anyOf(statusOf(slug, { match: {} })) }))
    const [after] = await incidents(subject)
    t.strictSame(after, { ...before, rule_name: 'New name' })
    resultOf(await remove(at(subject, 'rules', ruleSlug)))
    t.strictSame(await incidents(subject), [])
    const late = await post(at(subject, 'incidents', before.id, 'acknowledge'))
    t.match(late.json.error, { code: 2004, message: 'Incident is closed' })
  })
})

t.test('alert of a custom subject hides the credentials of addresses in a sender’s error', async t => {
  const { subject, slug } = await watched()
  for (const [error, shown] of [
    ['https://me:hidden@db.example/x?api_key=hidden refused', 'https://db.example/x?api_key=redacted refused'],
    [`${'x'.repeat(limits.judging.reasonCharacters - 12)} redis://me:hidden@cache`, /redis:\/\/cac$/],
  ] as const) {
    const before = resultOf(await report(subject, slug, { status: 'problem', error }))
    t.equal(before.error, error, 'the sender reads what was sent')
    await world.clock.advance(2 * minute + second)
    const [{ id: subjectId } = { id: '' }] = await world.store.find('subjects', { where: { slug: subject }, limit: 1 })
    const alerts = await world.store.find('alerts', { where: { subjectId }, sort: [['id', 'desc']], limit: 1 })
    t.match(alerts[0]?.facts, { error: shown })
    t.notMatch(JSON.stringify(alerts), 'hidden')
    resultOf(await report(subject, slug, { status: 'ok' }))
    await world.clock.advance(2 * minute + second)
  }
})

t.test('alert of a custom subject names the rule, the numbers out of bounds and the start of the silence', async t => {
  const subject = await made('Queue API')
  for (const name of ['Depth', 'Left']) await signal(subject, name)
  const numbers = [
    { signal: 'depth', mode: 'latest_value', compare: '>', threshold: 100 },
    { signal: 'left', mode: 'latest_value', compare: '<', threshold: 5 },
  ]
  await rule(subject, { inputs: numbers, decision: { need: 'any' } }, 'Too deep')
  await rule(subject, anyOf({ from: 'too-deep' }), 'Overall')
  const subjectId = (await world.store.find('subjects', { where: { slug: subject }, limit: 1 }))[0]?.id ?? ''
  const factsOf = async (ruleName: string, kind: string) =>
    (await world.store.find('alerts', { where: { subjectId }, limit: 20 })).find(
      alert => alert.kind === kind && alert.facts.ruleName === ruleName,
    )?.facts
  resultOf(await report(subject, 'depth', { status: 'ok', value: 150 }))
  resultOf(await report(subject, 'left', { status: 'ok', value: 7 }))
  await world.clock.advance(2 * minute + second)
  t.match(await factsOf('Too deep', 'problem'), {
    problems: [{ of: 'signal', signal: 'depth', number: { value: 150, compare: '>', threshold: 100 } }],
    silence: null,
  })
  t.match(await factsOf('Overall', 'problem'), { problems: [{ of: 'rule', name: 'Too deep' }] })
  resultOf(await report(subject, 'left', { status: 'ok', value: 7 }))
  await world.clock.advance(second)
  resultOf(await report(subject, 'depth', { status: 'ok', value: 50 }))
  const heard = world.clock.now()
  await world.clock.advance(2 * minute + second)
  t.match(await factsOf('Too deep', 'recovery'), { problems: [], silence: null, explanation: 'all 2 inputs ok' })
  await world.clock.advance(10 * minute)
  t.match(
    await factsOf('Too deep', 'no_data'),
    { problems: [], silence: { lastAt: heard } },
    'the latest of those that are silent',
  )
  t.match(await factsOf('Overall', 'no_data'), { silence: { lastAt: heard } }, 'of the rule that it reads')

  const quiet = await made('Never heard')
  await signal(quiet, 'Beat')
  await rule(quiet, anyOf(statusOf('beat')), 'Quiet')
  const numberless = await made('No number')
  await signal(numberless, 'Depth', 'event')
  await rule(numberless, anyOf(numbers[0] as Record<string, unknown>), 'Deep')
  resultOf(await report(numberless, 'depth', { status: 'ok' }))
  await world.clock.advance(10 * minute)
  for (const [slug, silence] of [
    [quiet, { lastAt: null }],
    [numberless, null],
  ] as const) {
    const [found] = await world.store.find('subjects', { where: { slug }, limit: 1 })
    const [alert] = await world.store.find('alerts', { where: { subjectId: found?.id ?? '' }, limit: 1 })
    t.match(alert, { kind: 'no_data', facts: { silence } }, slug)
  }
})

t.test('acknowledgement', async t => {
  const open = async (wait?: Record<string, string>) => {
    const { subject, slug, ruleSlug } = await watched(one => ({ ...anyOf(statusOf(one)), ...(wait ? { wait } : {}) }))
    resultOf(await report(subject, slug, { status: 'problem' }))
    const [incident] = await incidents(subject)
    return { subject, slug, ruleSlug, id: incident.id as string, path: at(subject, 'incidents', incident.id, 'acknowledge') }
  }

  t.test('repeated acknowledgement returns the first person and time, with `recorded: false`', async t => {
    const { subject, ruleSlug, id, path } = await open()
    const troubleSince = iso(world.clock.now())
    await world.clock.advance(second)
    const acknowledgedAt = iso(world.clock.now())
    const answer = {
      incident_id: id,
      subject_id: subject,
      rule_id: ruleSlug,
      status: 'pending',
      acknowledged: true,
      acknowledged_at: acknowledgedAt,
      acknowledged_by: 'Olga Owner',
      recorded: true,
      trouble_since: troubleSince,
      confirmed_at: null,
      well_since: null,
      closed_at: null,
      kind: 'incident_acknowledgement',
    }
    t.strictSame(resultOf(await post(path)), answer)
    await world.clock.advance(second)
    t.strictSame(resultOf(await post(path, undefined, editor)), { ...answer, recorded: false })
    t.match(await incidents(subject), [
      { acknowledged: true, acknowledged_at: acknowledgedAt, acknowledged_by: 'Olga Owner', status: 'pending' },
    ])
  })

  t.test('acknowledgement shows the username when there is no display name', async t => {
    const { path } = await open()
    t.equal(resultOf(await post(path, undefined, editor)).acknowledged_by, 'editor')
  })

  t.test('acknowledgement of a closed incident returns an earlier acknowledgement, or is refused if there is none', async t => {
    const acknowledged = await open({ close_after: '0s' })
    resultOf(await post(acknowledged.path))
    const plain = await open({ close_after: '0s' })
    await world.clock.advance(second)
    resultOf(await report(acknowledged.subject, acknowledged.slug, { status: 'ok' }))
    resultOf(await report(plain.subject, plain.slug, { status: 'ok' }))
    t.match(resultOf(await post(acknowledged.path)), {
      recorded: false,
      status: 'ok',
      acknowledged: true,
      acknowledged_by: 'Olga Owner',
      closed_at: iso(world.clock.now()),
    })
    t.match((await post(plain.path)).json.error, { code: 2004, message: 'Incident is closed' })
  })

  t.test('acknowledgement is refused without the right, with a body, or for an unknown incident', async t => {
    const one = await open()
    const another = await open()
    const bad = (title: string, send: () => Promise<Answer>, code: number, message: string): Refusal => ({
      title,
      send,
      code,
      message,
    })
    const noBody = 'This request takes no body'
    refuses(
      [
        bad('a viewer', () => post(one.path, undefined, viewer), 2005, 'Access denied'),
        bad('a stranger', () => post(one.path, undefined, stranger), 2002, 'Subject not found'),
        bad('an empty object', () => post(one.path, {}), 2001, noBody),
        bad('a byte that is no JSON', () => raw(one.path, ' '), 2001, noBody),
        bad('a body from a viewer, role before body,', () => post(one.path, {}, viewer), 2005, 'Access denied'),
        bad(
          "another subject's incident",
          () => post(at(one.subject, 'incidents', another.id, 'acknowledge')),
          2002,
          'Incident not found',
        ),
        bad(
          'an unknown incident',
          () => post(at(one.subject, 'incidents', 'iabcdefghijklmn', 'acknowledge')),
          2002,
          'Incident not found',
        ),
        bad(
          'an incident id that is a number',
          () => post(at(one.subject, 'incidents', '1', 'acknowledge')),
          2002,
          'Incident not found',
        ),
      ],
      t,
    )
  })

  t.test('acknowledgement is not found when its path names a custom subject and the incident of a website', async t => {
    const { id } = await website('Down website')
    await world.report(id, 'aaaa', false)
    await world.report(id, 'bbbb', false)
    const [incident] = resultOf(await get(`/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`))
    const { subject } = await open()
    t.match((await post(at(subject, 'incidents', incident.id, 'acknowledge'))).json.error, {
      code: 2002,
      message: 'Incident not found',
    })
  })
})

t.test('maintenance', async t => {
  const inMs = (ms: number) => iso(world.clock.now() + ms)
  const start = async (subject: string, ms = 10 * minute) =>
    resultOf(await post(at(subject, 'maintenance'), { ends_at: inMs(ms) }, editor))

  t.test('maintenance window is returned with exactly the documented fields, and is null before one is started', async t => {
    const subject = await made()
    t.equal(resultOf(await get(at(subject, 'maintenance'), viewer)), null)
    const window = {
      subject_id: subject,
      started_at: iso(world.clock.now()),
      ends_at: inMs(10 * minute),
      cancelled_at: null,
      active: true,
      muted: ['problem', 'no_data'],
      kind: 'maintenance_window',
    }
    t.strictSame(await start(subject), window)
    t.strictSame(resultOf(await get(at(subject, 'maintenance'), viewer)), window)
  })

  t.test('ends_at accepts any zone offset', async t => {
    const subject = await made()
    const ends = new Date(world.clock.now() + 60 * minute + 2 * 60 * minute).toISOString().replace('Z', '+02:00')
    t.equal(resultOf(await post(at(subject, 'maintenance'), { ends_at: ends })).ends_at, inMs(60 * minute))
  })

  t.test('ends_at is rounded to whole milliseconds', async t => {
    const subject = await made()
    const fine = inMs(60 * minute).replace('Z', '999Z')
    t.equal(resultOf(await post(at(subject, 'maintenance'), { ends_at: fine })).ends_at, inMs(60 * minute))
  })

  t.test('window that ends in a far year runs and returns its exact end', async t => {
    const subject = await made()
    const last = '9999-12-31T23:59:59.999Z'
    t.match(resultOf(await post(at(subject, 'maintenance'), { ends_at: last })), { ends_at: last, active: true })
    for (const ends_at of ['2099-01-01T00:00:00.001Z', '2255-06-05T23:47:34.741Z', '3000-02-28T12:00:00.003Z', last]) {
      t.equal(resultOf(await post(at(subject, 'maintenance', 'ends_at'), { ends_at })).ends_at, ends_at)
      t.match(resultOf(await get(at(subject, 'maintenance'))), { ends_at, active: true })
    }
    await world.clock.advance(60 * minute)
    t.match(resultOf(await get(at(subject, 'maintenance'))), { ends_at: last, active: true })
    t.match(resultOf(await remove(at(subject, 'maintenance'))), { ends_at: last, active: false })
  })

  t.test('window keeps its id and start when its end is moved', async t => {
    const subject = await made()
    const window = await start(subject)
    await world.clock.advance(minute)
    const moved = { ...window, ends_at: inMs(minute) }
    t.strictSame(resultOf(await post(at(subject, 'maintenance', 'ends_at'), { ends_at: inMs(minute) }, editor)), moved)
    t.strictSame(resultOf(await get(at(subject, 'maintenance'))), moved)
  })

  t.test('cancelled window is inactive with cancelled_at, and another window may start', async t => {
    const subject = await made()
    const window = await start(subject)
    await world.clock.advance(minute)
    const cancelled = { ...window, cancelled_at: iso(world.clock.now()), active: false }
    t.strictSame(resultOf(await remove(at(subject, 'maintenance'), editor)), cancelled)
    t.equal(resultOf(await get(at(subject, 'maintenance'))), null)
    t.match(await start(subject), { active: true, started_at: iso(world.clock.now()) })
  })

  t.test('expired window is absent and can be neither moved nor cancelled', async t => {
    const subject = await made()
    await start(subject)
    await world.clock.advance(10 * minute - 1)
    t.match(resultOf(await get(at(subject, 'maintenance'))), { active: true })
    await world.clock.advance(1)
    t.equal(resultOf(await get(at(subject, 'maintenance'))), null)
    t.match((await remove(at(subject, 'maintenance'))).json.error, { code: 2002, message: 'No maintenance window' })
  })

  t.test('judging continues during a maintenance window', async t => {
    const { subject, slug } = await watched()
    await start(subject)
    resultOf(await report(subject, slug, { status: 'problem' }))
    await world.clock.advance(2 * minute + 1)
    t.match(await incidents(subject), [{ status: 'problem' }])
  })

  t.test('maintenance request is refused when it is invalid, without the right, or in the wrong state', async t => {
    const quiet = await made()
    const subject = await made()
    await start(subject)
    const ends = (value: unknown, more: Record<string, unknown> = {}) =>
      post(at(quiet, 'maintenance'), { ends_at: value, ...more })
    const invalid = (title: string, value: unknown, details: string): Refusal => ({
      title,
      send: () => ends(value),
      code: 2001,
      message: 'invalid observed_at',
      details: `ends_at ${details}`,
    })
    const unreadable = 'must be an RFC 3339 timestamp such as 2026-01-02T15:04:05+01:00'
    const move = at(quiet, 'maintenance', 'ends_at')
    refuses(
      [
        invalid('ends_at missing', undefined, 'is required'),
        invalid('ends_at null', null, 'is required'),
        invalid('ends_at empty', '', unreadable),
        invalid('ends_at without zone', '2030-01-01T00:00:00', unreadable),
        invalid('ends_at that passed', iso(world.clock.now() - 1), 'must be in the future'),
        invalid('ends_at now', iso(world.clock.now()), 'must be in the future'),
        invalid('ends_at in the year 10000', '9999-12-31T23:59:59-00:01', unreadable),
        { title: 'ends_at of another type', send: () => ends(1_800_000_000), code: 2006, message: 'Invalid JSON' },
        {
          title: 'an unknown field',
          send: () => ends(iso(world.clock.now() + minute), { reason: 'x' }),
          code: 2006,
          message: 'Invalid JSON',
        },
        {
          title: 'a window by a viewer',
          send: () => post(at(quiet, 'maintenance'), {}, viewer),
          code: 2005,
          message: 'Access denied',
        },
        { title: 'a move by a viewer', send: () => post(move, {}, viewer), code: 2005, message: 'Access denied' },
        {
          title: 'a cancel by a viewer',
          send: () => remove(at(quiet, 'maintenance'), viewer),
          code: 2005,
          message: 'Access denied',
        },
        {
          title: 'a second start',
          send: () => post(at(subject, 'maintenance'), { ends_at: iso(world.clock.now() + minute) }),
          code: 2004,
          message: 'Already in maintenance',
        },
        {
          title: 'a move with nothing running',
          send: () => post(move, { ends_at: iso(world.clock.now() + minute) }),
          code: 2002,
          message: 'No maintenance window',
        },
        {
          title: 'a move into the past',
          send: () => post(at(subject, 'maintenance', 'ends_at'), { ends_at: iso(world.clock.now() - 1) }),
          code: 2001,
          message: 'invalid observed_at',
          details: 'ends_at must be in the future',
        },
        {
          title: 'a cancel with nothing running',
          send: () => remove(at(quiet, 'maintenance')),
          code: 2002,
          message: 'No maintenance window',
        },
      ],
      t,
    )
  })
})

documentsNameEveryRefusal()
