// What pings and Observations do to a job: the running mark, the newest end, the next run. Reference: docs/reference/v3.md, 4.17 and 17.10
// to 17.14.
import t from 'tap'
import { createJob, hour, minute, rid, second, start } from './job-world.ts'

const at = start + 2 * hour
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

t.test('row by row: mark, newest end and next run after each action (v3 17.12)', async t => {
  const none = { run: null }
  const rows = [
    { name: 'start sets the mark', pings: [{ action: 'start', run: rid(1) }], mark: rid(1), end: null, seconds: null },
    {
      name: 'start replaces an earlier mark',
      pings: [{ action: 'start', run: rid(1) }, { action: 'start' }],
      mark: null,
      end: null,
      seconds: null,
    },
    {
      name: 'success with the rid of the mark clears it and has a duration',
      pings: [{ action: 'start', run: rid(1) }, { run: rid(1) }],
      mark: none,
      end: 'ok',
      seconds: 60,
    },
    {
      name: 'success clears a mark where both have no rid',
      pings: [{ action: 'start' }, {}],
      mark: none,
      end: 'ok',
      seconds: 60,
    },
    {
      name: 'success without rid clears a mark with one, without duration',
      pings: [{ action: 'start', run: rid(1) }, {}],
      mark: none,
      end: 'ok',
      seconds: null,
    },
    {
      name: 'success with another rid leaves the mark',
      pings: [{ action: 'start', run: rid(1) }, { run: rid(2) }],
      mark: rid(1),
      end: 'ok',
      seconds: null,
    },
    {
      name: 'success with a rid leaves a mark without one',
      pings: [{ action: 'start' }, { run: rid(2) }],
      mark: null,
      end: 'ok',
      seconds: null,
    },
    {
      name: 'fail with the same rid clears the mark and has a duration',
      pings: [
        { action: 'start', run: rid(1) },
        { action: 'fail', run: rid(1) },
      ],
      mark: none,
      end: 'problem',
      seconds: 60,
    },
    {
      name: 'fail with another rid clears the mark, without duration',
      pings: [
        { action: 'start', run: rid(1) },
        { action: 'fail', run: rid(2) },
      ],
      mark: none,
      end: 'problem',
      seconds: null,
    },
    {
      name: 'log changes nothing',
      pings: [{ action: 'start', run: rid(1) }, { action: 'log' }],
      mark: rid(1),
      end: null,
      seconds: null,
    },
  ] as const
  for (const { name, pings, mark, end, seconds } of rows) {
    const job = createJob()
    pings.forEach((ping, i) => void job.ping(at + i * minute, ping))
    const { running, endedAtUs, expectedAt } = job.schedule()
    const hasMark = mark === null || typeof mark === 'string'
    t.equal(running === null ? 'no mark' : running.run, hasMark ? mark : 'no mark', `${name}: mark`)
    t.equal(job.subject().templated?.heard['run']?.recent[0]?.state ?? null, end, `${name}: newest end`)
    t.equal(job.view(at).last?.seconds ?? null, seconds, `${name}: duration`)
    t.equal(expectedAt, end === null ? null : Math.floor((endedAtUs as number) / 1_000) + hour, `${name}: next run`)
  }
})

t.test('job that has never reported is waited for, or expected from its creation (v3 4.17, 6.15)', async t => {
  const waiting = createJob()
  waiting.pass(start + 100 * hour)
  t.same([waiting.verdict(), waiting.view(start + 100 * hour).state], ['not_judged', 'new'])
  const expected = createJob({ answers: { first: 'expect' } })
  expected.pass(start + hour + 5 * minute)
  t.equal(expected.verdict(), 'problem')
  t.equal(expected.explanation(), 'run missed (expected 2026-01-05T01:00:00Z), run missed (expected 2026-01-05T01:00:00Z)')
})

t.test('run is missed at the exact instant after its grace, and the next end is over it', async t => {
  const job = createJob()
  job.ping(at)
  t.equal(job.subject().dueAt, at + hour + 5 * minute)
  t.equal(job.view(at + hour + minute).state, 'late', 'late judges nothing')
  job.pass(at + hour + 5 * minute - 1)
  t.equal(job.verdict(), 'ok')
  job.pass(at + hour + 5 * minute)
  t.equal(job.verdict(), 'problem')
  t.equal(job.view(at + hour + 5 * minute).state, 'down')
  t.match(job.evidence()[0], { input: 'run', reading: { unresolved: 'expected 2026-01-05T03:00:00Z' } })
  job.ping(at + 2 * hour)
  t.equal(job.verdict(), 'ok')
  t.equal(job.explanation(), 'run not missed, run ok')
})

t.test('run that has started and does not end is missed after the grace, and a new start does not move that', async t => {
  const job = createJob()
  job.ping(at)
  job.ping(at + minute, { action: 'start' })
  t.equal(job.view(at + minute).state, 'started')
  job.pass(at + 6 * minute)
  t.equal(job.verdict(), 'problem')
  t.equal(
    job.explanation(),
    'run missed (started 2026-01-05T02:01:00Z, not ended), run missed (started 2026-01-05T02:01:00Z, not ended)',
  )
  t.match(job.evidence()[0], { reading: { unresolved: 'started 2026-01-05T02:01:00Z' } })
})

t.test('failure is told at once, with exit status and the last line of output', async t => {
  const job = createJob()
  job.ping(at, { action: 'start', run: rid(1) })
  job.ping(at + 90 * second, {
    action: 'fail',
    exitStatus: 3,
    run: rid(1),
    body: { text: 'copying\nno space left\n\n', bytes: 24 },
  })
  t.equal(job.verdict(), 'problem')
  const [row] = job.rows().slice(-1)
  t.match(row, { ok: 0, value: 90, error: 'exit status 3: no space left', source: 'ping', body: null })
  t.match(job.alerts().at(-1), {
    kind: 'problem',
    facts: { job: { state: 'failed', exitStatus: 3, line: 'no space left', zone: 'UTC', graceMs: 300_000 } },
  })
  const bodies = job
    .subject()
    .outbox.flatMap(entry => ('collection' in entry && entry.collection === 'pingBodies' ? [entry.document] : []))
  t.same(
    bodies.map(({ id, rowId }) => [id, rowId]),
    [
      ['job.s1.0', row?.id],
      ['job.s1.problem', row?.id],
    ],
  )
})

t.test('output is not quoted where the answers say so', async t => {
  const job = createJob({ answers: { quote_output: false } })
  job.ping(at, { action: 'fail', exitStatus: 3, body: { text: 'password hunter2', bytes: 16 } })
  t.equal(job.rows().at(-1)?.error, 'exit status 3')
  t.notMatch(JSON.stringify(job.alerts()), 'hunter2')
})

t.test('words of the body decide where there are any, whatever the address says (v3 17.11)', async t => {
  const answers = { fail_words: ['ERROR'], success_words: ['done'], start_words: ['begin'] }
  const rows = [
    { text: 'done with ERROR', action: 'success', state: 'problem' },
    { text: 'done', action: 'fail', state: 'ok' },
    { text: 'begin', action: 'success', state: 'start' },
    { text: 'Done', action: 'success', state: 'ignored' },
    { text: '', action: 'fail', state: 'ignored' },
  ] as const
  for (const { text, action, state } of rows) {
    const job = createJob({ answers })
    const taken = job.ping(at, { action, body: { text, bytes: text.length } })
    const { ok, labels } = job.rows().at(-1) as { ok: number; labels: string | null }
    const phase = labels === null ? undefined : (JSON.parse(labels) as { phase?: string }).phase
    t.equal(phase ?? (ok === 1 ? 'ok' : 'problem'), state, `${action} with '${text}'`)
    t.equal(taken, state === 'ignored' ? 'ignored' : 'stored')
  }
  const failing = createJob({ answers: { ...answers, otherwise: 'fail' } })
  failing.ping(at, { body: { text: 'neither', bytes: 7 } })
  t.equal(failing.verdict(), 'problem')
})

t.test('ping with another method than POST is stored and ignored where only POST counts', async t => {
  const job = createJob({ answers: { methods: 'post' } })
  t.equal(job.ping(at, { method: 'GET' }), 'ignored')
  t.equal(job.schedule().endedAtUs, null)
  t.equal(job.ping(at + 1, { method: 'POST' }), 'stored')
  t.equal(job.verdict(), 'ok')
})

t.test('Observation on the signal is the same as a ping, and counts at its own instant (v3 17.13)', async t => {
  const job = createJob()
  const mark = job.observe(at, { state: 'no_data', labels: { phase: 'start', run: rid(1).toUpperCase() } })
  t.match(mark, { ok: true })
  t.match(job.observe(at + minute, { labels: { run: rid(1) } }), { ok: true })
  t.same([job.view(at + minute).last?.seconds, job.schedule().running], [60, null])
  t.match(job.observe(at + 2 * minute, { value: 7 }), { ok: true })
  t.equal(job.view(at).last?.seconds, 7, 'a sent value wins')
  job.observe(at + 3 * minute, { state: 'problem', atUs: (at - minute) * 1_000 })
  t.same([job.verdict(), job.schedule().expectedAt], ['ok', at + 2 * minute + hour], 'an older end moves nothing')
  const refusals = [
    [{ state: 'no_data' }, 'state'],
    [{ state: 'no_data', labels: { phase: 'ignored' } }, 'state'],
    [{ state: 'ok', labels: { phase: 'start' } }, 'labels'],
    [{ state: 'ok', labels: { run: 'one' } }, 'labels'],
    [{ state: 'ok', signalKind: 'event' }, 'kind'],
  ] as const
  for (const [sent, field] of refusals)
    t.match(
      job.observe(at + 4 * minute, sent),
      { ok: false, error: { code: 'validation', facts: { field } } },
      JSON.stringify(sent),
    )
})

t.test('Observation that is sent again is stored once and keeps the measured duration', async t => {
  const job = createJob()
  job.observe(at, { state: 'no_data', labels: { phase: 'start' } })
  const end = { atUs: (at + minute) * 1_000, sentId: 'run-1' }
  job.observe(at + minute, end)
  t.equal(job.view(at).last?.seconds, 60)
  const before = job.subject()
  job.observe(at + 2 * minute, end)
  t.same(job.subject().templated, before.templated)
})

t.test(
  'after 60 pings of a minute one that changes nothing is counted, one that changes anything is stored, and 600 are the end (v3 17.15)',
  async t => {
    const job = createJob()
    for (let i = 0; i < 60; i++) t.equal(job.ping(at + i), 'stored', `ping ${i}`)
    t.equal(job.ping(at + 60), 'counted')
    t.equal(job.ping(at + 61, { action: 'fail' }), 'stored', 'another state')
    t.equal(job.ping(at + 62, { action: 'start' }), 'stored', 'a mark')
    t.equal(job.ping(at + 63, { action: 'log' }), 'counted')
    t.equal(job.ping(at + 2_000, { action: 'log' }), 'stored', 'none was stored in the second before')
    t.equal(job.ping(at + minute), 'stored', 'another minute')
    const flood = createJob()
    const answers = Array.from({ length: 602 }, (_, i) => flood.ping(at + i, { action: i % 2 === 0 ? 'success' : 'fail' }))
    t.same([answers[599], answers[600], answers[601]], ['stored', 'refused', 'refused'])
  },
)

t.test('the same ping command gets its first reply, and is stored once', async t => {
  const job = createJob()
  const sent = {
    kind: 'ping',
    id: 'same',
    signal: 'run',
    action: 'success',
    exitStatus: null,
    run: null,
    method: 'GET',
    agent: '',
    from: '',
    body: null,
    value: null,
    reason: '',
  }
  const first = job.command(at, sent)
  const again = job.command(at + 5, sent)
  t.same(again.reply, first.reply)
  t.same([again.change, again.pushed], ['nothing', undefined])
})

t.test('ping on a signal that is not scheduled is not found', async t => {
  const job = createJob()
  const { reply } = job.command(at, {
    kind: 'ping',
    signal: 'other',
    action: 'success',
    exitStatus: null,
    run: null,
    method: 'GET',
    agent: '',
    from: '',
    body: null,
    value: null,
    reason: '',
  })
  t.match(reply, { ok: false, error: { code: 'not_found' } })
})

t.test('changed schedule counts from the change, and what was missed by the old one is missed no more', async t => {
  const job = createJob()
  job.ping(at)
  job.pass(at + 2 * hour)
  t.equal(job.verdict(), 'problem')
  const update = (instant: number, answers: object) =>
    job.command(instant, { kind: 'update-resource', name: null, labels: null, answers })
  update(at + 3 * hour, { expression: '30 2 * * *' })
  t.equal(job.verdict(), 'ok')
  t.equal(iso(job.schedule().expectedAt), '2026-01-06T02:30:00.000Z')
  update(at + 4 * hour, { grace: 600 })
  t.equal(iso(job.schedule().expectedAt), '2026-01-06T02:30:00.000Z', 'a longer grace moves no run')
  const late = Date.parse('2026-01-06T02:35:00Z')
  update(late, { grace: 60 })
  t.equal(job.verdict(), 'ok', 'a shorter grace alarms nobody at once')
  t.equal(iso(job.schedule().expectedAt), '2026-01-07T02:30:00.000Z')
})

t.test('daily job at 02:30 in Berlin with an hour of grace is told at 03:30, also when the clock changes', async t => {
  const days = [
    { name: 'an ordinary day', end: '2026-10-04T00:31:00Z', expected: '2026-10-05T00:30:00Z', told: '2026-10-05T01:30:00Z' },
    { name: 'the hour is skipped', end: '2026-03-28T01:31:00Z', expected: '2026-03-29T01:00:00Z', told: '2026-03-29T02:00:00Z' },
    { name: 'the hour is repeated', end: '2026-10-24T00:31:00Z', expected: '2026-10-25T00:30:00Z', told: '2026-10-25T01:30:00Z' },
  ]
  for (const { name, end, expected, told } of days) {
    const made = Date.parse(end) - hour
    const job = createJob({ answers: { expression: '30 2 * * *', zone: 'Europe/Berlin', grace: 3_600 }, at: made })
    job.ping(Date.parse(end))
    t.equal(iso(job.schedule().expectedAt), iso(Date.parse(expected)), `${name}: expected`)
    t.equal(iso(job.subject().dueAt), iso(Date.parse(told)), `${name}: told`)
    job.pass(Date.parse(told) - 1)
    t.equal(job.alerts().length, 0, `${name}: nobody is told before`)
    job.pass(Date.parse(told))
    t.match(job.alerts(), [{ kind: 'problem', facts: { job: { state: 'missed', zone: 'Europe/Berlin' } } }], name)
  }
})

t.test('nothing becomes missed while silence is held back', async t => {
  const job = createJob()
  job.ping(at)
  const held = { checks: null, pushed: at + hour }
  job.pass(at + hour + 5 * minute, held)
  t.equal(job.verdict(), 'ok')
  job.pass(at + hour + 6 * minute)
  t.equal(job.verdict(), 'problem')
})
