// Destinations of generation 3 over HTTP, with a real notifier and a receiver. Each title cites its rule of docs/reference/v3.md.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { TemplateDocument } from '#shared/contracts/resources/template.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import type { Service } from '#shared/service.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { forgetFormer } from '../../../services/directory/notifications/former-secrets.ts'
import { startNotifier } from '../../../services/notifier/app.ts'
import { createReceiver, options as notifierOptions, type Receiver } from '../../notifier/house.ts'
import { type ApiWorld, type CallOptions, incidentSalt, startApiWorld } from '../../support/worlds/api-world.ts'

const publicIncidentId = createIncidentIds(incidentSalt).encode
const secretUrl = 'https://hooks.example.com/services/T0secret'

let world: ApiWorld
let notifier: Service
let receiver: Receiver
let answer = 200
let editor: string
let viewer: string
let scoped: string
let workspaces = 0

t.before(async () => {
  world = await startApiWorld()
  receiver = await createReceiver(() => ({ status: answer }))
  const { store, clock, hub } = world
  const context = { store, clock, bus: hub.connect(), logger: pino({ level: 'silent' }), metrics: new Registry() }
  notifier = await startNotifier(context, { ...notifierOptions, notifierId: 'n1' })
  editor = (await world.addPerson('edda', { shared: 'editor' })).token
  viewer = (await world.addPerson('vera', { shared: 'viewer' })).token
  const token = makeToken()
  const key = { id: 'scoped-key', description: '', tokenHash: hashToken(token), prefix: 'wk_', userId: 'user-edda' }
  const scope = { workspaceId: 'shared', actions: ['observe', 'templates', 'resources'] as never[] }
  await createDirectoryClient(hub.connect(), clock).ask('create-key', { ...key, scope })
  scoped = token
})
t.teardown(async () => {
  await notifier.stop()
  await receiver.close()
  await world.stop()
})

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: editor, ...options })

/** Creates a new workspace. Its owner sends the requests unless a request has another token. */
async function home() {
  const id = `home${++workspaces}`
  const { token } = await world.addPerson(`olga${workspaces}`, { [id]: 'owner' })
  const path = `/workspaces/${id}/destinations`
  const send = (method: string, below: string, body?: unknown) => call(method, path + below, { token, body })
  const create = async (change: object = {}) => {
    const { status, json } = await send('POST', '', { name: 'Pager', type: 'webhook', url: secretUrl, ...change })
    if (status !== 201) throw new Error(JSON.stringify(json))
    return json.result
  }
  const marked = async () =>
    (await send('GET', '')).json.result
      .filter((one: { default: boolean }) => one.default)
      .map(({ name }: { name: string }) => name)
  return { id, path, token, send, create, marked }
}

t.test('destination has exactly the documented members, without its URL (v3 10.1)', async t => {
  const { send, create } = await home()
  const slack = await create({ name: ' On call ', type: 'slack', channel: '#ops' })
  t.strictSame(slack, {
    id: slack.id,
    name: 'On call',
    type: 'slack',
    channel: 'ops',
    enabled: true,
    send_on_open: false,
    default: true,
  })
  t.type(slack.id, 'string')
  const webhook = await create({ name: 'all', send_on_open: true, channel: 'ignored' })
  t.match(webhook, { channel: '', send_on_open: true, default: false })
  const listed = await send('GET', '')
  t.strictSame(listed.json, { result: [webhook, slack], error: null, meta: null }, 'by name in any case')
  const changed = await send('PATCH', `/${slack.id}`, { channel: 'other', url: `${secretUrl}/2` })
  t.strictSame(changed.json.result, { ...slack, channel: 'other' })
  t.strictSame((await send('GET', `/${slack.id}`)).json.result, changed.json.result)
  for (const { text } of [listed, changed]) t.notMatch(text, /T0secret/)
  const [stored] = await world.store.get('destinations', [slack.id])
  t.equal(stored?.url, `${secretUrl}/2`)
})

t.test('PATCH changes only the sent members (v3 10.1)', async t => {
  const { send, create } = await home()
  const made = await create({ send_on_open: true })
  const [before] = await world.store.get('destinations', [made.id])
  for (const body of [{}, undefined, { name: null, enabled: null }]) {
    t.strictSame((await send('PATCH', `/${made.id}`, body)).json.result, made)
  }
  t.strictSame((await world.store.get('destinations', [made.id]))[0], before, 'nothing is written')
  t.strictSame((await send('PATCH', `/${made.id}`, { enabled: false })).json.result, { ...made, enabled: false })
  t.strictSame((await send('PATCH', `/${made.id}`, { name: 'PAGER' })).json.result, { ...made, enabled: false, name: 'PAGER' })
})

t.test('slack and webhook have an acknowledge link only if somebody asks for it (v3 10.21)', async t => {
  const { send, create } = await home()
  for (const type of ['slack', 'webhook']) {
    const made = await create({ type, name: type })
    t.notOk('settings' in made, type)
    const set = await send('PATCH', `/${made.id}`, { settings: { acknowledge_link: true } })
    t.match(set.json.result, { settings: { acknowledge_link: true } }, type)
    const wrong = await send('PATCH', `/${made.id}`, { settings: { acknowledge_link: 'yes' } })
    t.match(wrong.json.error, { code: 1422, details: { field: 'settings.acknowledge_link' } }, type)
    const back = await send('PATCH', `/${made.id}`, { settings: { acknowledge_link: null } })
    t.notOk('settings' in back.json.result, type)
  }
})

t.test('webhook has a method and headers of its own, and shows settings once it has some (v3 10.17)', async t => {
  const { id: workspaceId, token, send, create } = await home()
  const made = await create({ url: receiver.url })
  t.notOk('settings' in made)
  const change = (body: object) => send('PATCH', `/${made.id}`, body)
  const headers = ['X-Team: core', 'X-List: a, b']
  const set = await change({ settings: { method: 'PUT', headers, secret_headers: ['Authorization: Bearer sesame-7'] } })
  t.strictSame(set.json.result.settings, { method: 'PUT', headers, secret_headers: '[redacted]', acknowledge_link: false })
  receiver.hits.length = 0
  t.match(await send('POST', `/${made.id}/test`), { json: { result: { status: 'delivered' } } })
  const [put] = receiver.hits
  t.match(put, { method: 'PUT', headers: { 'x-team': 'core', 'x-list': 'a, b', authorization: 'Bearer sesame-7' } })
  t.match(put?.headers, { 'content-type': 'application/json', 'idempotency-key': String })
  t.match(await change({ settings: { method: 'GET' } }), { status: 200 })
  t.match(await send('POST', `/${made.id}/test`), { json: { result: { status: 'delivered' } } })
  const got = receiver.hits[1]
  t.match(got, { method: 'GET', body: '', headers: { 'x-team': 'core' } })
  for (const name of ['content-type', 'idempotency-key', 'webhook-id', 'webhook-signature']) t.notOk(got?.headers[name], name)

  const refused: [settings: object, field: string][] = [
    [{ headers: ['Authorization: x'] }, 'settings.headers'],
    [{ headers: ['Host: x'] }, 'settings.headers'],
    [{ headers: ['no header'] }, 'settings.headers'],
    [{ secret_headers: ['webhook-id: x'] }, 'settings.secret_headers'],
    [{ secret_headers: ['Transfer-Encoding: x'] }, 'settings.secret_headers'],
    [{ headers: Array(17).fill('A: b') }, 'settings.headers'],
    [{ method: 'HEAD' }, 'settings.method'],
  ]
  for (const [settings, field] of refused)
    t.match(
      await change({ settings }),
      { status: 422, json: { error: { details: { field } } } },
      JSON.stringify(settings).slice(0, 60),
    )

  const elsewhere = 'https://other.example/hook'
  const anew = { status: 422, json: { error: { details: { field: 'settings.secret_headers' } } } }
  t.match(await change({ url: elsewhere }), anew, 'a secret goes only where it was given for')
  t.match(await change({ url: elsewhere, settings: { secret_headers: '[redacted]' } }), anew)
  t.match(await change({ url: `${receiver.url}/2` }), { status: 200 }, 'the same origin')
  const [stored] = await world.store.get('destinations', [made.id])
  const replaced = { workspace_id: workspaceId, name: 'Pager', url: elsewhere }
  const path = `/api/v2/notifications/destinations/${stored?.number}`
  t.match(await world.call('POST', path, { token, body: replaced }), { json: { error: null } })
  const [after] = await world.store.get('destinations', [made.id])
  t.strictSame(after?.settings, { method: 'GET', headers }, 'generation 2 keeps the rest')
  t.match(await change({ settings: { method: null, headers: null } }), { status: 200 })
  t.notOk('settings' in (await send('GET', `/${made.id}`)).json.result)
  receiver.hits.length = 0
})

t.test('former secrets end what they opened for 30 days, and are in no response (v3 10.20)', async t => {
  const { send, create } = await home()
  const keys = ['a', 'b', 'c', 'd'].map(letter => `planted-${letter}`.padEnd(32, letter))
  const made = await create({ name: 'On call', type: 'pagerduty', url: undefined, settings: { routing_key: keys[0] } })
  const stored = async () => (await world.store.get('destinations', [made.id]))[0]
  t.equal((await stored())?.former, undefined)
  const said: unknown[] = [made]
  for (const routing_key of keys.slice(1)) {
    const changed = await send('PATCH', `/${made.id}`, { settings: { routing_key } })
    t.equal(changed.status, 200)
    said.push(changed.json)
  }
  const until = world.clock.now() + limits.destination.formerMs
  const former = (...values: (string | undefined)[]) => values.map(value => ({ key: 'routing_key', value, until }))
  t.strictSame((await stored())?.former, former(keys[2], keys[1]), 'the two previous values')
  await send('PATCH', `/${made.id}`, { settings: { region: 'eu', routing_key: '[redacted]' } })
  t.strictSame((await stored())?.former, former(keys[2], keys[1]), 'another change leaves them')
  await send('PATCH', `/${made.id}`, { settings: { routing_key: keys[2] } })
  t.strictSame((await stored())?.former, former(keys[3], keys[1]), 'the present value is none of them')
  for (const path of ['', `/${made.id}`, `/${made.id}/deliveries`]) said.push((await send('GET', path)).json)
  t.notMatch(JSON.stringify(said), /planted|former/)
  await forgetFormer(world.store, until - 1)
  t.equal((await stored())?.former?.length, 2)
  await forgetFormer(world.store, until)
  t.equal((await stored())?.former, undefined, 'they are removed')
  const hook = await create({ name: 'Hook', settings: { secret_headers: ['X-Key: planted-1'] } })
  await send('PATCH', `/${hook.id}`, { settings: { secret_headers: ['X-Key: planted-2'] } })
  t.equal((await world.store.get('destinations', [hook.id]))[0]?.former, undefined, 'other types keep none')
})

t.test('chain passes messages on to destinations that it names, and keeps them (v3 10.15)', async t => {
  const { id: workspaceId, token, send, create } = await home()
  const mail = await create({ name: 'On call' })
  const boss = await create({ name: 'Boss' })
  const steps = [{ destination: 'on CALL' }, { destination: boss.id, after_minutes: 10 }]
  const made = await create({ name: 'Night', type: 'chain', url: undefined, settings: { steps } })
  const stored = [
    { destination: mail.id, after_minutes: 0 },
    { destination: boss.id, after_minutes: 10 },
  ]
  t.strictSame(made.settings, { steps: stored }, 'names are read, ids are stored')
  const rows: [title: string, steps: unknown, status?: number][] = [
    ['no list', 'On call'],
    ['no step', []],
    ['six steps', Array.from({ length: 6 }, (_, i) => ({ destination: mail.id, after_minutes: i }))],
    ['an unknown destination', [{ destination: 'Nobody' }]],
    ['a chain inside', [{ destination: 'Night' }]],
    ['a destination twice', [{ destination: mail.id }, { destination: 'On call', after_minutes: 5 }]],
    ['descending minutes', [{ destination: mail.id, after_minutes: 5 }, { destination: boss.id }]],
    ['too many minutes', [{ destination: mail.id, after_minutes: 1_441 }]],
    ['less than none', [{ destination: mail.id, after_minutes: -1 }]],
    ['another member', [{ destination: mail.id, on: ['problem'] }]],
    ['no destination', [{ after_minutes: 5 }]],
    ['null', null],
  ]
  for (const [title, wrong] of rows) {
    for (const [method, path, body] of [
      ['POST', '', { name: 'Other', type: 'chain', settings: { steps: wrong } }],
      ['PATCH', `/${made.id}`, { settings: { steps: wrong } }],
    ] as const) {
      const refused = await send(method, path, body)
      t.match([refused.status, refused.json.error?.details?.field], [422, 'settings.steps'], `${method} of ${title}`)
    }
  }
  t.strictSame((await send('GET', `/${made.id}`)).json.result, made, 'nothing is stored')
  t.match((await send('POST', `/${made.id}/test`)).json.error, { code: 1422, details: { field: 'type' } })
  const refused = await send('DELETE', `/${boss.id}`)
  t.match([refused.status, refused.json.error.details.used_by], [422, 'Destination Night'])
  const [kept] = await world.store.get('destinations', [boss.id])
  const classic = `/api/v2/notifications/destinations/${kept?.number}?workspace_id=${workspaceId}`
  t.match((await world.call('DELETE', classic, { token })).json, { error: { code: 2001, message: 'Destination in use' } })
  const changed = await send('PATCH', `/${made.id}`, { settings: { steps: [{ destination: 'On call' }] } })
  t.strictSame(changed.json.result.settings, { steps: [{ destination: mail.id, after_minutes: 0 }] })
  t.equal((await send('DELETE', `/${boss.id}`)).status, 200, 'nothing names it any more')
})

t.test('routes that wait show their minutes (v3 3.9)', async t => {
  const { id: workspaceId, token, create } = await home()
  const boss = await create({ name: 'Boss' })
  const sent = {
    ...{ key: 'waits', version: 1, name: 'Waits', signals: [{ key: 's', kind: 'event' }] },
    rules: [
      {
        ...{ key: 'r', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 } },
        decision: { signal: 's', field: 'status', operator: 'eq', operand: 'problem' },
        routes: [{ destination: { name: 'Boss' }, after_minutes: 10 }],
      },
    ],
  }
  const { status, json } = await call('POST', `/workspaces/${workspaceId}/templates`, { token, body: sent })
  t.equal(status, 201, JSON.stringify(json))
  const route = { destination: boss.id, on: ['problem', 'no_data', 'recovery'], after_minutes: 10 }
  t.strictSame(json.result.rules[0].routes, [route])
  const body = { key: 'one', name: 'One', template: 'waits@1' }
  const resource = await call('POST', `/workspaces/${workspaceId}/resources`, { token, body })
  t.strictSame(resource.json.result.rules[0].routes, [route])
})

t.test('first enabled destination becomes default and stays default (v3 10.1)', async t => {
  const { send, create, marked } = await home()
  const off = await create({ name: 'off', enabled: false })
  t.match(off, { enabled: false, default: false })
  const first = await create({ name: 'first' })
  t.strictSame(await marked(), ['first'])
  await send('PATCH', `/${first.id}`, { enabled: false })
  t.strictSame(await marked(), ['first'], 'switched off it stays default')
  await create({ name: 'second' })
  await send('PATCH', `/${off.id}`, { enabled: true })
  await send('PATCH', `/${first.id}`, { default: false })
  t.strictSame(await marked(), ['first'], 'neither another nor false moves the mark')
  await send('PATCH', `/${off.id}`, { default: true })
  t.strictSame(await marked(), ['off'])
  await create({ name: 'third', default: true })
  t.strictSame(await marked(), ['third'])
  const other = await home()
  const late = await other.create({ name: 'late', enabled: false })
  t.match((await other.send('PATCH', `/${late.id}`, { enabled: true })).json.result, { enabled: true, default: true })
})

const long = (length: number) => 'x'.repeat(length)
const urlOf = (length: number) => `https://h.example/${long(length - 'https://h.example/'.length)}`
const refusals: [title: string, change: object, status: number, field: string | undefined][] = [
  ['no name', { name: undefined }, 422, 'name'],
  ['a blank name', { name: ' \t' }, 422, 'name'],
  ['a name of 101 characters', { name: long(101) }, 422, 'name'],
  ['a name with a control character', { name: 'a\u0007b' }, 422, 'name'],
  ['a name with a hidden character', { name: 'a\u200bb' }, 422, 'name'],
  ['no type', { type: undefined }, 422, 'type'],
  ['another type', { type: 'pigeon' }, 422, 'type'],
  ['no URL', { url: undefined }, 422, 'url'],
  ['an empty URL', { url: '' }, 422, 'url'],
  ['another scheme', { url: 'ftp://hooks.example.com/' }, 422, 'url'],
  ['a URL with credentials', { url: 'https://me:secret@hooks.example.com/' }, 422, 'url'],
  ['a URL of 2,049 characters', { url: urlOf(2_049) }, 422, 'url'],
  ['a channel of 81 characters', { type: 'slack', channel: long(81) }, 422, 'channel'],
  ['openings to Slack', { type: 'slack', send_on_open: true }, 422, 'send_on_open'],
  ['a disabled default', { enabled: false, default: true }, 422, 'default'],
  ['a switch that is a text', { enabled: 'true' }, 400, 'enabled'],
  ['an opening that is a number', { send_on_open: 1 }, 400, 'send_on_open'],
  ['a name that is a number', { name: 5 }, 400, 'name'],
  ['an unknown member', { secret: 'x' }, 400, 'secret'],
  ['the name of another in another case', { name: 'TAKEN' }, 409, 'name'],
]
t.test('secret in the form of a sealed one is refused (v3 10.23)', async t => {
  const { send } = await home()
  const settings = { server: 'https://gotify.example', token: `sealed:${'a'.repeat(8)}:${'b'.repeat(40)}` }
  const refused = await send('POST', '', { name: 'Sealed', type: 'gotify', settings })
  t.match([refused.status, refused.json.error?.details], [422, { field: 'settings.token' }])
})

t.test('faulty destination is refused with the name of its field at creation and change, and not stored (v3 10.1)', async t => {
  const { send, create } = await home()
  await create({ name: 'Taken' })
  const webhook = await create({ name: 'Mine' })
  const slack = await create({ name: 'Slack', type: 'slack' })
  const before = await world.dump()
  for (const [title, change, status, field] of refusals) {
    const { type, ...rest } = { name: 'New', type: 'webhook', url: secretUrl, ...change } as Record<string, unknown>
    const created = await send('POST', '', { ...rest, type })
    t.equal(created.status, status, title)
    t.match(created.json.error, { code: 1000 + status, details: { field } }, title)
    if (Object.values(change).includes(undefined) || field === 'type') continue
    const { type: _, ...sent } = change as Record<string, unknown>
    const changed = await send('PATCH', `/${type === 'slack' ? slack.id : webhook.id}`, sent)
    t.equal(changed.status, status, `change: ${title}`)
    t.match(changed.json.error, { code: 1000 + status, details: { field } }, `change: ${title}`)
  }
  const typed = await send('PATCH', `/${webhook.id}`, { type: 'slack' })
  t.match([typed.status, typed.json.error.details], [400, { field: 'type' }])
  const switched = await send('PATCH', `/${slack.id}`, { default: true, enabled: false })
  t.match([switched.status, switched.json.error.details], [422, { field: 'default' }])
  t.equal(await world.dump(), before)
})

t.test('destination is accepted with each field at its bound (v3 10.1)', async t => {
  const { create } = await home()
  t.equal((await create({ name: long(100) })).name, long(100))
  await create({ name: 'url', url: urlOf(2_048) })
  t.equal((await create({ name: 'channel', type: 'slack', channel: long(80) })).channel, long(80))
  for (let made = 3; made < 100; made++) await create({ name: `n${made}` })
  await t.rejects(create({ name: 'one more' }), /"code":1422.*"field":"name"/)
})

t.test(
  'members read with a full key, editors write, and a missing object is reported before missing rights (v3 2.8)',
  async t => {
    const path = '/workspaces/shared/destinations'
    const body = { name: 'Pager', type: 'webhook', url: receiver.url }
    const { id } = (await call('POST', path, { body })).json.result
    const routes: [method: string, below: string, viewerGets: number][] = [
      ['GET', '', 200],
      ['GET', `/${id}`, 200],
      ['GET', `/${id}/deliveries`, 200],
      ['POST', '', 403],
      ['PATCH', `/${id}`, 403],
      ['POST', `/${id}/test`, 403],
      ['DELETE', `/${id}`, 403],
    ]
    const stranger = (await home()).token
    for (const [method, below, viewerGets] of routes) {
      const route = `${method} ${below}`
      const asViewer = await call(method, path + below, { token: viewer, body: method === 'GET' ? undefined : {} })
      t.equal(asViewer.status, viewerGets, route)
      if (viewerGets === 403) t.strictSame(asViewer.json.error.details, { role: 'editor' }, route)
      const asScoped = await call(method, path + below, { token: scoped })
      t.match([asScoped.status, asScoped.json.error.details], [403, { scope: 'full' }], route)
      t.equal((await call(method, path + below, { token: stranger })).status, 404, route)
      if (below === '') continue
      for (const token of [editor, viewer, scoped]) {
        t.equal((await call(method, path + below.replace(id, 'nothing'), { token })).status, 404, `${route} of nothing`)
      }
    }
    t.equal((await call('DELETE', `${path}/${id}`)).status, 200, 'nothing of it was deleted')
  },
)

t.test('test sends one message and returns its outcome (v3 10.1)', async t => {
  const { send, create } = await home()
  const { id } = await create({ url: receiver.url, enabled: false })
  const rows: [answered: number, result: object][] = [
    [200, { status: 'delivered', reason: null }],
    [503, { status: 'failed', reason: 'http_503' }],
  ]
  for (const [answered, result] of rows) {
    answer = answered
    const sent = await send('POST', `/${id}/test`)
    t.equal(sent.status, 200)
    t.strictSame(sent.json.result, result)
  }
  t.equal(receiver.hits.length, 2)
  await send('PATCH', `/${id}`, { url: 'http://127.0.0.1:1/' })
  t.strictSame((await send('POST', `/${id}/test`, {})).json.result, { status: 'failed', reason: 'unreachable' })
  t.equal((await send('POST', `/${id}/test`, { now: true })).status, 400)
})

t.test('destination lists its deliveries newest first, in pages (v3 10.3)', async t => {
  const { id: workspace, send, create } = await home()
  const { id } = await create({ url: receiver.url })
  const other = await create({ name: 'other', url: receiver.url })
  answer = 200
  await send('POST', `/${id}/test`)
  await send('POST', `/${other.id}/test`)
  const [tested] = await world.store.find('deliveryLog', { where: { destinationId: id }, limit: 1 })
  const incidentId = 'Shop000001.1'
  const rows = Array.from({ length: 230 }, (_, i) => ({
    ...tested!,
    id: `row${workspace}.${i}`,
    number: 5_000_000 + i,
    incidentId,
    event: 'problem' as const,
    status: 'held' as const,
    reason: 'maintenance',
    at: i,
  }))
  await world.store.insert('deliveryLog', rows)
  const list = async (query = '') => send('GET', `/${id}/deliveries${query}`)
  const first = (await list()).json
  t.equal(first.result.length, 50, 'by default')
  t.strictSame(first.result[0], {
    at: new Date(tested?.at ?? 0).toISOString(),
    event: 'test',
    status: 'delivered',
    reason: null,
    incident: null,
  })
  t.match(first.result[1], { at: new Date(229).toISOString(), event: 'problem', status: 'held', reason: 'maintenance' })
  t.equal(first.result[1].incident, publicIncidentId(incidentId))
  const second = (await list(`?limit=200&cursor=${first.meta.next_cursor}`)).json
  t.strictSame([second.result.length, second.meta], [181, { next_cursor: null }])
  t.equal(second.result[0].at, new Date(180).toISOString())
  const mine = encodeURIComponent(first.meta.next_cursor)
  const refused: [query: string, field: string][] = [
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=x', 'limit'],
    ['?cursor=nonsense', 'cursor'],
    ['?cursor=', 'cursor'],
    [`?cursor=${Buffer.from(JSON.stringify([`deliveries ${id}`, 'x'])).toString('base64url')}`, 'cursor'],
    ['?since=1', 'since'],
  ]
  for (const [query, field] of refused) {
    const { status, json } = await list(query)
    t.match([status, json.error], [422, { code: 1422, details: { field } }], query)
  }
  const foreign = await send('GET', `/${other.id}/deliveries?cursor=${mine}`)
  t.match([foreign.status, foreign.json.error.details], [422, { field: 'cursor' }], 'a cursor fits the list that made it')
})

const rule = (key: string, names: object) => ({
  key,
  action: 'Look.',
  wait: { confirm_after: 0, recover_after: 0 },
  decision: { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' },
  ...names,
})
const manifest = (key: string, version: number, rules: object[]) => ({
  key,
  version,
  name: key,
  signals: [{ key: 'beat', kind: 'event' }],
  rules,
})

t.test('destination that a rule names cannot be deleted, and the refusal names the rules (v3 10.2)', async t => {
  const { id: workspace, send, create, token } = await home()
  const { id } = await create()
  const publish = async (body: object) => {
    const { status, json } = await call('POST', `/workspaces/${workspace}/templates`, { token, body })
    t.equal(status, 201, JSON.stringify(json.error))
  }
  const refused = async () => {
    const { status, json } = await send('DELETE', `/${id}`)
    t.equal(status, 422)
    t.equal(json.error.code, 1422)
    return json.error.details
  }
  const named = rule('host_down', { routes: [{ destination: { name: 'pager' } }] })
  await publish(manifest('paged', 2, [named, rule('quiet', {})]))
  t.strictSame(await refused(), { used_by: 'Template paged@2 Rule host_down' })
  await world.addSubject({ id: 'srv0000001', workspaceId: workspace, slug: 'srv-0042', template: 'paged@2' })
  t.strictSame(await refused(), { used_by: 'Template paged@2 Rule host_down; Resource srv-0042 Rule host_down' })
  await publish(manifest('paged', 3, [rule('host_down', {})]))
  t.strictSame(await refused(), { used_by: 'Resource srv-0042 Rule host_down' }, 'a Resource lives by its own revision')
  const archived = { id: 'srv0000002', workspaceId: workspace, slug: 'srv-0043', template: 'paged@2', archivedAt: 1 }
  await world.addSubject(archived)
  await world.addSubject({ id: 'srv0000001', workspaceId: workspace, slug: 'srv-0042', template: 'paged@3' })
  t.strictSame(
    (await send('DELETE', `/${id}`)).json.result,
    { id, deleted: true },
    'an old revision and an archived Resource keep nothing',
  )
  t.equal((await send('DELETE', `/${id}`)).status, 404)
})

t.test('refused deletion names the first 20 uses of a destination and counts further uses (v3 10.2)', async t => {
  const { id: workspace, send, create, token } = await home()
  const { id } = await create()
  const body = manifest('paged', 1, [rule('a', { destination: id }), rule('b', { destination: { id } })])
  t.equal((await call('POST', `/workspaces/${workspace}/templates`, { token, body })).status, 201)
  const uses = async () => (await send('DELETE', `/${id}`)).json.error.details.used_by as string
  const add = (i: number) =>
    world.addSubject({
      id: `use${workspace}${i}`,
      workspaceId: workspace,
      slug: `r${String(i).padStart(2, '0')}`,
      template: 'paged@1',
    })
  for (let i = 0; i < 9; i++) await add(i)
  t.match(await uses(), /^Template paged@1 Rule a; Template paged@1 Rule b; Resource r00 Rule a; .*; Resource r08 Rule b$/)
  for (let i = 9; i < 13; i++) await add(i)
  const text = await uses()
  t.match(text, /Resource r08 Rule b and 8 more$/)
  t.equal(text.split('; ').length, 20)
})

t.test('deletion searches all revisions of many Templates for uses of the destination (v3 10.2)', async t => {
  const { id: workspace, send, create } = await home()
  const { id } = await create()
  const documents = Array.from({ length: 250 }, (_, i): TemplateDocument => {
    const key = `t${String(i).padStart(3, '0')}`
    const read = manifest(key, 1, [rule('last', i === 249 ? { destination: { id } } : {})])
    const template = readManifest(read, { systemKeys: new Set(), destinations: [{ id, name: 'x' }] })
    return { id: `${workspace}/${key}@1`, rev: 1, workspaceId: workspace, key, version: 1, publishedAt: 0, bytes: 1, template }
  })
  await world.store.insert('templates', documents)
  t.equal((await send('DELETE', `/${id}`)).json.error.details.used_by, 'Template t249@1 Rule last')
})
