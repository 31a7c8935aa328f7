// Content and receivers of a message: expected bodies, choice of destinations, pauses between retries, queues of destinations (lanes),
// redaction.

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import type { AlertDocument, AlertFacts } from '#shared/contracts/incidents/alert.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { hour, limits, minute, second } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { readSettings, SettingError } from '#shared/settings.ts'
import { openApiDocument } from '../../services/gateway/openapi/document.ts'
import { generations } from '../../services/gateway/openapi/generations.ts'
import { Lanes } from '../../services/notifier/claim/lanes.ts'
import { redactAddress } from '../../services/notifier/send/redact.ts'
import { retryDelay } from '../../services/notifier/send/retry-delay.ts'
import { createSender } from '../../services/notifier/send/send.ts'
import { notifierSettings } from '../../services/notifier/settings.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { alert, builtInBody, createReceiver, facts, messageTo, options, startAt } from './house.ts'

const ids = createIncidentIds('grain')
const names: Record<string, string> = { de01: 'de', fr01: 'fr', us01: 'us' }
const context = {
  publicUrl: options.publicUrl,
  encodeIncidentId: ids.encode,
  locationName: (id: string) => names[id] ?? id,
}
const slack = { type: 'slack', channel: 'ops' } as const
const webhook = { type: 'webhook', channel: '' } as const
const link = '<https://status.example.com/subjects/a1b2c3d4e5|View timeline>'

const told = (over: Partial<AlertDocument>, changed: Partial<AlertFacts> = {}): AlertDocument => ({
  ...alert('one', 'a1b2c3d4e5', 2, over),
  facts: { ...facts, ...changed },
})
const bodyOf = (given: AlertDocument, to: Parameters<typeof builtInBody>[1] = slack) =>
  JSON.parse(builtInBody(given, to, context))
const textOf = (given: AlertDocument, to?: Parameters<typeof builtInBody>[1]): string[] =>
  bodyOf(given, to).attachments[0].text.split('\n')

const one = { failing: ['de01'], unknown: [], ok: [] }
const silent = { failing: [], unknown: ['de01', 'us01'], ok: ['fr01'], error: '', silence: { lastAt: startAt - 2 * minute } }
const isUnknown = 'Whether it is up is unknown.'
const silentLine = `No reports for 2m (last at 11:58:00 UTC). ${isUnknown}`
const endLine = 'It ended at 11:58:00 UTC.'
const authored = {
  template: null,
  ruleName: 'Too deep',
  failing: [],
  unknown: [],
  ok: [],
  error: '',
  url: '',
  subjectName: 'Queue API',
}
const cause = { input: 'de01', isLocation: true, reason: 'status 503, expected 200', at: startAt, isSilence: false }
const depth = { of: 'signal', signal: 'depth', number: { value: 150, compare: '>', threshold: 100 } } as const
const over = { confirmedAt: startAt - 12 * minute, wellSince: startAt - 2 * minute, closedAt: startAt - 2 * minute }

const isDocumented = documentedMessage()

t.test('alert of each kind has its title, colour and lines', async t => {
  const rows: [string, AlertDocument, string, string, string[]][] = [
    [
      'problem at several locations',
      told({}, { failing: ['de01', 'fr01'], unknown: [], ok: ['us01'] }),
      'Shop is down',
      '#d50201',
      ['Failing from 2 of 3 locations — de, fr', '`connection refused`', 'Down for 2m before we alerted.', link],
    ],
    [
      'problem at one location',
      told({}, one),
      'Shop is down',
      '#d50201',
      ['`connection refused`', 'Down for 2m before we alerted.', link],
    ],
    [
      'problem without an error',
      told({}, { ...one, error: '' }),
      'Shop is down',
      '#d50201',
      ['Down for 2m before we alerted.', link],
    ],
    [
      'reminder',
      told({ reminder: true, decidedAt: startAt + 4 * hour }),
      'Shop is down',
      '#d50201',
      ['Failing from 1 of 3 locations — de', '`connection refused`', 'Down for 4h 2m so far.', link],
    ],
    [
      'no data at several locations',
      told({ kind: 'no_data' }, silent),
      'Shop — no data',
      '#f0ad4e',
      ['No reports from 2 of 3 locations', 'Down for 2m before we alerted.', silentLine, link],
    ],
    [
      'no data at one location',
      told({ kind: 'no_data' }, { failing: [], unknown: ['de01'], ok: [], error: '', silence: { lastAt: null } }),
      'Shop — no data',
      '#f0ad4e',
      ['Down for 2m before we alerted.', `No reports so far. ${isUnknown}`, link],
    ],
    [
      'recovery',
      told({ kind: 'recovery' }, { ...over, troubleSince: startAt - 14 * minute, failing: [], ok: ['de01', 'fr01'] }),
      'Shop is back up',
      '#2eb887',
      ['It was down for 12m.', endLine, link],
    ],
    [
      'recovery from a known cause',
      told({ kind: 'recovery' }, { ...over, ...one, troubleSince: startAt - 14 * minute, cause }),
      'Shop is back up',
      '#2eb887',
      ['It was down for 12m: status 503, expected 200 (de)', endLine, link],
    ],
    [
      'no data of a day before',
      told({ kind: 'no_data' }, { ...silent, silence: { lastAt: startAt - 36 * hour } }),
      'Shop — no data',
      '#f0ad4e',
      [
        'No reports from 2 of 3 locations',
        'Down for 2m before we alerted.',
        `No reports for 1d 12h (last at 2026-01-04 00:00:00 UTC). ${isUnknown}`,
        link,
      ],
    ],
    [
      'a monitor without locations',
      told({ kind: 'no_data' }, { failing: [], unknown: [], ok: [], error: '' }),
      'Shop — no data',
      '#f0ad4e',
      ['Down for 2m before we alerted.', 'No location is assigned, so nothing is checked.', isUnknown, link],
    ],
    [
      'a custom subject',
      told({}, { ...authored, problems: [depth] }),
      'Queue API is down',
      '#d50201',
      ['Down for 2m before we alerted.', 'Queue API: rule "Too deep": depth is 150, over 100', link],
    ],
    [
      'a custom subject with several problems and an error',
      told(
        {},
        {
          ...authored,
          error: 'disk `full`',
          problems: [
            { of: 'signal', signal: 'disk', number: null },
            { of: 'signal', signal: 'left', number: { value: 0.1, compare: '<', threshold: -1e21 } },
            { of: 'rule', name: 'Over\nall' },
          ],
        },
      ),
      'Queue API is down',
      '#d50201',
      [
        "`disk 'full'`",
        'Down for 2m before we alerted.',
        'Queue API: rule "Too deep": disk reports a problem, left is 0.1, under -1e+21, rule "Over all" reports a problem',
        link,
      ],
    ],
    [
      'a reminder of a custom subject with more problems than a line takes',
      told({ reminder: true, decidedAt: startAt + 8 * hour }, { ...authored, problems: Array.from({ length: 8 }, () => depth) }),
      'Queue API is down',
      '#d50201',
      [
        'Down for 8h 2m so far.',
        `Queue API: rule "Too deep": ${'depth is 150, over 100, '.repeat(5).slice(0, -2)} and 3 more`,
        link,
      ],
    ],
    [
      'no data of a custom subject',
      told(
        { kind: 'no_data' },
        { ...authored, explanation: 'nothing usable from 1 input (depth)', silence: { lastAt: startAt - 2 * minute } },
      ),
      'Queue API — no data',
      '#f0ad4e',
      ['Down for 2m before we alerted.', 'Queue API: rule "Too deep": nothing usable from 1 input (depth)', silentLine, link],
    ],
    [
      'no data of a custom subject that reports no number',
      told({ kind: 'no_data' }, { ...authored, explanation: 'nothing usable from 1 input (depth)' }),
      'Queue API — no data',
      '#f0ad4e',
      [
        'Down for 2m before we alerted.',
        'Queue API: rule "Too deep": nothing usable from 1 input (depth)',
        `No usable reports since 11:58:00 UTC. ${isUnknown}`,
        link,
      ],
    ],
    [
      'no data with a failing location',
      told({ kind: 'no_data' }, { ...silent, failing: ['de01'], unknown: ['fr01', 'us01'], ok: [], error: 'connection refused' }),
      'Shop — no data',
      '#f0ad4e',
      ['No reports from 2 of 3 locations', '`connection refused`', 'Down for 2m before we alerted.', silentLine, link],
    ],
    [
      'recovery at one location quotes no error',
      told({ kind: 'recovery' }, { ...over, troubleSince: startAt - 14 * minute, ...one, error: 'connection refused' }),
      'Shop is back up',
      '#2eb887',
      ['It was down for 12m.', endLine, link],
    ],
    [
      'recovery of a custom subject',
      told({ kind: 'recovery' }, { ...over, ...authored, troubleSince: startAt - 3 * hour, explanation: 'the input is ok' }),
      'Queue API is back up',
      '#2eb887',
      ['It was down for 2h 58m.', 'Queue API: rule "Too deep": the input is ok', endLine, link],
    ],
    [
      'a test message',
      told(
        {},
        { ...authored, ruleName: '', subjectName: 'Test message', error: 'Test message. Nothing is wrong.', isTest: true },
      ),
      'Test message',
      '#6b7280',
      ['Test message. Nothing is wrong.', link],
    ],
    [
      'control characters in the name',
      told({}, { ...one, subjectName: 'Sh\u0000o\r\np\u2028\u202e', error: '' }),
      'Sh o p is down',
      '#d50201',
      ['Down for 2m before we alerted.', link],
    ],
    [
      'a location that is gone',
      told({}, { failing: ['zz99'], unknown: [], ok: ['de01'], error: '' }),
      'Shop is down',
      '#d50201',
      ['Failing from 1 of 2 locations — zz99', 'Down for 2m before we alerted.', link],
    ],
  ]
  for (const [name, given, title, color, lines] of rows) {
    const timestamp = given.decidedAt / 1_000
    const attachment = { author_name: 'Watchkeeper', title, color, text: lines.join('\n'), footer: 'Watchkeeper', timestamp }
    t.strictSame(bodyOf(given), { channel: '#ops', attachments: [attachment] }, `${name}, slack`)
    t.strictSame(bodyOf(given, { type: 'slack', channel: '' }), { attachments: [attachment] }, `${name}, slack without a channel`)
    t.ok(isDocumented(bodyOf(given)) && isDocumented(bodyOf(given, webhook)), `${name}, as the document of the API says`)
    const { incident, ...rest } = bodyOf(given, webhook)
    t.strictSame(rest, { attachments: [attachment] }, `${name}, webhook`)
    t.type(incident, 'object', `${name}, webhook has the incident`)
  }
})

t.test('cause in the message about a recovery is escaped for Slack', async t => {
  const given = told({ kind: 'recovery' }, { ...over, ...one, cause: { ...cause, reason: 'no <!here>' } })
  t.match(textOf(given)[0], /: no &lt;!here&gt; \(de\)$/)
  t.match(textOf(given, webhook)[0], /: no <!here> \(de\)$/)
})

t.test('webhook body has the incident as data', async t => {
  const expected = {
    id: ids.encode('a1b2c3d4e5.1'),
    rule: 'availability',
    verdict: 'problem',
    action: null,
    transition: 'confirmed',
    lifecycle: 'open',
    confirmation: 'confirmed',
    at: '2026-01-05T12:00:00.000Z',
    resource: { key: 'shop', name: 'Shop', template: 'website-check@1', fields: facts.fields, fields_omitted: 2 },
    evidence: {
      inputs: [
        { signal: 'reachability@de01', status: 'problem', at: '2026-01-05T11:59:59.000Z' },
        { signal: 'reachability@fr01', status: 'ok', at: '2026-01-05T11:59:58.000Z' },
        { signal: 'reachability@us01', unresolved: 'nothing reported' },
      ],
      omitted: 0,
      truncated: false,
    },
  }
  const { evidence_note: note, ...incident } = bodyOf(told({}), webhook).incident
  t.strictSame(incident, expected)
  t.type(note, 'string')
  const reminder = bodyOf(told({ reminder: true, decidedAt: startAt + 4 * hour }), webhook).incident
  t.strictSame(reminder, { ...expected, evidence_note: note }, 'a reminder repeats the latest transition')
  t.match(bodyOf(told({ kind: 'no_data' }), webhook).incident, { verdict: 'no_data', transition: 'confirmed', lifecycle: 'open' })
  const closed = {
    verdict: 'ok',
    transition: 'closed',
    lifecycle: 'closed',
    confirmation: 'confirmed',
    at: '2026-01-05T11:58:00.000Z',
  }
  t.match(bodyOf(told({ kind: 'recovery' }, over), webhook).incident, closed)
})

t.test('webhook body is bounded', async t => {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field${i}`, 'x'.repeat(300)]))
  const inputs = Array.from({ length: 20 }, (_, i) => ({
    input: `i${i}`,
    value: 'unknown' as const,
    at: null,
    reason: 'y'.repeat(300),
  }))
  const evidence = { inputs, omitted: 3, truncated: false }
  const { incident } = bodyOf(told({}, { template: null, fields, fieldsOmitted: 3, evidence }), webhook)
  t.match(incident.resource, { template: null, fields_omitted: 7 })
  t.equal(Object.keys(incident.resource.fields).length, 16)
  t.equal(incident.resource.fields.field0.length, 200)
  t.match(incident.evidence, { omitted: 7, truncated: true })
  t.equal(incident.evidence.inputs.length, 16)
  t.match(incident.evidence.inputs[0], { signal: 'i0', unresolved: /^y{199}…$/ })
  const unseen = { inputs: [{ ...inputs[0]!, value: 'problem' as const }], omitted: 0, truncated: false }
  const whole = bodyOf(told({}, { template: null, fields: {}, evidence: unseen }), webhook).incident.evidence
  t.match(whole, { omitted: 0, truncated: false }, 'what is not shown is not cut')
})

t.test('text from a sender or response cannot break its line or mention people', async t => {
  const rows: [string, string, typeof slack | typeof webhook, string][] = [
    ['back-ticks', 'bad `gateway`', webhook, "`bad 'gateway'`"],
    ['line breaks and control characters', ' a\r\n\u0000b\u001b[31m\u2028c\u202ed ', webhook, '`a b [31m c d`'],
    ['mentions and links', 'see <!channel> & <http://evil|here>', slack, '`see &lt;!channel&gt; &amp; &lt;http://evil|here&gt;`'],
    ['a webhook reads it as it is', 'a < b', webhook, '`a < b`'],
    ['broken surrogates', 'a\ud800b', webhook, '`a\ufffdb`'],
  ]
  for (const [name, error, to, line] of rows) t.equal(textOf(told({}, { ...one, error }), to)[0], line, name)
  const long = textOf(told({}, { ...one, error: '😀'.repeat(400) }), webhook)[0] ?? ''
  t.equal([...long].length, limits.notifier.errorCharacters + 2, 'cut to its length, between whole characters')
  t.equal(textOf(told({}, { ...one, error: ' \n' }), webhook).length, 2, 'nothing but blanks is no error')
  const shout = told({}, { ...authored, subjectName: '<!here>', ruleName: '<!all>', problems: [{ of: 'rule', name: '<!x>' }] })
  t.equal(textOf(shout)[1], '&lt;!here&gt;: rule "&lt;!all&gt;": rule "&lt;!x&gt;" reports a problem')
  t.equal(bodyOf(told({}, { subjectName: '<!here>' })).attachments[0].title, '&lt;!here&gt; is down')
})

t.test("retry pauses grow, vary at random by up to a half, and respect the receiver's request up to a bound", async t => {
  const rows: [number, number, number | null, number][] = [
    [1, 0, null, 2 * second],
    [1, 1, null, 1 * second],
    [4, 0, null, 16 * second],
    [60, 0, null, 15 * minute],
    [1, 0, 7 * second, 7 * second],
    [4, 0, 7 * second, 16 * second],
    [1, 0, 3 * hour, 15 * minute],
  ]
  for (const [attempt, jitter, asked, pause] of rows)
    t.equal(retryDelay(attempt, jitter, asked), pause, `${attempt} ${jitter} ${asked}`)
})

t.test('lanes, one for each destination, share the bounded number of concurrent sends', async t => {
  const { inFlight, inFlightPerDestination: width, inFlightPerDestinationMax, queuedPerDestination } = limits.notifier
  const lanes = new Lanes(() => 0)
  const offered = Array.from({ length: queuedPerDestination }, (_, i) => lanes.offer('busy', `b${i}`))
  t.ok(offered.every(Boolean), 'there is room in the queue')
  t.notOk(lanes.offer('busy', 'one more'), 'a full lane refuses')
  t.ok(lanes.offer('busy', 'b0'), 'what it knows is no more')
  lanes.offer('calm', 'c0')
  t.same(lanes.pick().sort(), ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'c0'])
  t.same(lanes.pick(), [])
  t.notOk(lanes.take('busy', 'late'), 'nobody overtakes a queue')
  lanes.settle('b0', 'silent')
  t.same(lanes.pick(), [], 'who does not answer gets one at a time')
  for (let i = 1; i < width; i++) lanes.release(`b${i}`)
  t.same(lanes.pick(), ['b8'])
  lanes.settle('b8', 'took')
  t.same(lanes.pick(), ['b9', 'b10'], 'who takes messages gets more at once')
  for (let i = 9; lanes.running < inFlightPerDestinationMax + 1; lanes.pick()) lanes.settle(`b${i++}`, 'took')
  t.same(lanes.pick(), [], 'up to a bound')
  lanes.release('c0')
  lanes.offer('calm', 'b0')
  t.same(lanes.pick(), [], 'what is not written yet is not sent again')
  for (let i = 0; i < queuedPerDestination; i++) lanes.release(`b${i}`)
  t.equal(lanes.running, 0)
  lanes.pick()
  const running = lanes.running
  for (let i = 0; i < 2 * inFlight; i++) lanes.offer(`d${i}`, `e${i}`)
  t.equal(lanes.pick().length, inFlight - running, 'bounded in all')
  t.equal(lanes.running, inFlight)
  t.notOk(lanes.take('fresh', 'f'))
})

t.test('address is removed from a text completely', async t => {
  const address = 'https://user:password1@hooks.example.com:8443/services/T0123/B%20secret/x?key=abcdef12'
  const rows: [string, string][] = [
    [`no ${address} here`, 'no [redacted] here'],
    ['POST /services/T0123/B%20secret/x?key=abcdef12', 'POST [redacted]'],
    ['unknown B secret', 'unknown [redacted]'],
    ['abcdef12 at hooks.example.com', '[redacted] at [redacted]'],
    ['password1', '[redacted]'],
    ['plain words', 'plain words'],
  ]
  for (const [text, expected] of rows) t.equal(redactAddress(text, address), expected, text)
})

t.test('PUBLIC_URL loses its trailing slash, and is refused with a path or when it is no http or https address', async t => {
  t.equal(readSettings(notifierSettings, {}).PUBLIC_URL, '', 'the program fills in its own port')
  t.equal(readSettings(notifierSettings, { PUBLIC_URL: 'https://status.example.com/' }).PUBLIC_URL, 'https://status.example.com')
  for (const address of ['https://Status.example.com:443', 'http://[::1]:2517', 'http://localhost:2517//']) {
    t.equal(readSettings(notifierSettings, { PUBLIC_URL: address }).PUBLIC_URL, address.replace(/\/+$/, ''), address)
  }
  for (const more of ['/watch', '/watch/', '/?a=b', '?a=b', '#a', '/.']) {
    const address = `https://status.example.com${more}`
    t.throws(
      () => readSettings(notifierSettings, { PUBLIC_URL: address }),
      /^PUBLIC_URL must be an address without a path, such/,
      more,
    )
  }
  t.throws(
    () => readSettings(notifierSettings, { PUBLIC_URL: 'status' }),
    new SettingError('PUBLIC_URL must be an http or https address; it is "status".'),
  )
})

t.test('message fails with a retryable error when the sender cannot be opened, and a later message is sent', async t => {
  const receiver = await createReceiver(() => ({ status: 200 }))
  let broken = true
  const sender = createSender({
    clock: createVirtualClock(startAt),
    ...options,
    get egress() {
      if (broken) throw new Error('no memory')
      return createEgress()
    },
  })
  t.teardown(() => Promise.all([sender.close(), receiver.close()]))
  const send = () => sender.send(messageTo(receiver.url), new AbortController().signal)
  t.match(await send(), { kind: 'refused', retryable: true, error: 'unreachable: network error (Error)' })
  await t.rejects(sender.prepare(), { message: 'no memory' })
  broken = false
  t.same(await send(), { kind: 'delivered' })
})

t.test('each failure to reach a receiver has its own error text, without the address', async t => {
  const receiver = await createReceiver(() => ({ status: 200 }))
  const sender = createSender({ clock: createVirtualClock(startAt), version: '2.0.0', serviceUrl: options.serviceUrl })
  t.teardown(() => Promise.all([sender.close(), receiver.close()]))
  const send = (url: string) => sender.send(messageTo(url), new AbortController().signal)
  const { host } = new URL(receiver.url)
  const rows: [string, boolean, RegExp][] = [
    ['http://127.0.0.1:1/secret', true, /^unreachable: connection refused$/],
    [`https://${host}/secret`, true, /^unreachable: no secure connection \([A-Z_]+\)$/],
    ['secret', false, /^not_sent: the address cannot be called$/],
    [`ftp://${host}/secret`, false, /^not_sent: the address cannot be called$/],
  ]
  for (const [url, retryable, error] of rows)
    t.match(await send(url), { kind: 'refused', answered: false, retryable, error }, url)
  for (const credentials of ['us%20er:pass', '%zz:pass']) {
    t.same(await send(receiver.url.replace('//', `//${credentials}@`)), { kind: 'delivered' }, credentials)
  }
  const sent = receiver.hits.map(({ headers }) => Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString())
  t.same(sent, ['us er:pass', '%zz:pass'], 'credentials of the address travel in their header')
})

/** Returns whether the body fits the schema in the API's document. */
function documentedMessage(): (body: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(openApiDocument(generations.v2, '2.0.0'), 'v2')
  return ajv.compile({ oneOf: ['WebhookMessage', 'SlackMessage'].map(name => ({ $ref: `v2#/components/schemas/${name}` })) })
}
