// Messages to destinations that have a template: the choice of destinations, the template language, and the rendered messages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { AlertDocument, AlertFacts, AlertKind, SkipReason, TableKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliverySelection } from '#shared/contracts/notifications/destination.ts'
import { hour, limits, minute } from '#shared/limits/limits.ts'
import { chooseDestinations, type Routing } from '#shared/notifications/choose-destinations.ts'
import type { FieldName, TemplateFields } from '#shared/template/fields.ts'
import { fieldNames } from '#shared/template/fields.ts'
import { judgeTemplate, samples } from '#shared/template/samples.ts'
import { contentTypeOf, renderTemplate } from '#shared/template/template.ts'
import { readRouting } from '../../services/notifier/decide/routing.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { alert, createHouse, createReceiver, destination, facts, type House, startAt, templateFieldsOf, until } from './house.ts'

const here = { workspaceId: 'w' }
const all = [
  destination('a', '', { ...here, default: false }),
  destination('b', '', here),
  destination('off', '', { ...here, default: false, enabled: false }),
  destination('elsewhere', '', { workspaceId: 'another' }),
]
const nothingSpecial: Routing = {
  destinations: all,
  selections: [],
  subjectGone: false,
  isOvertaken: false,
  openedAt: new Set(),
}
const offDefault = [destination('b', '', { ...here, enabled: false })]
const rows = (given: Record<string, TableKind[]>): DeliverySelection[] =>
  Object.entries(given).map(([destinationId, alertKinds]) => ({ destinationId, alertKinds }))

interface Choice {
  name: string
  kind?: AlertKind
  held?: 'maintenance'
  confirmedAt?: null
  routing?: Partial<Routing>
  chosen: string[]
  leftOut: Record<string, SkipReason>
  nobody: SkipReason | null
}
const choices: Choice[] = [
  { name: 'the default is told', chosen: ['b'], leftOut: { a: 'not_routed', off: 'not_routed' }, nobody: null },
  { name: 'no destination at all', routing: { destinations: [] }, chosen: [], leftOut: {}, nobody: 'no_destination' },
  {
    name: 'destinations, but no default',
    routing: { destinations: [all[0]!] },
    chosen: [],
    leftOut: { a: 'not_routed' },
    nobody: 'no_destination',
  },
  {
    name: 'a default that is switched off',
    routing: { destinations: offDefault },
    chosen: [],
    leftOut: { b: 'destination_disabled' },
    nobody: 'destination_disabled',
  },
  {
    name: 'rows replace the default',
    routing: { selections: rows({ a: ['problem'], off: ['problem'] }) },
    chosen: ['a'],
    leftOut: { b: 'not_routed', off: 'destination_disabled' },
    nobody: null,
  },
  {
    name: 'rows for other kinds still replace the default',
    kind: 'recovery',
    routing: { selections: rows({ a: ['problem', 'no_data'] }) },
    chosen: [],
    leftOut: { a: 'not_routed', b: 'not_routed', off: 'not_routed' },
    nobody: 'not_routed',
  },
  {
    name: 'a row of a disabled destination still replaces the default',
    routing: { selections: rows({ off: ['problem'] }) },
    chosen: [],
    leftOut: { a: 'not_routed', b: 'not_routed', off: 'destination_disabled' },
    nobody: 'destination_disabled',
  },
  {
    name: 'rows that name what is gone or elsewhere are none',
    routing: { selections: rows({ gone: ['problem'], elsewhere: ['problem'] }) },
    chosen: ['b'],
    leftOut: { a: 'not_routed', off: 'not_routed' },
    nobody: null,
  },
  {
    name: 'held by maintenance',
    held: 'maintenance',
    routing: { selections: rows({ a: ['problem'], off: ['problem'] }) },
    chosen: [],
    leftOut: { a: 'maintenance', b: 'not_routed', off: 'destination_disabled' },
    nobody: 'maintenance',
  },
  {
    name: 'a recovery is never held',
    kind: 'recovery',
    held: 'maintenance',
    chosen: ['b'],
    leftOut: { a: 'not_routed', off: 'not_routed' },
    nobody: null,
  },
  {
    name: 'a subject that is gone',
    routing: { subjectGone: true },
    chosen: [],
    leftOut: { a: 'not_routed', b: 'resource_gone', off: 'not_routed' },
    nobody: 'resource_gone',
  },
  {
    name: 'the end of what was never confirmed',
    kind: 'recovery',
    confirmedAt: null,
    chosen: [],
    leftOut: { a: 'not_routed', b: 'not_announced', off: 'not_routed' },
    nobody: 'not_announced',
  },
  {
    name: 'of two marks the later counts',
    routing: {
      destinations: [
        destination('old', '', { ...here, defaultAt: 1, updatedAt: startAt + 5 }),
        destination('new', '', { ...here, defaultAt: 2 }),
      ],
    },
    chosen: ['new'],
    leftOut: { old: 'not_routed' },
    nobody: null,
  },
]
t.test('each destination is either notified, or omitted with a recorded reason', async t => {
  for (const { name, kind = 'problem', held, confirmedAt, routing, chosen, leftOut, nobody } of choices) {
    const asked = { ...here, kind, held: held ?? null, facts: { confirmedAt: confirmedAt === null ? null : startAt } }
    const decision = chooseDestinations(asked, { ...nothingSpecial, ...routing })
    t.strictSame(
      decision.chosen.map(one => one.destination.id),
      chosen,
      name,
    )
    t.strictSame(Object.fromEntries(decision.leftOut.map(({ destinationId, reason }) => [destinationId, reason])), leftOut, name)
    t.equal(decision.nobody, nobody, name)
  }
})

t.test('read of a table that is being replaced never returns the default destination', async t => {
  const store = createMemoryStore()
  const table = { workspaceId: 'w', updatedAt: 0 }
  const [a, b, fallback] = ['a', 'b', 'fallback'].map(id => destination(id, '', { ...here, default: id === 'fallback' }))
  await store.insert('destinations', [a!, fallback!])
  await store.insert('deliveryTables', [{ ...table, id: 'subject', rev: 1, selections: rows({ a: ['problem'] }) }])
  let replaced = false
  const replace = async <T>(read: T): Promise<T> => {
    if (!replaced) {
      replaced = true
      await store.insert('destinations', [b!])
      await store.replace('deliveryTables', [{ ...table, id: 'subject', rev: 2, selections: rows({ b: ['problem'] }) }])
    }
    return read
  }
  const racing: typeof store = {
    ...store,
    get: async (collection, ids) => replace(await store.get(collection, ids)),
    find: async (collection, query) =>
      collection === 'destinations' ? replace(await store.find(collection, query)) : store.find(collection, query),
  }
  const asked = { ...alert('x', 'x', 1, here), subjectId: 'subject' }
  const { chosen } = chooseDestinations(asked, (await readRouting(racing, [asked]))(asked))
  t.strictSame(
    chosen.map(one => one.destination.id),
    ['a'],
  )
})

const plain = Object.fromEntries(fieldNames.map(name => [name, `<${name}>`])) as TemplateFields
const output = (template: string, fields: Partial<TemplateFields> = {}) => {
  const rendered = renderTemplate(template, { ...plain, ...fields })
  return rendered.ok ? rendered.output : `! ${rendered.error}`
}
t.test('template language has only text, fields, and blanks inside braces', async t => {
  const language: [template: string, rendered: string][] = [
    ['', ''],
    ['text', 'text'],
    ['{{subject}}{{ url }}{{\n\tlink }}', '<subject><url><link>'],
    ['}} { } {a} }}{{ at }}}}', '}} { } {a} }}<at>}}'],
    ['{"a": {"b": "{{ kind }}"}}', '{"a": {"b": "<kind>"}}'],
    ['$& {{ lasted }} $1', '$& <lasted> $1'],
  ]
  for (const [template, rendered] of language) t.equal(output(template), rendered, template)
  for (const name of fieldNames) t.equal(output(`x{{ ${name} }}`), `x<${name}>`)
  t.equal(output('x{{ subject }}', { subject: '{{ url }}' }), 'x{{ url }}', 'a value is no template')
  t.equal(output('x{{ error }}y', { error: '' }), 'xy', 'a missing value is empty')
})
t.test('value that a template inserts into JSON is escaped', async t => {
  for (const value of ['"', '\\', 'a\nb\tc\u0000', '\u2028', '"}, "x": {', '😀', '\\u0041', 'é'])
    t.strictSame(JSON.parse(output('{"a": ["{{ subject }}"]}', { subject: value })), { a: [value] }, encodeURIComponent(value))
  t.equal(output('a "{{ subject }}"', { subject: '"' }), 'a """', 'plain text is as it is')
})
t.test('template error states its reason and contains no value of the message', async t => {
  const failing: [template: string, error: RegExp][] = [
    ['a\nbc {{ nope }}', /Unknown field "nope" at line 2, column 4: the fields are kind, status, subject,/],
    ['😀{{ x'.repeat(1), /opened at line 1, column 2 are not closed/],
    [`{{ ${'y'.repeat(500)} }}`, /^! Unknown field "y{40}" at/],
    ['[{{ subject }}]', /^! The result is not valid JSON\.$/],
    ['{{ subject }} {{', /not closed/],
    [`x${'{{ subject }}'.repeat(5_000)}`, new RegExp(`more than ${limits.template.outputBytes} bytes`)],
  ]
  for (const [template, error] of failing) t.match(output(template), error, template.slice(0, 20))
  t.match(output('{{ toString }}'), /Unknown field/)
})
t.test('template of many pieces is parsed in linear time', async t => {
  const before = performance.now()
  for (let i = 0; i < 20; i++) judgeTemplate('{{at}}'.repeat(2_700))
  judgeTemplate('{{'.repeat(8_000))
  t.ok(performance.now() - before < 5_000)
})
t.test('samples have every kind of alert, and turn a template that escapes wrongly into invalid JSON', async t => {
  t.strictSame(
    samples.map(({ alertKind }) => alertKind),
    ['problem', 'no_data', 'recovery'],
  )
  for (const name of fieldNames) {
    const escaped = judgeTemplate(`{"a": "\\{{ ${name} }}"}`).map(({ rendered }) => rendered.ok)
    t.notOk(escaped.every(Boolean), `a backslash before ${name} is found out`)
  }
  t.equal(contentTypeOf('{{ subject }}'), 'text/plain')
})

t.test('sample of a no-data message quotes a failed check, as real messages do', async t => {
  const errorOf = (kind: string) => samples.find(({ alertKind }) => alertKind === kind)?.fields.error
  t.equal(errorOf('no_data'), errorOf('problem'))
})

const context = {
  publicUrl: 'https://s.example',
  locationName: (id: string) => id.slice(0, 2),
  workspaceName: 'Acme\r\n<!here>',
  encodeIncidentId: (id: string) => `i-${id}`,
}
const fieldsOf = (over: Partial<AlertDocument>, changed: Partial<AlertFacts> = {}, guard = (text: string) => text) =>
  templateFieldsOf({ ...alert('w', 'a', 1, over), facts: { ...facts, ...changed } }, context, guard)
t.test('each kind of message has the documented fields for templates', async t => {
  const base = { subject: 'Shop', url: 'https://shop.example.com/', link: 'https://s.example/subjects/axxxxxxxxx' }
  const several = { failing: ['de01', 'fr01'], unknown: [], ok: ['us01'] }
  const closed = { troubleSince: startAt - hour, closedAt: startAt - 46 * minute }
  const none = { template: null, url: '', failing: [], unknown: [], ok: [] }
  const messages: [string, TemplateFields, Partial<Record<FieldName, string>>][] = [
    [
      'a problem',
      fieldsOf({}, several),
      { ...base, kind: 'problem', status: 'down', error: 'connection refused', locations: 'de, fr', lasted: '2m' },
    ],
    ['its summary', fieldsOf({}, several), { summary: 'Shop is down: failing from 2 of 3 locations — de, fr' }],
    [
      'a reminder',
      fieldsOf({ reminder: true, decidedAt: startAt + 4 * hour }),
      { lasted: '4h 2m', at: '2026-01-05T16:00:00.000Z' },
    ],
    [
      'no data',
      fieldsOf({ kind: 'no_data' }, { failing: [], unknown: ['de01', 'us01'], ok: ['fr01'], error: '' }),
      { status: 'unknown', locations: 'de, us', error: '', summary: 'Shop — no data: no reports from 2 of 3 locations' },
    ],
    [
      'a recovery',
      fieldsOf({ kind: 'recovery' }, { ...closed, failing: [], unknown: [], ok: ['de01', 'us01'] }),
      { status: 'up', locations: 'de, us', error: '', lasted: '14m', summary: 'Shop is back up after 14m' },
    ],
    ['its incident', fieldsOf({ incidentId: 'n1' }), { incident: 'i-n1' }],
    ['the recovery of this incident', fieldsOf({ kind: 'recovery', incidentId: 'n1' }, closed), { incident: 'i-n1' }],
    ['one location', fieldsOf({}, { failing: ['de01'], unknown: [], ok: [] }), { locations: 'de', summary: 'Shop is down' }],
    ['a custom subject', fieldsOf({}, none), { url: '', locations: '', summary: 'Shop is down', error: 'connection refused' }],
    [
      'a test message',
      fieldsOf({}, { ...none, subjectName: 'Test message', error: 'Test message. Nothing is wrong.', isTest: true }),
      { subject: 'Test message', summary: 'Test message. Nothing is wrong.', error: 'Test message. Nothing is wrong.' },
    ],
    [
      'control characters',
      fieldsOf({}, { subjectName: 'A\u0000\nB', error: 'x\r\n\u001b[31my' }),
      { subject: 'A B', error: 'x [31my', workspace: 'Acme <!here>' },
    ],
    ['a guard', fieldsOf({}, several, text => text.replaceAll('<', '&lt;')), { workspace: 'Acme &lt;!here>', link: base.link }],
  ]
  for (const [name, made, expected] of messages) {
    t.match(made, expected, name)
    t.strictSame(Object.keys(made).sort(), fieldNames.toSorted(), name)
  }
})

const scene = async (t: { teardown(run: () => unknown): void }) => {
  const house = createHouse()
  const receiver = await createReceiver(() => ({ status: 200 }))
  const service = await house.start('n1')
  t.teardown(async () => {
    await house.stop(service)
    await receiver.close()
  })
  await house.store.insert('workspaces', [{ id: 'workspace-one', rev: 1, name: 'Acme', createdAt: 0 }] as never)
  return { ...house, receiver }
}
const template = (number: number, text: string, workspaceId = 'workspace-one') => ({
  id: `t${number}`,
  rev: 1,
  number,
  workspaceId,
  name: `T${number}`,
  nameKey: `t${number}`,
  template: text,
  createdAt: 0,
  updatedAt: 0,
})
const tell = async ({ store, nudge }: House, made: AlertDocument, logged: number) => {
  await store.insert('alerts', [made])
  nudge(made.id)
  const log = () => store.find('deliveryLog', { sort: [['number', 'asc']], limit: 100 })
  await until(async () => (await log()).length >= logged, `${logged} rows`)
  return (await log()).at(-1)!
}

t.test('destination with a template gets the text and content type that the template has at the moment of sending', async t => {
  const { receiver, ...house } = await scene(t)
  await house.store.insert('transformations', [template(7, '{"s": "{{ subject }} @ {{ workspace }}"}')])
  await house.store.insert('destinations', [destination('one', receiver.url, { transformationId: 7 })])
  const row = await tell(house, alert('one', 'a', 1, { facts: { ...facts, subjectName: 'The "Shop"' } }), 1)
  t.strictSame(JSON.parse(receiver.hits[0]?.body ?? ''), { s: 'The "Shop" @ Acme' })
  t.equal(receiver.hits[0]?.headers['content-type'], 'application/json')
  t.match(row, { payload: receiver.hits[0]?.body, status: 'delivered', error: '', note: null })
  await house.store.upsert('transformations', [{ ...template(7, 'Plain: {{ summary }}'), rev: 2 }])
  await tell(house, alert('one', 'b', 1), 2)
  t.match(receiver.hits[1], { body: /^Plain: Shop is down/, headers: { 'content-type': 'text/plain; charset=utf-8' } })
})

t.test('template for Slack cannot mention people', async t => {
  const { receiver, ...house } = await scene(t)
  await house.store.insert('transformations', [template(7, '{"text": "{{ error }} <{{ link }}|page>"}')])
  await house.store.insert('destinations', [destination('one', receiver.url, { type: 'slack', transformationId: 7 })])
  await tell(house, alert('one', 'a', 1, { facts: { ...facts, error: '<!channel> & co' } }), 1)
  t.match(JSON.parse(receiver.hits[0]?.body ?? ''), { text: /^&lt;!channel&gt; &amp; co <https:[^|]+\|page>$/ })
})

t.test('built-in body replaces a template that fails, and a log line reports it', async t => {
  const broken: [string, string][] = [
    ['a field of another version', '{{ severity }}'],
    ['JSON that the samples did not break', '{"a": {{ error }}}'],
    ['more than a message may have', 'x{{ subject }}'.repeat(1_100)],
  ]
  const long = { facts: { ...facts, subjectName: 'é'.repeat(100) } }
  for (const [name, text] of broken) {
    const { receiver, ...house } = await scene(t)
    await house.store.insert('transformations', [template(7, text)])
    await house.store.insert('destinations', [destination('one', receiver.url, { transformationId: 7 })])
    const row = await tell(house, alert('one', 'a', 1, long), 1)
    t.match(JSON.parse(receiver.hits[0]?.body ?? ''), { attachments: [{ author_name: 'Watchkeeper' }] }, name)
    t.match(row, { status: 'delivered', error: '', note: /built-in body was sent, because template 7 did not render/ }, name)
    await house.store.upsert('destinations', [{ ...destination('one', 'http://127.0.0.1:1/x', { transformationId: 7 }), rev: 2 }])
    const failed = await tell(house, alert('one', 'b', 1, long), 2)
    t.match(failed, { status: 'failed', error: /^unreachable: .*; the built-in body was sent/ }, name)
    t.match(house.log.join(''), /template did not render a message/, name)
  }
})

t.test('template counts as absent when it is deleted or of another workspace', async t => {
  const { receiver, ...house } = await scene(t)
  await house.store.insert('transformations', [template(8, 'foreign', 'workspace-two')])
  await house.store.insert('destinations', [
    destination('one', receiver.url, { transformationId: 7 }),
    destination('two', receiver.url, { workspaceId: 'workspace-one', transformationId: 8, default: false }),
  ])
  const selections = rows({ one: ['problem'], two: ['problem'] })
  await house.store.insert('deliveryTables', [
    { id: alert('one', 'a', 1).subjectId, rev: 1, workspaceId: 'workspace-one', selections, updatedAt: 0 },
  ])
  await tell(house, alert('one', 'a', 1), 2)
  t.equal(receiver.hits.length, 2)
  for (const { body } of receiver.hits) t.match(JSON.parse(body), { attachments: [{}] })
  const log = await house.store.find('deliveryLog', { limit: 10 })
  t.strictSame(
    log.map(({ note }) => note),
    [null, null],
  )
})

t.test('alert stores the reasons of omitted destinations, and a deleted subject notifies nobody', async t => {
  const { receiver, ...house } = await scene(t)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const made = alert('one', 'a', 1)
  await house.store.upsert('subjects', [{ id: made.subjectId, rev: 1, deletedAt: 5 } as never])
  await house.store.insert('alerts', [made])
  house.nudge(made.id)
  const stored = async () => (await house.store.get('alerts', [made.id]))[0]
  await until(async () => (await stored())?.state === 'dispatched', 'dispatched')
  t.match(await stored(), { deliveries: 0, skipped: [{ destinationId: 'one', reason: 'resource_gone' }] })
  t.equal(receiver.hits.length, 0)
})

t.test('PagerDuty templates of the guide render every message as the Events API v2 requires', async t => {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'notifications.md'), 'utf8')
  const key = '0123456789abcdef0123456789abcdef'
  const found = [...guide.matchAll(/<<TEMPLATE .*\n([\s\S]*?)\nTEMPLATE\n/g)].map(([, text = '']) =>
    text.replaceAll('$INTEGRATION', key),
  )
  t.equal(found.length, 2)
  const actions = ['trigger', 'resolve']
  for (const [i, template] of found.entries()) {
    t.equal(contentTypeOf(template), 'application/json')
    for (const { fields, alertKind } of samples) {
      const rendered = renderTemplate(template, { ...fields, incident: 'Ab3dE6gH9k' })
      const event = JSON.parse(rendered.ok ? rendered.output : 'null')
      t.match(event, { routing_key: key, event_action: actions[i], dedup_key: 'Ab3dE6gH9k' }, alertKind)
      t.ok(event.dedup_key.length <= 255)
      if (event.event_action === 'resolve') continue
      t.match(event.payload, { summary: `${fields.subject} is ${fields.status}`, source: fields.workspace, timestamp: fields.at })
      t.ok(['critical', 'error', 'warning', 'info'].includes(event.payload.severity))
      t.match(event.payload.custom_details, { summary: fields.summary, error: fields.error })
    }
    const longest = {
      ...samples[0]?.fields,
      incident: 'Ab3dE6gH9k',
      subject: 'x'.repeat(limits.notifier.nameCharacters),
      locations: 'y'.repeat(6_400),
    }
    const rendered = renderTemplate(template, longest as TemplateFields)
    const { payload } = JSON.parse(rendered.ok ? rendered.output : 'null')
    t.ok((payload?.summary.length ?? 0) <= 1_024, 'PagerDuty refuses a longer summary')
  }
})
