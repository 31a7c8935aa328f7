// Messages about rules of Templates, openings and acknowledgements: destinations, texts, and log entries of withheld messages. Each title
// cites its rule of docs/reference/v3.md.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t, { type Test } from 'tap'
import type {
  AlertDocument,
  AlertFacts,
  AlertKind,
  AlertRouting,
  SkipReason,
  TableKind,
} from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { RouteTransition } from '#shared/contracts/resources/template.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import { chooseDestinations, type Routing } from '#shared/notifications/choose-destinations.ts'
import { fieldNames } from '#shared/template/fields.ts'
import { samples } from '#shared/template/samples.ts'
import { openApiDocument } from '../../services/gateway/openapi/document.ts'
import { generations } from '../../services/gateway/openapi/generations.ts'
import {
  type Answer,
  alert,
  builtInBody,
  createHouse,
  createReceiver,
  destination,
  facts,
  options,
  startAt,
  templateFieldsOf,
  until,
} from './house.ts'

const here = { workspaceId: 'w', default: false }
const pager = destination('pager', '', { ...here, sendOnOpen: true })
const hook = destination('hook', '', here)
const slack = destination('slack', '', { ...here, type: 'slack' })
const fallback = destination('fallback', '', { ...here, default: true })
const off = destination('off', '', { ...here, enabled: false, sendOnOpen: true })
const all = [pager, hook, slack, fallback, off]
const optedIn = (id: string) => all.map(one => (one.id === id ? { ...one, sendOnOpen: true } : one))

const routes = (given: Record<string, RouteTransition[]>): AlertRouting => ({
  routes: Object.entries(given).map(([id, on]) => ({ destination: id, on })),
})
const rows = (given: Record<string, TableKind[]>) =>
  Object.entries(given).map(([destinationId, alertKinds]) => ({ destinationId, alertKinds }))

interface Case {
  name: string
  kind?: AlertKind
  held?: 'maintenance'
  confirmedAt?: null
  rule?: AlertRouting
  more?: Partial<Routing>
  chosen: string[]
  kept?: Record<string, SkipReason>
  nobody?: SkipReason | null
}
const usual: RouteTransition[] = ['problem', 'no_data', 'recovery']
const everything: RouteTransition[] = ['opened', ...usual, 'acknowledged']

const order: Case[] = [
  {
    name: 'routes: each that names the transition',
    rule: routes({ pager: ['problem'], hook: usual, slack: ['recovery'] }),
    chosen: ['pager', 'hook'],
  },
  {
    name: 'routes win over rows and default',
    rule: routes({ hook: usual }),
    more: { selections: rows({ slack: ['problem'] }) },
    chosen: ['hook'],
  },
  {
    name: 'routes for other transitions alone send this one nowhere',
    rule: routes({ hook: ['recovery'] }),
    chosen: [],
    nobody: 'not_routed',
  },
  { name: 'no routes at all send nothing', rule: routes({}), chosen: [], nobody: 'not_routed' },
  {
    name: 'a route whose destination is off',
    rule: routes({ off: usual, hook: usual }),
    chosen: ['hook'],
    kept: { off: 'destination_disabled' },
  },
  {
    name: 'only routes that are off: nobody else gets it',
    rule: routes({ off: usual }),
    chosen: [],
    kept: { off: 'destination_disabled' },
    nobody: 'destination_disabled',
  },
  { name: 'a route that is gone is none', rule: routes({ gone: usual, hook: usual }), chosen: ['hook'] },
  {
    name: 'with no route left the order goes on to the rows',
    rule: routes({ gone: usual }),
    more: { selections: rows({ slack: ['problem'] }) },
    chosen: ['slack'],
  },
  { name: 'with no route left and no rows it goes on to the default', rule: routes({ gone: usual }), chosen: ['fallback'] },
  {
    name: "the rule's destination alone",
    rule: { destination: 'hook' },
    more: { selections: rows({ slack: ['problem'] }) },
    chosen: ['hook'],
  },
  {
    name: "the rule's destination is off",
    rule: { destination: 'off' },
    chosen: [],
    kept: { off: 'destination_disabled' },
    nobody: 'destination_disabled',
  },
  {
    name: "the rule's destination is gone: rows",
    rule: { destination: 'gone' },
    more: { selections: rows({ slack: ['problem'] }) },
    chosen: ['slack'],
  },
  { name: "the rule's destination is gone: default", rule: { destination: 'gone' }, chosen: ['fallback'] },
  { name: 'rows before the default', rule: null, more: { selections: rows({ slack: ['problem'] }) }, chosen: ['slack'] },
  { name: 'the default last', rule: null, chosen: ['fallback'] },
  { name: 'nothing at all', rule: null, more: { destinations: [hook] }, chosen: [], nobody: 'no_destination' },
  {
    name: "another workspace's destination is none",
    rule: routes({ far: usual }),
    more: { destinations: [...all, destination('far', '')] },
    chosen: ['fallback'],
  },
  {
    name: 'maintenance holds what is routed',
    held: 'maintenance',
    rule: routes({ hook: usual, off: usual }),
    chosen: [],
    kept: { hook: 'maintenance', off: 'destination_disabled' },
    nobody: 'maintenance',
  },
  {
    name: 'maintenance holds no recovery',
    held: 'maintenance',
    kind: 'recovery',
    rule: routes({ hook: usual }),
    chosen: ['hook'],
  },
]

const openings: Case[] = [
  { name: 'a webhook that opted in, by its route', rule: routes({ pager: everything }), chosen: ['pager'] },
  {
    name: 'a webhook that did not',
    rule: routes({ hook: ['opened'] }),
    chosen: [],
    kept: { hook: 'not_opted_in' },
    nobody: 'not_opted_in',
  },
  { name: 'slack needs the route alone', rule: routes({ slack: ['opened'] }), chosen: ['slack'] },
  { name: 'opted in, but the route does not name it', rule: routes({ pager: usual }), chosen: [], nobody: null },
  {
    name: 'off comes before not opted in',
    rule: routes({ off: ['opened'] }),
    chosen: [],
    kept: { off: 'destination_disabled' },
    nobody: 'destination_disabled',
  },
  { name: 'without routes it goes where a problem would', rule: { destination: 'pager' }, chosen: ['pager'] },
  { name: 'without routes not to a webhook that did not opt in', rule: { destination: 'hook' }, chosen: [], nobody: null },
  { name: 'without routes never to slack', more: { selections: rows({ slack: ['problem'] }) }, chosen: [], nobody: null },
  { name: 'by a row for problems', more: { selections: rows({ pager: ['problem'], off: ['recovery'] }) }, chosen: ['pager'] },
  { name: 'not by a row for recoveries', more: { selections: rows({ pager: ['recovery'] }) }, chosen: [], nobody: null },
  { name: 'to the default that opted in', more: { destinations: optedIn('fallback') }, chosen: ['fallback'] },
  { name: 'the default that did not leaves no entry', chosen: [], nobody: null },
  { name: 'without any destination there is no entry', more: { destinations: [] }, chosen: [], nobody: null },
  {
    name: 'held by maintenance',
    held: 'maintenance',
    rule: routes({ pager: everything }),
    chosen: [],
    kept: { pager: 'maintenance' },
    nobody: 'maintenance',
  },
  {
    name: 'after the confirmation',
    rule: routes({ pager: everything }),
    more: { isOvertaken: true },
    chosen: [],
    kept: { pager: 'confirmed_first' },
    nobody: 'confirmed_first',
  },
  {
    name: 'of a subject that is gone',
    rule: routes({ pager: everything }),
    more: { subjectGone: true },
    chosen: [],
    kept: { pager: 'resource_gone' },
    nobody: 'resource_gone',
  },
]

const opened = { openedAt: new Set(['pager']) }
const closings: Case[] = [
  {
    name: 'who got the opening gets the closing, whatever its route says',
    rule: routes({ pager: ['opened'], hook: usual }),
    more: opened,
    chosen: ['pager', 'hook'],
  },
  { name: 'also without a route', more: opened, chosen: ['pager', 'fallback'] },
  {
    name: 'also of an incident that was never confirmed',
    confirmedAt: null,
    rule: routes({ pager: everything, hook: usual }),
    more: opened,
    chosen: ['pager'],
    kept: { hook: 'not_announced' },
  },
  {
    name: 'nobody hears the end of what nobody heard of',
    confirmedAt: null,
    rule: routes({ hook: usual }),
    chosen: [],
    kept: { hook: 'not_announced' },
    nobody: 'not_announced',
  },
  {
    name: 'a destination that was switched off since',
    rule: routes({ hook: usual }),
    more: { openedAt: new Set(['off']) },
    chosen: ['hook'],
    kept: { off: 'destination_disabled' },
  },
  {
    name: 'the opening brings no reminder or problem',
    kind: 'problem',
    rule: routes({ hook: usual }),
    more: opened,
    chosen: ['hook'],
  },
]

const acknowledgements: Case[] = [
  {
    name: 'by the routes that name it',
    rule: routes({ slack: ['acknowledged'], hook: usual, off: everything }),
    chosen: ['slack'],
    kept: { off: 'destination_disabled' },
  },
  { name: 'no webhook has to opt in', rule: routes({ hook: ['acknowledged'] }), chosen: ['hook'] },
  { name: 'also in maintenance', held: 'maintenance', rule: routes({ hook: ['acknowledged'] }), chosen: ['hook'] },
  { name: "not by the rule's destination", rule: { destination: 'hook' }, chosen: [], nobody: null },
  { name: 'not by rows', more: { selections: rows({ hook: usual as TableKind[] }) }, chosen: [], nobody: null },
  { name: 'not by the default', chosen: [], nobody: null },
  { name: 'not after every route is gone', rule: routes({ gone: everything }), chosen: [], nobody: null },
]

const tables: [title: string, kind: AlertKind, cases: Case[]][] = [
  ['v3 10.4 a message goes where the first of routes, destination, rows and default says', 'problem', order],
  ['v3 10.5 an opening goes to those who asked for it', 'opened', openings],
  ['v3 10.5 a destination that got the opening gets the closing', 'recovery', closings],
  ['v3 10.6 an acknowledgement goes only where a route names it', 'acknowledged', acknowledgements],
]
for (const [title, usually, cases] of tables) {
  t.test(title, async t => {
    const nothing: Routing = { destinations: all, selections: [], subjectGone: false, isOvertaken: false, openedAt: new Set() }
    for (const {
      name,
      kind = usually,
      held = null,
      confirmedAt = startAt,
      rule,
      more,
      chosen,
      kept = {},
      nobody = null,
    } of cases) {
      const asked = { workspaceId: 'w', kind, held, facts: { confirmedAt, ...(rule === undefined ? {} : { routing: rule }) } }
      const decision = chooseDestinations(asked, { ...nothing, ...more })
      t.strictSame(decision.chosen.map(({ destination: { id } }) => id).sort(), chosen.toSorted(), name)
      const spoken = decision.leftOut.filter(({ reason }) => reason !== 'not_routed')
      t.strictSame(Object.fromEntries(spoken.map(({ destinationId, reason }) => [destinationId, reason])), kept, name)
      t.equal(decision.nobody, nobody, name)
    }
  })
}

const ofTemplate: Partial<AlertFacts> = {
  subjectName: 'srv-0042',
  subjectSlug: 'srv0042abc',
  resourceKey: 'srv-0042',
  ruleKey: 'host_down',
  template: 'paged@2',
  action: 'Restart the host.',
  url: '',
  failing: [],
  unknown: [],
  ok: [],
  error: '',
  explanation: 'probe problem, load 0.1',
  reasons: [
    { signal: 'probe', text: 'no `route`\nto host' },
    { signal: 'load', text: 'x'.repeat(300) },
  ],
}
const about = (over: Partial<AlertDocument>, changed: Partial<AlertFacts> = {}): AlertDocument => ({
  ...alert('one', 'a1b2c3d4e5', 2, over),
  facts: { ...facts, ...ofTemplate, ...changed },
})
const context = { publicUrl: options.publicUrl, encodeIncidentId: (id: string) => id, locationName: (id: string) => id }
const bodyOf = (given: AlertDocument, type: DestinationDocument['type'] = 'webhook') =>
  JSON.parse(builtInBody(given, { type, channel: '' }, context))
const closed = { closedAt: startAt, condition: 'ok' as const, explanation: 'probe ok, load 0.1', reasons: [] }
const link = '<https://status.example.com/subjects/a1b2c3d4e5|View timeline>'
const reasons = ['Reason: probe: no `route` to host', `Reason: load: ${'x'.repeat(199)}…`]
const explained = '`probe problem, load 0.1`'

t.test('each message about a rule of a Template has the expected title, colour and lines (v3 10.7)', async t => {
  const cases: [AlertDocument, title: string, color: string, lines: string[]][] = [
    [
      about({}),
      'srv-0042: host_down — Restart the host.',
      '#d50201',
      [explained, ...reasons, 'Down for 2m before we alerted.', link],
    ],
    [
      about({ reminder: true, decidedAt: startAt + 240 * minute }),
      'srv-0042: host_down — Restart the host.',
      '#d50201',
      [explained, ...reasons, 'Down for 4h 2m so far.', link],
    ],
    [
      about({ kind: 'opened' }, { confirmedAt: null }),
      'srv-0042: host_down opened — Restart the host.',
      '#f0ad4e',
      [explained, ...reasons, 'Not confirmed yet.', link],
    ],
    [
      about({ kind: 'recovery' }, closed),
      'srv-0042: host_down is over',
      '#2eb887',
      ['`probe ok, load 0.1`', 'It was down for 2m.', 'It ended at 12:00:00 UTC.', link],
    ],
    [
      about({ kind: 'acknowledged' }, { acknowledgedBy: 'Ada <x>', reasons: [] }),
      'srv-0042: host_down — taken by Ada <x>',
      '#4f46e5',
      [explained, 'Down for 2m so far.', link],
    ],
    [
      about({ kind: 'no_data' }),
      'srv-0042: host_down — no data',
      '#f0ad4e',
      [
        explained,
        ...reasons,
        'Down for 2m before we alerted.',
        'No usable reports since 11:58:00 UTC. Whether it is up is unknown.',
        link,
      ],
    ],
  ]
  for (const [given, title, color, lines] of cases) {
    const { attachments, incident } = bodyOf(given)
    t.match(attachments, [{ title, color, text: lines.join('\n') }])
    t.ok(incident)
    t.notOk('incident' in bodyOf(given, 'slack'))
  }
  const foreign = {
    action: '<!here> & go',
    explanation: '<!x> `a`',
    acknowledgedBy: '<@u>',
    reasons: [{ signal: 's', text: '<!y>' }],
  }
  const escaped = JSON.stringify([bodyOf(about({}, foreign), 'slack'), bodyOf(about({ kind: 'acknowledged' }, foreign), 'slack')])
  t.notMatch(escaped, /<[!@]/)
  t.match(escaped, /&lt;!x&gt; 'a'/)
})

t.test('message about an opening or acknowledgement has its title also for a rule without a Template (v3 10.7)', async t => {
  const plain = { ...facts, confirmedAt: null }
  const several = { failing: [], unknown: ['de01', 'fr01'], ok: ['us01'], error: '', condition: 'no_data' as const }
  const cases: [AlertDocument, title: string, text: RegExp][] = [
    [
      { ...about({ kind: 'opened' }), facts: plain },
      'Shop may be down',
      /^Failing from 1 of 3.*\n`connection refused`\nNot confirmed yet\.\n</,
    ],
    [
      { ...about({ kind: 'opened' }), facts: { ...plain, ...several } },
      'Shop may be down',
      /^No reports from 2 of 3 locations\nNot conf/,
    ],
    [
      { ...about({ kind: 'acknowledged' }), facts: { ...facts, acknowledgedBy: 'Ada' } },
      'Shop — taken by Ada',
      /Down for 2m so far\./,
    ],
  ]
  for (const [given, title, text] of cases) t.match(bodyOf(given).attachments, [{ title, text }])
})

t.test('payload template has rule, action, resource and evidence (v3 10.8)', async t => {
  const fieldsOf = (given: AlertDocument) => templateFieldsOf(given, { ...context, workspaceName: 'Acme' })
  t.match(fieldsOf(about({})), {
    kind: 'problem',
    status: 'down',
    rule: 'host_down',
    action: 'Restart the host.',
    resource: 'srv-0042',
    evidence: 'probe problem, load 0.1',
    summary: 'srv-0042: host_down — Restart the host.',
  })
  t.match(fieldsOf(about({ kind: 'opened' })), { kind: 'opened', status: 'opening' })
  t.match(fieldsOf(about({ kind: 'acknowledged' }, { acknowledgedBy: 'Ada' })), { kind: 'acknowledged', status: 'acknowledged' })
  t.match(fieldsOf(about({ kind: 'recovery' }, closed)), {
    summary: 'srv-0042: host_down is over after 2m',
    evidence: 'probe ok, load 0.1',
  })
  const website = fieldsOf(alert('one', 'a', 1))
  t.match(website, { rule: 'availability', action: '', resource: 'shop', evidence: '1 of 3 locations failing' })
  const long = fieldsOf(about({}, { explanation: `a\n${'b'.repeat(2_000)}` })).evidence
  t.match([long.length, long.slice(0, 3)], [1_000, 'a b'], 'one line of 1,000 characters at most')
  for (const { fields } of samples)
    t.strictSame(Object.keys(fields).sort(), fieldNames.filter(name => name !== 'incident').toSorted(), '15 fields, as E 10.8')
})

const atUs = (startAt - 1_000) * 1_000
const comparisons: NonNullable<AlertFacts['comparisons']> = {
  inputs: [
    { signal: 'probe', status: 'problem', atUs, reason: 'no route' },
    { signal: 'load', status: 'ok', value: 0.1, atUs, counted: { matching: 2, required: 3, within_seconds: 900 } },
    { signal: 'rate', unresolved: 'no value', baseline: { days: 7, required: 5, samples: 0, median: null } },
    { signal: 'beat', unresolved: 'never reported' },
  ],
  omitted: 0,
  truncated: false,
}
t.test('webhook incident shows the evidence of a rule of a Template (v3 10.9)', async t => {
  const documented = documentedMessage()
  const body = bodyOf(about({}, { comparisons, fields: { host: 'srv', threshold: 3 }, fieldsOmitted: 2 }))
  t.ok(documented(body))
  t.match(body.incident, {
    rule: 'host_down',
    verdict: 'problem',
    action: 'Restart the host.',
    transition: 'confirmed',
    resource: {
      key: 'srv-0042',
      name: 'srv-0042',
      template: 'paged@2',
      fields: { host: 'srv', threshold: 3 },
      fields_omitted: 2,
    },
    evidence: { omitted: 0, truncated: false },
  })
  const at = '2026-01-05T11:59:59Z'
  t.strictSame(body.incident.evidence.inputs, [
    { signal: 'probe', status: 'problem', at, reason: 'no route' },
    { signal: 'load', status: 'ok', value: 0.1, at, counted: { matching: 2, required: 3, within_seconds: 900 } },
    { signal: 'rate', unresolved: 'no value', baseline: { days: 7, required: 5, samples: 0, median: null } },
    { signal: 'beat', unresolved: 'never reported' },
  ])
  const long = { signal: 's', status: 'ok' as const, atUs, reason: 'y'.repeat(201) }
  const cut = bodyOf(about({}, { comparisons: { ...comparisons, inputs: [long] } })).incident.evidence
  t.match(cut, { truncated: true, inputs: [{ reason: /^y{199}…$/ }] })
  const atBound = { ...long, reason: 'y'.repeat(200) }
  t.match(bodyOf(about({}, { comparisons: { ...comparisons, inputs: Array(16).fill(atBound) } })).incident.evidence, {
    omitted: 0,
    truncated: false,
  })
  const many = bodyOf(about({}, { comparisons: { ...comparisons, inputs: Array(17).fill(atBound), omitted: 2 } })).incident
    .evidence
  t.match([many.omitted, many.truncated, many.inputs.length], [3, true, 16])
})

t.test('webhook incident names the transition and its instant (v3 10.9)', async t => {
  const documented = documentedMessage()
  const troubleSince = startAt - 2 * minute
  const cases: [AlertDocument, expected: object][] = [
    [
      about({ kind: 'opened' }, { confirmedAt: null }),
      {
        transition: 'opened',
        lifecycle: 'open',
        confirmation: 'unconfirmed',
        verdict: 'problem',
        at: new Date(troubleSince).toISOString(),
      },
    ],
    [about({ kind: 'opened' }, { confirmedAt: null, condition: 'no_data' }), { transition: 'opened', verdict: 'no_data' }],
    [about({ decidedAt: startAt + 1 }), { transition: 'confirmed', at: new Date(startAt).toISOString() }],
    [about({ reminder: true, decidedAt: startAt + 1 }), { transition: 'confirmed', at: new Date(startAt).toISOString() }],
    [
      about({ kind: 'acknowledged', decidedAt: startAt + 5 }, { condition: 'ok', acknowledgedBy: 'Ada' }),
      { transition: 'acknowledged', lifecycle: 'open', verdict: 'ok', at: new Date(startAt + 5).toISOString() },
    ],
    [
      about({ kind: 'recovery', decidedAt: startAt + 5 }, { ...closed, confirmedAt: null }),
      {
        transition: 'closed',
        lifecycle: 'closed',
        confirmation: 'unconfirmed',
        verdict: 'ok',
        at: new Date(startAt).toISOString(),
      },
    ],
  ]
  for (const [given, expected] of cases) {
    const body = bodyOf(given)
    t.match(body.incident, expected)
    t.ok(documented(body), JSON.stringify(expected))
  }
})

const incident = (given: AlertDocument, change: Partial<IncidentDocument> = {}): IncidentDocument =>
  ({
    id: given.incidentId,
    rev: 1,
    subjectId: given.subjectId,
    workspaceId: given.workspaceId,
    open: 1,
    confirmedAt: null,
    ...change,
  }) as IncidentDocument

/** A notifier, one webhook that receives openings, and an incident that has just opened. */
async function scene(
  t: Test,
  answer: (call: number) => Answer | null | Promise<Answer>,
  over: Partial<DestinationDocument> = {},
) {
  const house = createHouse()
  const receiver = await createReceiver(answer)
  const service = await house.start('n1')
  t.teardown(async () => {
    await house.stop(service)
    await receiver.close()
  })
  const routing = routes({ one: everything })
  const message = (number: number, kind: AlertKind, change: Partial<AlertFacts> = {}, more: Partial<AlertDocument> = {}) => ({
    ...alert('one', 'a', number, { kind, ...more }),
    facts: { ...facts, ...ofTemplate, routing, confirmedAt: null, ...change },
  })
  const opening = message(1, 'opened')
  await house.store.insert('destinations', [destination('one', receiver.url, { sendOnOpen: true, ...over })])
  await house.store.insert('incidents', [incident(opening)])
  const log = async () =>
    (await house.store.find('deliveryLog', { sort: [['number', 'asc']], limit: 100 })).map(
      ({ event, status, reason, destinationName }) => [event, status, reason, destinationName],
    )
  return {
    ...house,
    receiver,
    message,
    opening,
    log,
    /** Stores the changed incident, then the keeper's alerts. */
    tell: async (alerts: AlertDocument[], change?: Partial<IncidentDocument>) => {
      if (change !== undefined) await house.store.upsert('incidents', [{ ...incident(opening, change), rev: 2 }])
      await house.store.insert('alerts', alerts)
      house.nudge(...alerts.map(({ id }) => id))
    },
    logged: (count: number) => until(async () => (await log()).length >= count, `${count} entries`),
    deliveries: async () =>
      (await house.store.find('deliveries', { limit: 100 })).map(({ alertKind, snapshot }) => [alertKind, snapshot.value]),
  }
}

const name = 'Destination one'
const confirmed = { confirmedAt: startAt }

t.test('message of a confirmation withdraws the opening that waits for a retry, and is sent at once (v3 10.5)', async t => {
  const { receiver, clock, opening, message, tell, log, logged, deliveries } = await scene(t, call => ({
    status: call === 1 ? 503 : 200,
  }))
  await tell([opening])
  await until(async () => (await deliveries())[0]?.[1] === 'waiting', 'the opening waits')
  await tell([message(2, 'problem', confirmed)], confirmed)
  await logged(3)
  await clock.advance(limits.notifier.retryMsMax)
  t.equal(receiver.hits.length, 2, 'the opening is never sent again')
  t.strictSame(await log(), [
    ['opened', 'failed', 'http_503', name],
    ['opened', 'held', 'confirmed_first', name],
    ['problem', 'delivered', null, name],
  ])
})

t.test('confirmation is sent while an opening is being sent, and ends the retries of the opening (v3 10.5)', async t => {
  let refuse: (answer: Answer) => void = () => {}
  const answered = new Promise<Answer>(resolve => {
    refuse = resolve
  })
  const { receiver, clock, opening, message, tell, log, logged } = await scene(t, call =>
    call === 1 ? answered : { status: 200 },
  )
  await tell([opening])
  await receiver.called(1)
  await tell([message(2, 'problem', confirmed)], confirmed)
  await logged(1)
  t.strictSame(await log(), [['problem', 'delivered', null, name]], 'while the opening is on its way')
  refuse({ status: 500 })
  await logged(2)
  await clock.advance(limits.notifier.retryMs)
  await logged(3)
  t.strictSame((await log()).slice(1), [
    ['opened', 'failed', 'http_500', name],
    ['opened', 'held', 'confirmed_first', name],
  ])
  t.equal(receiver.hits.length, 2)
})

t.test('message of an opening is withheld when the notifier finds it after the confirmation (v3 10.5)', async t => {
  const { receiver, opening, message, tell, log, logged } = await scene(t, () => ({ status: 200 }))
  await tell([opening, message(2, 'problem', confirmed)], confirmed)
  await logged(2)
  t.strictSame(await log(), [
    ['opened', 'held', 'confirmed_first', name],
    ['problem', 'delivered', null, name],
  ])
  t.equal(receiver.hits.length, 1)
})

t.test('closing of an unconfirmed incident is sent only to the recipients of its opening (v3 10.5)', async t => {
  for (const status of [200, 404]) {
    const { receiver, opening, message, tell, log, logged } = await scene(t, call => ({ status: call === 1 ? status : 200 }))
    await tell([opening])
    await logged(1)
    await tell([message(2, 'recovery', { ...closed, confirmedAt: null })], { open: 0, closedAt: startAt })
    await logged(2)
    t.strictSame(
      (await log())[1],
      status === 200 ? ['recovery', 'delivered', null, name] : ['recovery', 'held', 'not_announced', name],
    )
    t.equal(receiver.hits.length, status === 200 ? 2 : 1)
  }
})

t.test('withheld message has one log entry, and a message that no destination selects has none (v3 10.3)', async t => {
  const gone = (facts: Partial<AlertFacts>) => ({ ...confirmed, ...facts })
  const cases: [title: string, kind: AlertKind, change: Partial<AlertFacts>, more: Partial<AlertDocument>, entries: unknown[]][] =
    [
      ['maintenance', 'problem', gone({}), { held: 'maintenance' }, [['problem', 'held', 'maintenance', name]]],
      [
        'a reminder by no route',
        'problem',
        gone({ routing: routes({}) }),
        { reminder: true },
        [['reminder', 'held', 'not_routed', null]],
      ],
      ['not routed', 'recovery', gone({ routing: routes({ one: ['problem'] }) }), {}, [['recovery', 'held', 'not_routed', null]]],
      ['an opening that nobody asked for', 'opened', { routing: routes({ one: usual }) }, {}, []],
      ['an acknowledgement that nobody asked for', 'acknowledged', gone({ routing: null }), {}, []],
    ]
  for (const [title, kind, change, more, entries] of cases) {
    const { store, message, tell, log } = await scene(t, () => ({ status: 200 }))
    const told = message(1, kind, change, more)
    await tell([told])
    await until(async () => (await store.get('alerts', [told.id]))[0]?.state === 'dispatched', 'dispatched')
    t.strictSame(await log(), entries, title)
  }
  const nobody = await scene(t, () => ({ status: 200 }), { default: false })
  await nobody.tell([nobody.message(1, 'problem', { ...confirmed, routing: null })])
  await nobody.logged(1)
  t.strictSame(await nobody.log(), [['problem', 'held', 'no_destination', null]])
  const off = await scene(t, () => ({ status: 200 }), { enabled: false })
  await off.tell([off.message(1, 'problem', confirmed)])
  await off.logged(1)
  t.strictSame(await off.log(), [['problem', 'held', 'destination_disabled', name]])
})

t.test('delivery that ends unsent has a log entry with its reason (v3 10.3)', async t => {
  const { store, clock, message, tell, log, logged, deliveries } = await scene(t, () => ({ status: 503 }))
  await tell([message(1, 'problem', confirmed)], confirmed)
  await until(async () => (await deliveries())[0]?.[1] === 'waiting', 'it waits')
  const [present] = await store.get('destinations', ['one'])
  await store.replace('destinations', [{ ...present!, rev: 2, enabled: false }])
  await clock.advance(limits.notifier.retryMs)
  await logged(2)
  t.strictSame((await log())[1], ['problem', 'held', 'destination_disabled', name])
})

/** Returns a function that returns true if a body fits the schema in the API's document. */
function documentedMessage(): (body: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(openApiDocument(generations.v2, '2.0.0'), 'v2')
  return ajv.compile({ $ref: 'v2#/components/schemas/WebhookMessage' })
}
