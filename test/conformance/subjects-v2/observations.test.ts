// Observations on custom subjects of generation 2 (reference/custom-subjects). Tested on the real keeper in virtual time.
import t from 'tap'
import { type Refusal, resultOf } from '../../support/clients/answers.ts'
import {
  at,
  documentsNameEveryRefusal,
  editor,
  get,
  iso,
  made,
  minute,
  post,
  raw,
  refuses,
  report,
  second,
  signal,
  stranger,
  viewer,
  world,
} from '../../support/worlds/subjects-v2-world.ts'

t.test('observation', async t => {
  const subject = await made('Observations')
  const slug = await signal(subject, 'Beat', 'heartbeat')
  const send = (body: Record<string, unknown>) => report(subject, slug, body)

  t.test('observation is returned as sent with exactly the documented fields', async t => {
    const labels = { host: 'a', 'ключ 🙂': '', kind: 'data', __proto: 'x' }
    const sent = { observed_at: iso(world.clock.now() - 5), status: 'problem', value: -1.5e-7, error: 'disk full', labels }
    t.strictSame(resultOf(await report(subject, slug, sent, editor)), {
      subject_id: subject,
      signal_id: slug,
      observed_at: sent.observed_at,
      received_at: iso(world.clock.now()),
      status: 'problem',
      value: -1.5e-7,
      error: 'disk full',
      labels,
      accepted: true,
      reject_reason: 'accepted',
      kind: 'observation',
    })
  })

  t.test('report without optional fields has the present instant, no value, no error and no labels', async t => {
    const nulls = { observed_at: null, value: null, error: null, labels: null }
    for (const body of [{ status: 'ok' }, { status: 'ok', ...nulls }, { status: 'ok', kind: 'observation' }]) {
      const stamped = { observed_at: iso(world.clock.now()), value: null, error: '', labels: {}, accepted: true }
      t.match(resultOf(await send(body)), stamped)
      await world.clock.advance(1)
    }
  })

  const today = '2023-11-14T20:13:20'
  for (const [title, sent, answered] of [
    ['lower-case t and z', '2023-11-14t20:13:20z', `${today}.000Z`],
    ['an offset', '2023-11-15T05:43:20+09:30', `${today}.000Z`],
    ['a negative offset', '2023-11-14T12:13:20.5-08:00', `${today}.500Z`],
    ['the unknown offset -00:00', `${today}-00:00`, `${today}.000Z`],
    ['microseconds', `${today}.123456Z`, `${today}.123456Z`],
    ['six digits with zeros among the last three', `${today}.123005Z`, `${today}.123005Z`],
    ['six digits of which three are zero', `${today}.120000Z`, `${today}.120Z`],
    ['nine digits, cut to six', `${today}.123456789Z`, `${today}.123456Z`],
    ['a leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['a leap second at an offset', '2017-01-01T08:59:60.25+09:00', '2017-01-01T00:00:00.250Z'],
    ['a leap day', '2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
    ['as many digits as are read', `${today}.${'1'.repeat(43)}Z`, `${today}.111111Z`],
    ['a microsecond before 1970', '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['the first instant of the year 0', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['the year 1', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['the year 9999', '9999-12-31T23:59:59.002Z', '9999-12-31T23:59:59.002Z'],
    ['the last microsecond of the year 9999', '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    t.test(`observed_at with ${title} is read`, async t => {
      t.equal(resultOf(await send({ status: 'ok', observed_at: sent, labels: { title } })).observed_at, answered)
      t.equal(
        resultOf(await send({ status: 'ok', observed_at: sent, labels: { title } })).observed_at,
        answered,
        'the same text again',
      )
    })
  }

  const now = () => world.clock.now()
  const day = 24 * 60 * minute
  const reasons: [title: string, ageMs: number, reason: string][] = [
    ['60 s in the future', -60 * second, 'accepted'],
    ['more than 60 s in the future', -60 * second - 1, 'clock_skew'],
    ['the year 2999', -1_000 * 365 * day, 'clock_skew'],
    ['24 h old', day, 'accepted'],
    ['older than 24 h', day + 1, 'late'],
    ['30 days old', 30 * day, 'late'],
    ['older than the retention of 30 days', 30 * day + 1, 'out_of_retention'],
  ]
  for (const [title, ageMs, reason] of reasons) {
    t.test(`an observation ${title} is stored with the reason ${reason}`, async t => {
      const answer = resultOf(await send({ status: 'problem', observed_at: iso(now() - ageMs), labels: { title } }))
      t.match(answer, { accepted: reason === 'accepted', reject_reason: reason })
    })
  }

  t.test(
    'observation is out_of_order if it is older than the newest accepted observation of the same signal and labels',
    async t => {
      const at = (ageMs: number, labels: Record<string, string>) =>
        send({ status: 'ok', observed_at: iso(now() - ageMs), labels })
      const host = { host: 'order' }
      t.equal(resultOf(await at(1_000, host)).reject_reason, 'accepted')
      t.equal(resultOf(await at(1_001, host)).reject_reason, 'out_of_order')
      t.equal(resultOf(await at(1_001, { host: 'another' })).reject_reason, 'accepted', 'other labels have an order of their own')
      t.equal(resultOf(await at(1_000, host)).reject_reason, 'accepted')
      t.equal(resultOf(await at(2 * day, host)).reject_reason, 'late', 'the first reason that fits')
    },
  )

  t.test('repeated observation with the same signal, observed_at and labels replaces the row and stays accepted', async t => {
    const observed_at = iso(now() - 500)
    const before = await world.store.count('pushedObservations', {})
    const first = resultOf(await send({ status: 'ok', value: 1, observed_at, labels: { a: '1', b: '2' } }))
    resultOf(await send({ status: 'ok', observed_at: iso(now() - 400), labels: { a: '1', b: '2' } }))
    const again = resultOf(await send({ status: 'problem', value: 2, observed_at, labels: { b: '2', a: '1' } }))
    t.match(again, { status: 'problem', value: 2, accepted: true, observed_at: first.observed_at })
    t.equal(await world.store.count('pushedObservations', {}), before + 2)
    t.equal(
      resultOf(await send({ status: 'ok', observed_at, labels: { a: '1', b: '3' } })).accepted,
      true,
      'another label, another row',
    )
    t.equal(await world.store.count('pushedObservations', {}), before + 3)
  })

  t.test('64 labels with keys of 64 and values of 256 characters are accepted', async t => {
    const labels = Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`${i}`.padStart(2, '0') + '🙂'.repeat(62), '🙂'.repeat(256)]),
    )
    t.strictSame(resultOf(await send({ status: 'ok', labels })).labels, labels)
  })

  t.test('error is cut to 2000 characters', async t => {
    t.equal(
      resultOf(await send({ status: 'problem', error: '🙂'.repeat(2_001), labels: { cut: 'a' } })).error,
      '🙂'.repeat(2_000),
    )
    t.equal(resultOf(await send({ status: 'problem', error: 'x'.repeat(2_000), labels: { cut: 'b' } })).error, 'x'.repeat(2_000))
  })

  const refused = (title: string, body: Record<string, unknown>, code: number, message: string, details?: string): Refusal => ({
    title,
    send: () => send(body),
    code,
    message,
    ...(details ? { details } : {}),
  })
  const labelKey = 'A label key has 1 to 64 characters and no control characters'
  const timestamps = [
    ...[
      '',
      'now',
      '1700000000',
      '2023-11-14',
      '2023-11-14 20:13:20Z',
      '2023-11-14T20:13:20',
      '2023-11-14T20:13Z',
      '20231114T201320Z',
    ],
    ...['2023-02-29T00:00:00Z', '2023-13-01T00:00:00Z', '2023-00-01T00:00:00Z', '2023-11-31T00:00:00Z', '2023-11-14T24:00:00Z'],
    ...['2023-11-00T00:00:00Z', '2023-11-14T23:59:60Z'],
    ...[
      '2023-11-14T20:60:00Z',
      '2023-11-14T20:13:60Z',
      '2017-01-01T00:10:60Z',
      '2017-01-01T11:59:60Z',
      '2023-11-14T20:13:61Z',
      '2023-11-14T20:13:20.Z',
      '2023-11-14T20:13:20,5Z',
    ],
    ...['2023-11-14T20:13:20+24:00', '2023-11-14T20:13:20+09:60', '2023-11-14T20:13:20+0900', '+02023-11-14T20:13:20Z'],
    ...[
      '9999-12-31T23:59:59-00:01',
      '9999-12-31T23:59:60Z',
      '0000-01-01T00:00:00+00:01',
      `2023-11-14T20:13:20.${'1'.repeat(100)}Z`,
      '2023-W46-2T00:00:00Z',
    ],
  ]
  refuses(
    [
      refused('no status', {}, 2001, 'invalid status'),
      refused('status null', { status: null }, 2001, 'invalid status'),
      refused('another status word', { status: 'OK' }, 2001, 'invalid status'),
      refused('a status of another type', { status: true }, 2001, 'invalid status'),
      ...timestamps.map(text =>
        refused(
          `observed_at ${JSON.stringify(text.slice(0, 40))}`,
          { status: 'ok', observed_at: text },
          2001,
          'invalid observed_at',
          'observed_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05Z',
        ),
      ),
      refused('observed_at of another type', { status: 'ok', observed_at: 1_700_000_000 }, 2006, 'Invalid JSON'),
      refused(
        '65 labels',
        { status: 'ok', labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) },
        2001,
        'invalid label',
        'An observation has at most 64 labels',
      ),
      refused('an empty label key', { status: 'ok', labels: { '': 'x' } }, 2001, 'invalid label', labelKey),
      refused(
        'a label key of 65 characters',
        { status: 'ok', labels: { ['k'.repeat(65)]: 'x' } },
        2001,
        'invalid label',
        labelKey,
      ),
      refused('a label key with a control character', { status: 'ok', labels: { 'a\tb': 'x' } }, 2001, 'invalid label', labelKey),
      refused('a label key with DEL', { status: 'ok', labels: { 'a\u007f': 'x' } }, 2001, 'invalid label', labelKey),
      refused(
        'a label key with a C1 control character',
        { status: 'ok', labels: { 'a\u009f': 'x' } },
        2001,
        'invalid label',
        labelKey,
      ),
      refused(
        'a label value of 257 characters',
        { status: 'ok', labels: { k: 'x'.repeat(257) } },
        2001,
        'invalid label',
        'The value of the label "k" has more than 256 characters',
      ),
      refused(
        'the label location',
        { status: 'ok', labels: { location: 'de' } },
        2001,
        'invalid label',
        'The label "location" is reserved to probers',
      ),
      refused('a label value of another type', { status: 'ok', labels: { k: 1 } }, 2006, 'Invalid JSON'),
      refused('labels of another type', { status: 'ok', labels: ['k'] }, 2006, 'Invalid JSON'),
      refused('an error of another type', { status: 'ok', error: {} }, 2006, 'Invalid JSON'),
      refused('a value of another type', { status: 'ok', value: '1' }, 2006, 'Invalid JSON'),
      refused('an unknown field', { status: 'ok', severity: 1 }, 2006, 'Invalid JSON', "Unknown field 'severity'"),
      {
        title: 'a value that is not finite',
        send: () => raw(at(subject, 'signals', slug, 'observations'), '{"status":"ok","value":1e999}'),
        code: 2006,
        message: 'Invalid JSON',
      },
      {
        title: 'an unpaired surrogate',
        send: () => raw(at(subject, 'signals', slug, 'observations'), '{"status":"ok","error":"\\ud800"}'),
        code: 2006,
        message: 'Invalid JSON',
        details: 'A text holds an unpaired surrogate',
      },
      { title: 'no body', send: () => post(at(subject, 'signals', slug, 'observations')), code: 2001, message: 'invalid status' },
      {
        title: 'an observation of an unknown signal',
        send: () => report(subject, 'none', { status: 'ok' }),
        code: 2002,
        message: 'Signal not found',
      },
      {
        title: 'an observation by a viewer',
        send: () => report(subject, slug, { nonsense: 1 }, viewer),
        code: 2005,
        message: 'Access denied',
      },
      {
        title: 'an observation by a stranger',
        send: () => report(subject, slug, { status: 'ok' }, stranger),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: 'GET on observations',
        send: () => get(at(subject, 'signals', slug, 'observations')),
        code: 2002,
        message: 'Not found',
      },
    ],
    t,
  )
})

documentsNameEveryRefusal()
