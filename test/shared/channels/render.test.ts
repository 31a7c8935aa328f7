// Requests and readings of the channels with settings of their own. Whatever the facts are, a body fits, parses, mentions nobody and holds no
// secret; and each request and answer is as the documents of its service describe it (v3 10.13).
import fc from 'fast-check'
import t from 'tap'
import type { Channel, RenderedRequest, Settings } from '#shared/channels/port.ts'
import { channels } from '#shared/channels/registry.ts'
import { filled } from '#shared/channels/slots.ts'
import type { AlertDocument, AlertFacts, AlertKind } from '#shared/contracts/incidents/alert.ts'
import { readCard } from '../../channels/adaptive-cards.ts'
import { alert, facts, startAt } from '../../notifier/house.ts'

const incident = 'INCIDENT_ID'
const link = 'https://status.example.com/subjects/s1'

/** Mails are no JSON: test/notifier/mail.test.ts has them. Chains send nothing: test/notifier/escalation.test.ts has them. */
const withSettings = channels.filter(
  ({ generations, type, stepsOf }) => generations.length === 0 && type !== 'email' && stepsOf === undefined,
)

/** What a person could enter, by type. Secrets and addresses are known by their texts. */
const entered: Readonly<Record<string, Settings>> = {
  telegram: { token: '123:SECRET-a', chat_id: '-100ADDRESS', thread_id: 7, silent: true },
  discord: { url: 'https://discord.example/api/webhooks/1/SECRET-b', thread_id: '99' },
  teams: { url: 'https://flow.example/workflows/1?sig=SECRET-c' },
  mattermost: { url: 'https://chat.example/hooks/SECRET-d', channel: 'ops' },
  rocketchat: { url: 'https://rocket.example/hooks/SECRET-e' },
  googlechat: { url: 'https://chat.example/v1/spaces/A/messages?key=k&token=SECRET-f' },
  ntfy: { topic: 'SECRET-g', token: 'SECRET-h', user: 'SECRET-i', password: 'SECRET-j' },
  gotify: { server: 'https://gotify.ADDRESS/', token: 'SECRET-k' },
  pushover: { token: 'SECRET-l', user: 'SECRET-m', device: 'phone' },
  pagerduty: { routing_key: 'SECRET-n' },
  jsm: { api_key: 'SECRET-o', tags: ['ops'] },
  twilio: { account_sid: 'ADDRESS-sid', auth_token: 'SECRET-p', from: '+1ADDRESS', to: '+2ADDRESS' },
}

function settingsOf({ type, fields }: Channel): Settings {
  const defaults = fields.flatMap(({ key, default: usual }) => (usual === undefined ? [] : [[key, usual]]))
  return { ...Object.fromEntries(defaults), ...entered[type] }
}

function shapeOf(channel: Channel): Settings {
  const marks = new Map(channel.fields.map(({ key, mark }) => [key, mark]))
  const all = Object.entries(settingsOf(channel))
  return Object.fromEntries(all.map(([key, value]) => [key, marks.get(key) === 'shape' ? value : true]))
}

const problem = (over: Partial<AlertDocument> = {}) => alert('one', 'incident', 1, over)

function rendered(
  channel: Channel,
  given: AlertDocument,
  locationName = (id: string) => id,
  more: { acknowledge?: string } = {},
): RenderedRequest {
  const links = { subject: link, ...more }
  const request = channel.render({ alert: given, incident, locationName }, given.kind, shapeOf(channel), links)
  if (request === null) throw new Error(`${channel.type} has nothing to say`)
  return request
}

function bodyOf(channel: Channel, { body, slottedBody, contentType }: RenderedRequest) {
  const text = slottedBody === undefined ? body : filled(slottedBody, settingsOf(channel))
  return contentType === 'application/json' ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
}

const channelNamed = (type: string): Channel => withSettings.find(one => one.type === type) as Channel

const units = (text: string) => text.length
const bytes = (text: string) => Buffer.byteLength(text)
const points = (text: string) => [...text].length

/** Parsed JSON of any form. */
type Body = ReturnType<typeof JSON.parse>

interface Service {
  /** Texts of the body in which people read what others wrote. */
  texts(body: Body): string[]
  /** Whether the body has at most the sizes of the service's documents. */
  fits(body: Body): boolean
  /** What would mention or format there. Null: the service shows text as it is. */
  wakes: RegExp | null
}

const mention = '[@<](?!\u200b)'
const unescaped = (marks: string) => `(?<!\\\\)(?:\\\\\\\\)*[${marks}]`
const attached: Pick<Service, 'texts' | 'wakes'> = {
  texts: ({ attachments: [{ title, text }] }) => [title, text],
  wakes: new RegExp(`${mention}|${unescaped('*_~|#>[\\]!`')}`),
}
const titled = (body: { title: string; message: string }) => [body.title, body.message]

const services: Readonly<Record<string, Service>> = {
  telegram: {
    texts: body => [body.text],
    fits: body => units(body.text) <= 4_096 && body.entities[0].length <= units(body.text),
    wakes: new RegExp(mention),
  },
  discord: {
    texts: ({ embeds: [embed] }) => [embed.title, embed.description],
    fits: ({ embeds: [{ title, description }] }) =>
      units(title) <= 256 && units(description) <= 4_096 && units(title + description) <= 6_000,
    wakes: new RegExp(unescaped('*_~|#>[\\]!<`')),
  },
  teams: {
    texts: ({ attachments: [{ content }] }) => content.body.map(({ text }: { text: string }) => text),
    fits: body => bytes(JSON.stringify(body)) <= 20_000,
    wakes: new RegExp(`<|${unescaped('*_[\\]')}`),
  },
  mattermost: {
    ...attached,
    fits: ({ attachments: [{ title, text }] }) => units(text) <= 4_000 && units(title) <= 256,
  },
  rocketchat: {
    ...attached,
    fits: ({ attachments: [{ title, text }] }) => units(text) <= 5_000 && units(title) <= 256,
  },
  googlechat: { texts: body => [body.text], fits: body => units(body.text) <= 4_000, wakes: new RegExp(mention) },
  ntfy: { texts: titled, fits: body => bytes(body.message) <= 4_096 && points(body.title) <= 200, wakes: null },
  gotify: { texts: titled, fits: body => units(body.message) <= 4_000, wakes: null },
  pushover: {
    texts: titled,
    fits: body => points(body.message) <= 1_024 && points(body.title) <= 250 && body.message !== '',
    wakes: null,
  },
  pagerduty: {
    texts: ({ payload }) => [payload.summary, payload.component, payload.source],
    fits: body => points(body.payload.summary) <= 1_024 && body.dedup_key.length <= 255 && bytes(JSON.stringify(body)) <= 65_536,
    wakes: null,
  },
  twilio: { texts: body => [body.Body], fits: body => units(body.Body) <= 300, wakes: null },
  jsm: {
    texts: body => [body.message, body.entity],
    fits: body => units(body.message) <= 130 && units(body.description) <= 15_000 && units(body.entity) <= 512,
    wakes: null,
  },
}

const marks = [
  '@all',
  '<!here>',
  '**',
  '__',
  '[a](http://x)',
  '`',
  '\\',
  '&lt;',
  '|',
  '#',
  '!',
  '\u202e',
  '\ue000',
  '0',
  '\ue001',
  '💥',
  '\n',
]
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...marks), { maxLength: 120 }).map(parts => parts.join('')),
)
const acknowledge = `https://status.example.com/a/1${'Ab9_-'.repeat(24)}`
const given = fc.record({
  hasLink: fc.boolean(),
  kind: fc.constantFrom<AlertKind>('opened', 'problem', 'no_data', 'recovery', 'acknowledged'),
  place: hostile,
  reasons: fc.array(hostile, { maxLength: 16 }),
  over: fc.record({
    subjectName: hostile,
    error: hostile,
    explanation: hostile,
    ruleName: hostile,
    action: hostile,
    acknowledgedBy: hostile,
    isTest: fc.boolean(),
  }),
})

/** Whether a message has room for one address. */
const isShort = (type: string): boolean => type === 'twilio'

t.strictSame(Object.keys(services).sort(), withSettings.map(({ type }) => type).sort(), 'each service is described')

for (const [type, { texts, fits, wakes }] of Object.entries(services)) {
  const channel = channelNamed(type)
  t.test(`${channel.name}: body fits, mentions nobody and holds no secret, whatever the facts are (v3 10.13)`, async () => {
    fc.assert(
      fc.property(given, ({ kind: any, place, reasons, over, hasLink }) => {
        // What only changes or ends something says nothing.
        const kind = channel.life !== 'alert' || any === 'no_data' ? any : 'problem'
        const told: AlertFacts = {
          ...facts,
          ...over,
          reasons: reasons.map((text, i) => ({ signal: `s${i}`, text })),
        } as AlertFacts
        const request = rendered(channel, problem({ kind, facts: told }), () => place, hasLink ? { acknowledge } : {})
        if (/SECRET|ADDRESS/.test(JSON.stringify(request))) throw new Error('a secret')
        const body = bodyOf(channel, request)
        if (!fits(body)) throw new Error('too long')
        const links = hasLink ? (isShort(type) ? [acknowledge] : [link, acknowledge]) : [link]
        if (!links.every(one => JSON.stringify(body).includes(one))) throw new Error('a link is lost')
        for (const text of texts(body).map(one => one.replaceAll(link, '').replaceAll(acknowledge, ''))) {
          if (wakes?.test(text)) throw new Error(`it wakes somebody: ${text}`)
          if (/[\p{Co}\p{Cf}]/u.test(text.replaceAll('\u200b', '')) || !text.isWellFormed())
            throw new Error(`odd characters: ${text}`)
        }
      }),
      { numRuns: 300 },
    )
  })
}

for (const [type, { texts, fits, wakes }] of Object.entries(services)) {
  const channel = channelNamed(type)
  if (channel.life === 'alert') continue
  t.test(
    `${channel.name}: digest fits, mentions nobody and counts all its messages, whatever their names are (v3 10.19)`,
    async () => {
      fc.assert(
        fc.property(fc.array(hostile, { minLength: 1, maxLength: 20 }), fc.nat(500), (names, more) => {
          const alerts = names.map((subjectName, i) =>
            problem({ kind: i === 0 ? 'problem' : 'recovery', facts: { ...facts, subjectName, action: subjectName } }),
          )
          const counts = new Map<AlertKind, number>([
            ['problem', 1],
            ['recovery', names.length - 1 + more],
          ])
          const about = {
            alert: alerts[0] as AlertDocument,
            incident,
            locationName: (id: string) => id,
            digest: { alerts, counts },
          }
          const request = channel.render(about, 'digest', shapeOf(channel), { subject: link })
          if (request === null) throw new Error('nothing to say')
          const body = bodyOf(channel, request)
          if (!fits(body)) throw new Error('too long')
          const said = texts(body).join('\n')
          const of = names.length + more
          if (!JSON.stringify(body).includes(`${of} more ${of === 1 ? 'message' : 'messages'}: 1 down`))
            throw new Error('no count')
          const rest = Number(/ and (\d+) more/.exec(said)?.[1] ?? 0)
          if (rest < more || rest > of) throw new Error(`wrong rest ${rest}`)
          if (wakes?.test(said.replaceAll(link, ''))) throw new Error(`it wakes somebody: ${said}`)
        }),
        { numRuns: 100 },
      )
    },
  )
}

const lines = `Failing from 1 of 3 locations — de01\nconnection refused\nDown for 2m before we alerted.\n${link}`
const told: [type: string, url: string, headers: object, body: object][] = [
  [
    'telegram',
    'https://api.telegram.org/bot123:SECRET-a/sendMessage',
    {},
    {
      chat_id: '-100ADDRESS',
      text: `Shop is down\n${lines}`,
      entities: [{ type: 'bold', offset: 0, length: 12 }],
      link_preview_options: { is_disabled: true },
      message_thread_id: 7,
      disable_notification: true,
    },
  ],
  [
    'discord',
    'https://discord.example/api/webhooks/1/SECRET-b?wait=true&thread_id=99',
    {},
    {
      embeds: [
        {
          title: 'Shop is down',
          description: lines,
          color: 0xd50201,
          timestamp: new Date(startAt).toISOString(),
          footer: { text: 'Watchkeeper' },
        },
      ],
      allowed_mentions: { parse: [] },
    },
  ],
  [
    'teams',
    'https://flow.example/workflows/1?sig=SECRET-c',
    {},
    {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { text: 'Shop is down', weight: 'Bolder', color: 'Attention' },
              {},
              { text: 'connection refused', wrap: true },
              {},
            ],
            actions: [{ type: 'Action.OpenUrl', url: link }],
          },
        },
      ],
    },
  ],
  [
    'mattermost',
    'https://chat.example/hooks/SECRET-d',
    {},
    { channel: 'ops', attachments: [{ fallback: 'Shop is down', color: '#d50201', title: 'Shop is down', text: lines }] },
  ],
  ['rocketchat', 'https://rocket.example/hooks/SECRET-e', {}, { attachments: [{ title: 'Shop is down', text: lines }] }],
  [
    'googlechat',
    'https://chat.example/v1/spaces/A/messages?key=k&token=SECRET-f&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
    {},
    { text: `Shop is down\n${lines}`, thread: { threadKey: incident } },
  ],
  [
    'ntfy',
    'https://ntfy.sh/',
    { authorization: 'Bearer SECRET-h' },
    {
      topic: 'SECRET-g',
      title: 'Shop is down',
      priority: 4,
      click: link,
      sequence_id: incident,
      actions: [{ action: 'view', url: link }],
    },
  ],
  [
    'gotify',
    'https://gotify.ADDRESS/message',
    { 'x-gotify-key': 'SECRET-k' },
    { title: 'Shop is down', priority: 8, extras: { 'client::notification': { click: { url: link } } } },
  ],
  [
    'pushover',
    'https://api.pushover.net/1/messages.json',
    {},
    {
      token: 'SECRET-l',
      user: 'SECRET-m',
      device: 'phone',
      title: 'Shop is down',
      priority: 1,
      url: link,
      url_title: 'View timeline',
    },
  ],
  [
    'pagerduty',
    'https://events.pagerduty.com/v2/enqueue',
    {},
    {
      routing_key: 'SECRET-n',
      event_action: 'trigger',
      dedup_key: incident,
      client: 'Watchkeeper',
      client_url: link,
      links: [{ href: link, text: 'View timeline' }],
      payload: {
        summary: 'Shop is down',
        source: 'shop',
        severity: 'critical',
        timestamp: new Date(startAt).toISOString(),
        component: 'Shop',
        class: 'availability',
      },
    },
  ],
  [
    'jsm',
    'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
    { authorization: 'GenieKey SECRET-o' },
    {
      message: 'Shop is down',
      alias: incident,
      description: lines,
      tags: ['ops'],
      entity: 'shop',
      source: 'Watchkeeper',
      priority: 'P2',
    },
  ],
  [
    'twilio',
    'https://api.twilio.com/2010-04-01/Accounts/ADDRESS-sid/Messages.json',
    { authorization: `Basic ${Buffer.from('ADDRESS-sid:SECRET-p').toString('base64')}` },
    { To: '+2ADDRESS', From: '+1ADDRESS', Body: `Shop is down\n${lines}` },
  ],
]
t.test('request is the one that the documents of the service describe (v3 10.13)', async t => {
  t.equal(told.length, withSettings.length)
  for (const [type, url, headers, body] of told) {
    const channel = channelNamed(type)
    const request = rendered(channel, problem())
    const values = settingsOf(channel)
    t.equal(filled(request.url, values), url, `${type}: address`)
    const sent = Object.entries(request.headers).map(([name, text]) => [name, filled(text, values)])
    t.strictSame(Object.fromEntries(sent), headers, `${type}: headers`)
    t.match(bodyOf(channel, request), body, `${type}: body`)
  }
})

t.test('acknowledge link stands where the far end has a place for it, else on a line of its own (v3 10.21)', async t => {
  const of = (type: string) => {
    const channel = channelNamed(type)
    return bodyOf(
      channel,
      rendered(channel, problem(), id => id, { acknowledge }),
    )
  }
  const { actions } = of('ntfy')
  t.strictSame(actions[1], {
    ...{ action: 'http', label: 'Acknowledge', url: acknowledge, method: 'POST', clear: true },
    headers: { 'Content-Type': 'application/json' },
    body: '{"acknowledge":true}',
  })
  t.match(of('teams').attachments[0].content.actions[0], { type: 'Action.OpenUrl', title: 'Acknowledge', url: acknowledge })
  t.match(of('pagerduty').links[1], { href: acknowledge, text: 'Acknowledge' })
  const ending = new RegExp(`\nAcknowledge:\n${acknowledge}$`)
  t.match(of('telegram').text, ending)
  t.match(of('discord').embeds[0].description, ending)
  t.match(of('pushover').message, ending)
  t.match(of('twilio').Body, new RegExp(`\n${acknowledge}$`))
  t.notMatch(of('twilio').Body, link)
})

t.test("card is one that Teams' own library reads whole (v3 10.13)", async t => {
  const channel = channelNamed('teams')
  const [{ content }] = bodyOf(channel, rendered(channel, problem(), undefined, { acknowledge })).attachments
  t.strictSame(readCard(content), { faults: [], elements: content.body.length, actions: 2 })
  t.match(readCard({ ...content, body: [{ type: 'Nope' }] }).faults, [/Unknown element type/])
})

t.test('good news is less urgent', async t => {
  for (const [type, priority] of Object.entries({ ntfy: 3, gotify: 4, pushover: 0 })) {
    const channel = channelNamed(type)
    t.match(bodyOf(channel, rendered(channel, problem({ kind: 'recovery' }))), { priority }, type)
  }
})

t.test('user and password go as basic authentication, if there is no token', async t => {
  const ntfy = channelNamed('ntfy')
  const about = { alert: problem(), incident, locationName: (id: string) => id }
  const shape = { server: true, topic: true, user: true, password: true, priority: 4 }
  const request = ntfy.render(about, 'problem', shape, { subject: link })
  const values = { user: 'me', password: 'p:w' }
  const basic = `Basic ${Buffer.from('me:p:w').toString('base64')}`
  t.equal(filled(request?.headers['authorization'] ?? '', values), basic)
  const all = { user: 'me', password: 'x', token: 'y' }
  for (const [settings, key] of [
    [{ user: 'me' }, 'password'],
    [{ password: 'x' }, 'user'],
    [all, 'user'],
  ] as const) {
    t.match(ntfy.refuse?.(settings), { key })
  }
  t.strictSame([ntfy.refuse?.({}), ntfy.refuse?.({ token: 'y' })], [null, null])
})

const answers: [type: string, status: number, body: string, expected: object][] = [
  ['telegram', 200, '', { kind: 'delivered' }],
  ['telegram', 429, '{"ok":false,"parameters":{"retry_after":7}}', { kind: 'again', afterMs: 7_000, lane: true }],
  ['telegram', 400, '{"parameters":{"migrate_to_chat_id":-100123}}', { kind: 'moved', settings: { chat_id: '-100123' } }],
  ['telegram', 400, '{"description":"Bad Request: chat not found"}', { kind: 'failed', sentence: /does not know this chat/ }],
  ['telegram', 401, '', { kind: 'failed', sentence: /bot token/ }],
  ['telegram', 403, '', { kind: 'failed', sentence: 'The bot may not write to this chat.' }],
  ['telegram', 500, '', { kind: 'again', afterMs: null }],
  ['discord', 204, '', { kind: 'delivered' }],
  ['discord', 429, '{"retry_after":0.31}', { kind: 'again', afterMs: 1_000, lane: true }],
  ['discord', 404, '{"code":10015}', { kind: 'failed', sentence: 'Discord deleted this webhook.' }],
  ['teams', 202, '', { kind: 'delivered' }],
  ['teams', 403, '', { kind: 'failed', sentence: /flow is gone/ }],
  ['mattermost', 404, '', { kind: 'failed', sentence: /deleted/ }],
  ['rocketchat', 400, '{"success":false,"error":"x"}', { kind: 'failed', sentence: /refuses/ }],
  ['googlechat', 429, '', { kind: 'again', lane: true }],
  ['ntfy', 403, '{"code":40301}', { kind: 'failed', sentence: /token or topic/ }],
  ['gotify', 401, '', { kind: 'failed', sentence: /token/ }],
  [
    'pushover',
    400,
    '{"status":0,"errors":["user identifier is invalid"]}',
    { kind: 'failed', sentence: /identifier is invalid/ },
  ],
  ['pushover', 500, '', { kind: 'again', afterMs: 5_000 }],
  ['pagerduty', 202, '', { kind: 'delivered' }],
  ['pagerduty', 400, '{"errors":["bad key"]}', { kind: 'failed', sentence: 'PagerDuty says: bad key.' }],
  ['pagerduty', 429, '', { kind: 'again', lane: true }],
  ['jsm', 202, '', { kind: 'delivered' }],
  ['jsm', 422, '{"message":"no"}', { kind: 'failed', sentence: 'It says: no.' }],
  ['jsm', 404, '', { kind: 'failed' }],
  ['twilio', 201, '', { kind: 'delivered' }],
  ['twilio', 400, '{"code":21211}', { kind: 'failed', sentence: 'This number cannot get messages.' }],
  ['twilio', 400, '{"code":21610}', { kind: 'failed', sentence: 'This number unsubscribed.' }],
  ['twilio', 400, '{"code":1}', { kind: 'failed', sentence: undefined }],
  ['twilio', 429, '{"code":20429}', { kind: 'again', lane: true }],
]
t.test('answer means what the documents of the service say (v3 10.13)', async t => {
  for (const [type, status, body, expected] of answers) {
    t.match(channelNamed(type).read({ status, headers: {}, body, at: startAt }), expected, `${type} ${status} ${body}`)
  }
})

t.test('acknowledgement and end name what was opened, by its key (v3 10.16)', async t => {
  const ends = { acknowledged: ['acknowledge', 'acknowledge'], recovery: ['resolve', 'close'], withdrawn: ['resolve', 'close'] }
  for (const [kind, [action, verb]] of Object.entries(ends) as [AlertKind, string[]][]) {
    const given = problem({ kind, facts: { ...facts, acknowledgedBy: 'Ada' } })
    const event = bodyOf(channelNamed('pagerduty'), rendered(channelNamed('pagerduty'), given))
    t.strictSame(event, { routing_key: 'SECRET-n', dedup_key: incident, event_action: action })
    const jsm = channelNamed('jsm')
    const base = 'https://api.atlassian.com/jsm/ops/integration/v2/alerts'
    t.strictSame(rendered(jsm, given).url, [`${base}/${incident}/${verb}?identifierType=alias`])
    t.match(bodyOf(jsm, rendered(jsm, given)), { source: 'Watchkeeper', user: 'Ada' })
    t.strictSame(jsm.read({ status: 404, headers: {}, body: '', at: startAt, event: kind as 'recovery' }), { kind: 'delivered' })
  }
})

t.test('region and service decide the address (v3 10.16)', async t => {
  const about = { alert: problem({ kind: 'no_data' }), incident, locationName: (id: string) => id }
  const [pagerduty, jsm] = [channelNamed('pagerduty'), channelNamed('jsm')]
  const shape = { routing_key: true, api_key: true, region: 'eu', base: 'opsgenie-eu', priority: 'P1' }
  const event = pagerduty.render(about, 'no_data', shape, { subject: link })
  t.strictSame(event?.url, ['https://events.eu.pagerduty.com/v2/enqueue'])
  const made = jsm.render(about, 'no_data', shape, { subject: link })
  t.strictSame(made?.url, ['https://api.eu.opsgenie.com/v2/alerts'])
  t.match(JSON.parse(made?.body ?? '{}'), { priority: 'P3' })
  const { tested } = jsm
  const said = (settings: Settings) => (typeof tested === 'function' ? tested(settings) : tested)
  t.strictSame(
    [said({ base: 'jsm' }), said({ base: 'opsgenie' })],
    ['Taken. Look whether the alert is listed.', 'Taken. Look whether the alert is listed. Opsgenie ends on 5 April 2027.'],
  )
})
