// Notifications of generation 2 as their clients see them: spec B's notification routes, completed by D 2. One case a line, against
// the real directory and a real notifier, with receivers over HTTP.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'
import type { Service } from '#shared/service.ts'
import { startNotifier } from '../../services/notifier/app.ts'
import {
  alert,
  createReceiver,
  type Answer as Heard,
  options as notifierOptions,
  type Receiver,
  until,
} from '../notifier/house.ts'
import { type Answer, type ApiWorld, startApiWorld } from '../support/api-world.ts'
import { watchRefusals } from '../support/documented-refusals.ts'

const base = '/api/v2/notifications'
const destinations = `${base}/destinations`
const transformations = `${base}/transformations`
const deliveries = `${base}/deliveries`
const home = 'home000000'
const other = 'other00000'
const foreign = 'foreign000'
const inHome = `?workspace_id=${home}`

let world: ApiWorld
let undocumented: string[]
let notifier: Service
let receiver: Receiver
let heard: Heard = { status: 200 }
let owner = ''
let editor = ''
let viewer = ''
let stranger = ''
let both = ''
let people = 0

t.before(async () => {
  const watched = watchRefusals(await startApiWorld())
  world = watched.front
  undocumented = watched.undocumented
  receiver = await createReceiver(() => heard)
  const logger = pino({ level: 'debug' }, { write: (line: string) => void world.logged.push(line) })
  const { store, clock, hub } = world
  const surroundings = { store, clock, bus: hub.connect(), logger, metrics: new Registry() }
  notifier = await startNotifier(surroundings, { ...notifierOptions, notifierId: 'n1' })
  owner = (await world.addPerson('owner', { [home]: 'owner' })).token
  editor = (await world.addPerson('editor', { [home]: 'editor' })).token
  viewer = (await world.addPerson('viewer', { [home]: 'viewer' })).token
  stranger = (await world.addPerson('stranger', { [foreign]: 'owner' })).token
  both = (await world.addPerson('both', { [home]: 'owner', [other]: 'editor' })).token
})
t.teardown(async () => {
  await notifier.stop()
  await receiver.close()
  await world.stop()
})

const get = (path: string, token = owner) => world.call('GET', path, { token })
const post = (path: string, body?: unknown, token = owner) => world.call('POST', path, { token, body })
const remove = (path: string, token = owner) => world.call('DELETE', path, { token })
const now = () => new Date(world.clock.now()).toISOString()

const ok = (answer: Answer) => {
  t.equal(answer.status, 200)
  t.strictSame(Object.keys(answer.json), ['result', 'error', 'meta'])
  t.equal(answer.json.error, null, JSON.stringify(answer.json.error))
  t.equal(answer.json.meta, null)
  return answer.json.result
}

interface Refusal {
  title: string
  send: () => Promise<Answer>
  code: number
  message?: string
  details?: RegExp | string
}

/** HTTP 200, the exact error object, and nothing stored. */
const refuses = (cases: Refusal[]) => {
  for (const { title, send, code, message, details } of cases) {
    t.test(`${title} answers ${code} ${message ?? ''}`, async t => {
      const before = await world.dump()
      const { status, json } = await send()
      t.equal(status, 200)
      t.equal(json.result, null)
      t.strictSame(Object.keys(json.error), ['code', 'error_type', 'message', 'details'])
      t.equal(json.error.code, code, JSON.stringify(json.error))
      if (message !== undefined) t.equal(json.error.message, message)
      if (details !== undefined) t.match(json.error.details, details)
      t.equal(await world.dump(), before, 'a refusal stores nothing')
    })
  }
}

const destination = (change: Record<string, unknown> = {}) => ({
  name: 'Ops',
  url: 'https://hooks.example/x',
  destination_type: 'slack',
  ...change,
})
/** What an update takes: the same less the type. */
const changes = (change: Record<string, unknown> = {}) => {
  const { destination_type: _, ...rest } = destination(change) as Record<string, unknown>
  return rest
}
/** A workspace of one's own with its only member, so that cases do not meet. */
const workspace = async (name: string) => {
  const id = `${name.padEnd(8, '0')}${String(people++).padStart(2, '0')}`
  return { id, token: (await world.addPerson(id, { [id]: 'editor' })).token }
}
const addDestination = async (token: string, change: Record<string, unknown> = {}) =>
  ok(await post(destinations, destination(change), token))
const addTransformation = async (token: string, name: string, template: string) =>
  ok(await post(transformations, { name, template }, token))
const addSubject = (id: string, workspaceId: string, kind: 'website' | 'custom' = 'website', slug = `slug-${id}`) =>
  world.addSubject({ id, workspaceId, slug, kind, ...(kind === 'custom' ? { template: null, meta: null } : {}) })
const marks = async (token: string): Promise<string[]> =>
  ok(await get(destinations, token))
    .filter((one: { default: boolean }) => one.default)
    .map((one: { name: string }) => one.name)

t.test('GET and POST destinations: list by name; create one, enabled, with exactly the fields', async t => {
  const { id, token } = await workspace('create')
  t.strictSame(ok(await get(destinations, token)), [])
  const first = await addDestination(token, { channel: ' # #ops ' })
  t.ok(Number.isInteger(first.id))
  t.strictSame(first, {
    id: first.id,
    name: 'Ops',
    destination_type: 'slack',
    channel: 'ops',
    url: 'https://hooks.example/x',
    enabled: true,
    default: true,
    transformation_id: null,
    workspace_id: id,
    created_at: now(),
    updated_at: now(),
    kind: 'notification_destination',
  })
  const second = await addDestination(token, { name: 'alpha', destination_type: 'webhook', channel: '#x' })
  t.match(second, { channel: '', default: false, destination_type: 'webhook' })
  t.strictSame(ok(await get(destinations, token)), [second, first])
  t.strictSame(ok(await get(`${destinations}/${first.id}`, token)), first)
})

t.test('optional fields sent as null or as the empty text are absent', async t => {
  const { token } = await workspace('unset')
  for (const unset of [null, '']) {
    const sent = { name: `Unset ${unset}`, channel: unset, default: unset, transformation_id: unset, workspace_id: unset }
    const made = await addDestination(token, sent)
    t.match(made, { channel: '', transformation_id: null })
    const { name, url } = made
    const rest = { channel: unset, default: unset, transformation_id: unset, workspace_id: unset }
    t.strictSame(ok(await post(`${destinations}/${made.id}`, { name, url, ...rest }, token)), made)
  }
})

t.test('POST destinations/{id} replaces name, channel, URL, default and transformation', async t => {
  const { id: workspaceId, token } = await workspace('update')
  const { id: transformationId } = await addTransformation(token, 'T', 'x')
  const first = await addDestination(token, { channel: 'one', transformation_id: transformationId })
  t.equal(first.transformation_id, transformationId)
  const second = await addDestination(token, { name: 'Second', destination_type: 'webhook' })
  world.clock.advance(1_000)
  const path = `${destinations}/${second.id}`
  const sent = { name: 'SECOND', url: 'http://b.example/', channel: '#y', default: true, transformation_id: transformationId }
  const updated = ok(await post(path, sent, token))
  t.strictSame(updated, {
    ...second,
    ...sent,
    channel: '',
    updated_at: now(),
  })
  t.strictSame(ok(await get(path, token)), updated, 'read your write')
  t.strictSame(await marks(token), ['SECOND'], 'the mark has moved')
  const bare = ok(await post(path, { name: 'SECOND', url: 'http://b.example/', default: false }, token))
  t.match(bare, { transformation_id: null, default: true }, 'what is left out is not kept; default: false leaves the mark')
  const slack = ok(
    await post(`${destinations}/${first.id}`, { name: 'Ops', url: 'http://c.example', workspace_id: workspaceId }, token),
  )
  t.match(slack, { channel: '', url: 'http://c.example', destination_type: 'slack', default: false, transformation_id: null })
})

t.test('POST enabled switches on and off; the mark and the rows stay', async t => {
  const { token } = await workspace('switch')
  const made = await addDestination(token)
  const path = `${destinations}/${made.id}`
  world.clock.advance(5)
  const off = ok(await post(`${path}/enabled`, { enabled: false }, token))
  t.strictSame(off, { ...made, enabled: false, updated_at: now() })
  world.clock.advance(5)
  t.strictSame(ok(await post(`${path}/enabled`, { enabled: false }, token)), off, 'a repeat changes nothing')
  t.strictSame(ok(await post(`${path}/enabled`, { enabled: true }, token)), { ...made, updated_at: now() })
})

t.test('POST default makes it the workspace default, with or without an empty body', async t => {
  const { token } = await workspace('default')
  await addDestination(token, { name: 'a' })
  const b = await addDestination(token, { name: 'b' })
  const c = await addDestination(token, { name: 'c' })
  world.clock.advance(5)
  t.strictSame(ok(await post(`${destinations}/${b.id}/default`, undefined, token)), { ...b, default: true, updated_at: now() })
  t.strictSame(await marks(token), ['b'])
  t.match(ok(await post(`${destinations}/${c.id}/default`, {}, token)), { default: true })
  t.strictSame(await marks(token), ['c'], 'also within the same millisecond')
  t.match(ok(await post(`${destinations}/${b.id}`, changes({ name: 'b' }), token)), { default: false }, 'a change is no mark')
  t.strictSame(await marks(token), ['c'])
})

t.test(
  'DELETE destinations/{id} says whether it was the default; selections go, the log stays, no other becomes default',
  async t => {
    const { id: workspaceId, token } = await workspace('delete')
    const a = await addDestination(token, { name: 'a' })
    const b = await addDestination(token, { name: 'b', default: true })
    await addSubject('Del0000001', workspaceId)
    const table = '/api/v2/monitoring/websites/Del0000001/delivery'
    const rows = [a, b].map(({ id }) => ({ destination_id: id, alert_kinds: ['problem'] }))
    ok(await post(table, { selections: rows }, token))
    t.strictSame(ok(await remove(`${destinations}/${b.id}`, token)), {
      message: 'Destination deleted successfully',
      destination_id: b.id,
      workspace_id: workspaceId,
      was_default: true,
    })
    t.match(ok(await get(table, token)), { selections: [{ destination_id: a.id }], default_destination_id: null, fallback: '' })
    t.strictSame(await marks(token), [], 'no other becomes default')
    t.equal((await addDestination(token, { name: 'c' })).default, false, 'the first of a workspace it is not')
    t.match(ok(await remove(`${destinations}/${a.id}`, token)), { was_default: false })
    t.match(ok(await get(table, token)), { selections: [], default_destination_id: null, fallback: 'silence' })
    t.match((await remove(`${destinations}/${a.id}`, token)).json.error, { code: 2002, message: 'Destination not found' })
    const [table1] = await world.store.get('deliveryTables', ['Del0000001'])
    t.strictSame(table1?.selections, [], 'nothing is left behind')
    t.match(await addDestination(token, { name: 'a' }), { name: 'a' }, 'the name is free again')
  },
)

t.test('POST test sends one real message and says so; it is logged as a problem', async t => {
  const { id: workspaceId, token } = await workspace('test')
  const made = await addDestination(token, { url: receiver.url, destination_type: 'webhook' })
  ok(await post(`${destinations}/${made.id}/enabled`, { enabled: false }, token))
  const before = receiver.hits.length
  heard = { status: 204 }
  t.strictSame(ok(await post(`${destinations}/${made.id}/test`, undefined, token)), {
    message: 'Test message delivered',
    destination_id: made.id,
    workspace_id: workspaceId,
  })
  t.equal(receiver.hits.length, before + 1)
  t.match(JSON.parse(receiver.hits.at(-1)?.body ?? ''), { attachments: [{ author_name: 'Watchkeeper' }], incident: {} })
  const path = new URL(receiver.url).pathname
  heard = { status: 500, body: `no such hook: ${path}` }
  const refused = (await post(`${destinations}/${made.id}/test`, {}, token)).json.error
  t.match(refused, { code: 2004, message: 'Destination did not accept the test message', details: /500.*no such hook/ })
  t.notMatch(JSON.stringify(refused), /secret|hunter2/)
  t.equal(receiver.hits.length, before + 2, 'never tried again')
  const rows = ok(await get(deliveries, token))
  t.match(rows, [
    { status: 'failed', alert_kind: 'problem', payload: receiver.hits.at(-1)?.body },
    { status: 'delivered', error: '' },
  ])
  heard = { status: 200 }
})

t.test('a destination that names a template tells by it, and a test shows it', async t => {
  const { id: workspaceId, token } = await workspace('tmpl')
  const { id } = await addTransformation(token, 'Pager', '{"text": "{{ subject }}: {{ error }}", "ws": "{{ workspace }}"}')
  const made = await addDestination(token, { url: receiver.url, destination_type: 'webhook', transformation_id: id })
  ok(await post(`${destinations}/${made.id}/test`, undefined, token))
  const shown = JSON.parse(receiver.hits.at(-1)?.body ?? '')
  t.match(shown, { text: /^Test message: /, ws: `Name of ${workspaceId}` })
  t.equal(receiver.hits.at(-1)?.headers['content-type'], 'application/json')
  const { id: plain } = await addTransformation(token, 'Plain', '{{ summary }}\n{{ link }}')
  ok(await post(`${destinations}/${made.id}`, { name: 'Ops', url: receiver.url, transformation_id: plain }, token))
  ok(await post(`${destinations}/${made.id}/test`, undefined, token))
  t.match(receiver.hits.at(-1), {
    body: /^Test message\. Nothing is wrong\.\nhttps:/,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
})

const unknown = { name: 'Destination', message: 'Destination not found', code: 2002 }
const badDestination = (title: string, change: Record<string, unknown>, message: string, code = 2001): Refusal[] => [
  { title: `creating a destination with ${title}`, send: () => post(destinations + inHome, destination(change)), code, message },
  {
    title: `updating a destination with ${title}`,
    send: () => post(`${destinations}/${things.second}${inHome}`, changes(change)),
    code,
    message,
  },
]
const things = { first: 0, second: 0, off: 0, transformation: 0, foreign: 0, foreignTransformation: 0 }
t.test('destinations to refuse things of', async () => {
  things.transformation = (await addTransformation(editor, 'Taken', 'x')).id
  things.first = (await addDestination(editor, { name: 'Taken' })).id
  things.second = (await addDestination(editor, { name: 'Second' })).id
  things.off = (await addDestination(editor, { name: 'Off' })).id
  ok(await post(`${destinations}/${things.off}/enabled`, { enabled: false }, editor))
  things.foreign = (await addDestination(stranger, { name: 'Foreign' })).id
  things.foreignTransformation = (await addTransformation(stranger, 'Foreign', 'x')).id
  await addSubject('Web0000001', home)
  await addSubject('Cus0000001', home, 'custom', 'nightly-job')
  await addSubject('For0000001', foreign)
  await addSubject('For0000002', foreign, 'custom', 'foreign-job')
})
const longUrl = (characters: number) => `https://a.example/${'x'.repeat(characters - 18)}`
refuses([
  ...badDestination('no name', { name: undefined }, 'Validation failed'),
  ...badDestination('an empty name', { name: '' }, 'Invalid name'),
  ...badDestination('a blank name', { name: ' \u00a0 ' }, 'Invalid name'),
  ...badDestination('a name of 101 characters', { name: '😀'.repeat(101) }, 'Invalid name'),
  ...badDestination('a name taken in another case', { name: ' tAKEN ' }, 'Destination name taken'),
  ...badDestination('no url', { url: undefined }, 'Validation failed'),
  ...badDestination('an empty url', { url: '' }, 'Invalid url'),
  ...badDestination('a url of 2,049 characters', { url: longUrl(2_049) }, 'Invalid url'),
  ...badDestination('a url with a password', { url: 'https://user:pass@a.example' }, 'Invalid url'),
  ...badDestination('a url with a user name', { url: 'https://user@a.example' }, 'Invalid url'),
  ...[
    'ftp://a.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'a.example',
    'https://',
    'https://a b.example',
    'http://[::1',
  ].flatMap(url => badDestination(`the url ${url}`, { url }, 'Invalid url')),
  ...badDestination('a channel of 81 characters', { channel: 'x'.repeat(81) }, 'Invalid channel'),
  ...badDestination('an unknown transformation', { transformation_id: 999_999 }, 'Transformation not found', 2002),
  ...badDestination('half a transformation', { transformation_id: 1.5 }, 'Transformation not found', 2002),
  ...badDestination('a text as transformation', { transformation_id: '1' }, 'Invalid JSON', 2006),
  ...badDestination('a text as default', { default: 'true' }, 'Invalid JSON', 2006),
  ...badDestination('a number as name', { name: 5 }, 'Invalid JSON', 2006),
  ...badDestination('a number as workspace', { workspace_id: 5 }, 'Invalid JSON', 2006),
  ...badDestination('an unknown field', { enabled: true }, 'Invalid JSON', 2006),
  ...badDestination('a kind', { kind: 'notification_destination' }, 'Invalid JSON', 2006),
  ...badDestination('a field that pollutes prototypes', JSON.parse('{"__proto__": {"name": 5}}'), 'Invalid JSON', 2006),
  ...badDestination('a broken surrogate', { name: 'a\ud800' }, 'Invalid JSON', 2006),
  {
    title: 'a transformation of another workspace',
    send: () => post(destinations + inHome, destination({ name: 'New', transformation_id: things.foreignTransformation })),
    code: 2002,
    message: 'Transformation not found',
  },
  {
    title: 'no type',
    send: () => post(destinations, destination({ destination_type: undefined })),
    code: 2001,
    message: 'Validation failed',
  },
  ...['', 'email', 'SLACK', '__proto__'].map(type => ({
    title: `the type '${type}'`,
    send: () => post(destinations, destination({ destination_type: type })),
    code: 2001,
    message: 'Invalid destination type',
  })),
  {
    title: 'a type in an update',
    send: () => post(`${destinations}/${things.second}`, destination({ name: 'Second' })),
    code: 2006,
    message: 'Invalid JSON',
    details: /destination_type/,
  },
  {
    title: 'default: true on a disabled destination',
    send: () => post(`${destinations}/${things.off}`, changes({ name: 'Off', default: true })),
    code: 2004,
    message: 'Destination is disabled',
  },
  {
    title: 'POST default on a disabled destination',
    send: () => post(`${destinations}/${things.off}/default`),
    code: 2004,
    message: 'Destination is disabled',
  },
  ...[
    ['no', {}, 2001, 'Validation failed'],
    ['null as', { enabled: null }, 2001, 'Validation failed'],
    ['a text as', { enabled: 'true' }, 2006, 'Invalid JSON'],
    ['an unknown field beside', { enabled: true, on: true }, 2006, 'Invalid JSON'],
  ].map(([title, body, code, message]) => ({
    title: `${title} enabled`,
    send: () => post(`${destinations}/${things.second}/enabled`, body),
    code: code as number,
    message: message as string,
  })),
  ...['default', 'test'].map(action => ({
    title: `an unknown field sent to ${action}`,
    send: () => post(`${destinations}/${things.second}/${action}`, { force: true }),
    code: 2006,
    message: 'Invalid JSON',
  })),
  ...['0', '-1', '1.5', 'x', '1e3', '999999', '99999999999999999999', '%00', 'samples', '__proto__'].flatMap(id =>
    ['GET', 'POST', 'DELETE'].map(method => ({
      title: `${method} of destination ${id}`,
      send: () =>
        world.call(method, `${destinations}/${id}${inHome}`, { token: owner, ...(method === 'POST' ? { body: changes() } : {}) }),
      code: unknown.code,
      message: unknown.message,
    })),
  ),
  {
    title: 'a destination of another workspace',
    send: () => get(`${destinations}/${things.foreign}${inHome}`),
    code: 2002,
    message: 'Destination not found',
  },
])

t.test('a url of 2,048 characters and one with odd but legal parts are taken', async t => {
  const { token } = await workspace('urls')
  for (const [i, url] of [
    longUrl(2_048),
    'HTTPS://A.Example:8443/?q=ä#x',
    'http://[::1]:8080/',
    'http://127.0.0.1/x@y',
  ].entries())
    t.equal((await addDestination(token, { name: `u${i}`, url })).url, url)
})

const templates: [title: string, template: string, contentType: string][] = [
  ['plain text', 'Hello {{subject}}', 'text/plain'],
  ['an object', '{"a": "{{ subject }}", "b": {"c": "{{ error }}"}}', 'application/json'],
  ['a list', '["{{ url }}"]', 'application/json'],
  ['blanks before an object', '\n {"a": 1}', 'application/json'],
  ['a text that begins with a field', '{{ subject }} is {{ status }}', 'text/plain'],
  ['16 KiB', 'é'.repeat(8 * 1024), 'text/plain'],
]
t.test('transformations: store, get, list by name, replace, delete, with exactly the fields', async t => {
  const { id: workspaceId, token } = await workspace('trans')
  t.strictSame(ok(await get(transformations, token)), [])
  const made: Record<string, unknown>[] = []
  for (const [title, template, content_type] of templates.toReversed()) {
    const stored = await addTransformation(token, `B ${title}`, template)
    t.ok(Number.isInteger(stored.id))
    t.strictSame(stored, {
      id: stored.id,
      name: `B ${title}`,
      template,
      content_type,
      workspace_id: workspaceId,
      created_at: now(),
      updated_at: now(),
      kind: 'notification_transformation',
    })
    t.strictSame(ok(await get(`${transformations}/${stored.id}`, token)), stored)
    made.push(stored)
  }
  const first = await addTransformation(token, 'a first', 'x')
  const byName = [first, ...made.sort((a, b) => (String(a['name']).toLowerCase() < String(b['name']).toLowerCase() ? -1 : 1))]
  t.strictSame(ok(await get(transformations, token)), byName)
  world.clock.advance(7)
  const replaced = ok(
    await post(`${transformations}/${first.id}`, { name: 'A First', template: '[1]', workspace_id: null }, token),
  )
  t.strictSame(replaced, { ...first, name: 'A First', template: '[1]', content_type: 'application/json', updated_at: now() })
  const user = await addDestination(token, { transformation_id: first.id })
  t.equal(user.transformation_id, first.id)
  t.strictSame(ok(await remove(`${transformations}/${first.id}`, token)), {
    message: 'Transformation deleted successfully',
    transformation_id: first.id,
    workspace_id: workspaceId,
  })
  t.match(ok(await get(`${destinations}/${user.id}`, token)), { transformation_id: null }, 'destinations fall back')
  t.match((await remove(`${transformations}/${first.id}`, token)).json.error, { code: 2002, message: 'Transformation not found' })
})

t.test('GET samples answers the three messages to anybody with a key', async t => {
  const nobody = (await world.addPerson('nobody', {})).token
  const samples = ok(await get(`${transformations}/samples`, nobody))
  t.strictSame(ok(await get(`${transformations}/samples`, both)), samples, 'no workspace is asked for')
  t.strictSame(
    samples.map((sample: Record<string, unknown>) => [Object.keys(sample), sample['alert_kind'], sample['label']]),
    [
      [['alert_kind', 'label', 'fields'], 'problem', 'Problems and reminders'],
      [['alert_kind', 'label', 'fields'], 'no_data', 'No data'],
      [['alert_kind', 'label', 'fields'], 'recovery', 'Recoveries'],
    ],
  )
  const names = [
    'kind',
    'status',
    'subject',
    'url',
    'summary',
    'error',
    'locations',
    'lasted',
    'link',
    'workspace',
    'at',
    'rule',
    'action',
    'resource',
    'evidence',
  ]
  for (const { alert_kind, fields } of samples) {
    t.strictSame(Object.keys(fields).sort(), names.toSorted(), alert_kind)
    for (const name of names) {
      t.type(fields[name], 'string')
      t.equal(fields[name] === '', alert_kind === 'recovery' && name === 'error', `${alert_kind} ${name}`)
    }
    t.equal(fields.kind, alert_kind)
    t.equal(fields.at, new Date(fields.at).toISOString())
  }
  t.strictSame(
    samples.map(({ fields }: { fields: { status: string } }) => fields.status),
    ['down', 'unknown', 'up'],
  )
})

t.test('POST preview renders a template against all three, storing nothing', async t => {
  const before = await world.dump()
  const samples = ok(await get(`${transformations}/samples`))
  const preview = async (template: string) => ok(await post(`${transformations}/preview${inHome}`, { template }))
  const good = await preview('{"s": "{{ subject }}", "e": "{{error}}"}')
  t.strictSame(Object.keys(good), ['passed', 'results', 'kind'])
  t.equal(good.passed, true)
  t.equal(good.kind, 'notification_transformation_preview')
  for (const [i, result] of good.results.entries()) {
    const { alert_kind, label, fields } = samples[i]
    t.strictSame(Object.keys(result), ['alert_kind', 'label', 'ok', 'output'])
    t.match(result, { alert_kind, label, ok: true })
    t.strictSame(JSON.parse(result.output), { s: fields.subject, e: fields.error })
  }
  const once = await preview('{"k": "\\{{ kind }}"}')
  t.strictSame(once.passed, false)
  t.strictSame(
    once.results.map((result: { ok: boolean }) => result.ok),
    [false, true, true],
    'it breaks for one message only',
  )
  t.strictSame(Object.keys(once.results[0]), ['alert_kind', 'label', 'ok', 'error'])
  t.equal(await world.dump(), before)
})

const badTemplates: [title: string, template: string, details: RegExp][] = [
  ['an unknown field', 'a {{ nothing }}', /^Problems and reminders: Unknown field "nothing" at line 1, column 3/],
  ['a field in another case', '{{ Subject }}', /Unknown field "Subject"/],
  ['an inherited name', '{{ constructor }}', /Unknown field "constructor"/],
  ['an empty field', 'x\n {{}}', /Unknown field "" at line 2, column 2/],
  ['three braces', '{{{ subject }}}', /Unknown field/],
  ['unclosed braces', '{"a": "{{ subject"}', /^Problems and reminders: The braces opened at line 1, column 8 are not closed/],
  ['braces closed by one', '{{ subject }', /are not closed/],
  ['broken JSON', '{"a": {{ subject }}}', /^Problems and reminders: The result is not valid JSON/],
  ['JSON that breaks for one message', '{"k": "\\{{ kind }}"}', /^Problems and reminders: The result is not valid JSON/],
  ['JSON that breaks for the last message', '{"k": {{ error }}}', /not valid JSON/],
  ['JSON with more behind it', '{} {{ error }}', /not valid JSON/],
]
refuses([
  ...badTemplates.flatMap(([title, template, details]) => [
    {
      title: `storing a template with ${title}`,
      send: () => post(transformations + inHome, { name: 'New', template }),
      code: 2001,
      message: 'Template does not render every message',
      details,
    },
    {
      title: `replacing one by a template with ${title}`,
      send: () => post(`${transformations}/${things.transformation}${inHome}`, { name: 'Taken', template }),
      code: 2001,
      message: 'Template does not render every message',
      details,
    },
  ]),
  ...['', `?workspace_id=${home}`].flatMap(query =>
    [transformations, `${transformations}/preview`].flatMap(path =>
      [`${'é'.repeat(8 * 1024)}x`, ''].map(template => ({
        title: `a template of ${Buffer.byteLength(template)} bytes to ${path}${query}`,
        send: () => post(path + query, path === transformations ? { name: 'New', template } : { template }),
        code: 2001,
        message: 'Invalid template',
      })),
    ),
  ),
  {
    title: 'a transformation without a name',
    send: () => post(transformations, { template: 'x' }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'name' is required",
  },
  {
    title: 'a transformation without a template',
    send: () => post(transformations, { name: 'x' }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'template' is required",
  },
  {
    title: 'a preview without a template',
    send: () => post(`${transformations}/preview`, {}),
    code: 2001,
    message: 'Validation failed',
  },
  ...['', ' ', 'x'.repeat(101)].map(name => ({
    title: `a transformation named '${name.slice(0, 3)}'`,
    send: () => post(transformations, { name, template: 'x' }),
    code: 2001,
    message: 'Invalid name',
  })),
  {
    title: 'a transformation name taken in another case',
    send: () => post(transformations, { name: 'tAKEN', template: 'x' }),
    code: 2001,
    message: 'Transformation name taken',
  },
  ...[{ name: 5 }, { template: {} }, { content_type: 'text/plain' }, { kind: 'x' }].map(change => ({
    title: `a transformation with ${JSON.stringify(change)}`,
    send: () => post(transformations, { name: 'New', template: 'x', ...change }),
    code: 2006,
    message: 'Invalid JSON',
  })),
  {
    title: 'a preview with a name',
    send: () => post(`${transformations}/preview`, { name: 'x', template: 'x' }),
    code: 2006,
    message: 'Invalid JSON',
  },
  ...['0', 'x', '999999', 'preview'].flatMap(id =>
    ['GET', 'POST', 'DELETE'].flatMap(method =>
      method === 'POST' && id === 'preview'
        ? []
        : [
            {
              title: `${method} of transformation ${id}`,
              send: () =>
                world.call(method, `${transformations}/${id}`, { token: owner, ...(method === 'POST' ? { body: {} } : {}) }),
              code: 2002,
              message: 'Transformation not found',
            },
          ],
    ),
  ),
  {
    title: 'a transformation of another workspace',
    send: () => remove(`${transformations}/${things.foreignTransformation}`),
    code: 2002,
    message: 'Transformation not found',
  },
])

const tables: [title: string, path: string, publicId: string, subjectId: string][] = [
  ['a website monitor', '/api/v2/monitoring/websites/Web0000001/delivery', 'Web0000001', 'Web0000001'],
  ['a custom subject', '/api/v2/subjects/nightly-job/delivery', 'nightly-job', 'Cus0000001'],
]
for (const [title, path, publicId] of tables) {
  t.test(`the delivery table of ${title} is read, replaced and cleared`, async t => {
    const bare = {
      subject_id: publicId,
      selections: [],
      default_destination_id: things.first,
      fallback: 'workspace_default',
      workspace_id: home,
      kind: 'subject_alert_delivery',
    }
    t.strictSame(ok(await get(path)), bare)
    const selections = [
      { destination_id: things.off, alert_kinds: ['recovery', 'problem', 'recovery'] },
      { destination_id: things.second, alert_kinds: ['no_data'] },
    ]
    const full = {
      ...bare,
      selections: [
        { destination_id: things.off, destination_name: 'Off', alert_kinds: ['recovery', 'problem'] },
        { destination_id: things.second, destination_name: 'Second', alert_kinds: ['no_data'] },
      ],
      fallback: '',
    }
    t.strictSame(ok(await post(path, { selections }, editor)), full)
    t.strictSame(ok(await get(path, viewer)), full, 'any member reads it')
    t.strictSame(ok(await get(`${path}?workspace_id=${home}`, both)), full)
    t.strictSame(ok(await post(path, { selections: [] })), bare, 'no rows is the same as DELETE')
    t.strictSame(ok(await post(path, { selections: selections.slice(1) })).selections, full.selections.slice(1))
    t.strictSame(ok(await remove(path)), bare)
    t.strictSame(ok(await remove(path)), bare, 'twice is fine')
  })
}
t.test('without a default destination nobody is told of what selects nothing', async t => {
  const { id, token } = await workspace('silence')
  await addSubject('Sil0000001', id, 'custom', 'silent')
  const path = '/api/v2/subjects/silent/delivery'
  t.match(ok(await get(path, token)), { selections: [], default_destination_id: null, fallback: 'silence' })
})
t.test('a website table ignores unknown fields: clients send back what they read', async t => {
  const path = '/api/v2/monitoring/websites/Web0000001/delivery'
  const sent = ok(await post(path, { selections: [{ destination_id: things.first, alert_kinds: ['problem'] }] }))
  t.strictSame(ok(await post(path, sent)), sent)
  ok(await remove(path))
})
const row = (change: Record<string, unknown> = {}) => ({ destination_id: things.second, alert_kinds: ['problem'], ...change })
refuses(
  tables.flatMap(([title, path]) => [
    ...(
      [
        ['no selections', () => ({}), 2001, 'Validation failed'],
        ['selections null', () => ({ selections: null }), 2001, 'Validation failed'],
        ['a row without a destination', () => ({ selections: [row({ destination_id: undefined })] }), 2001, 'Validation failed'],
        ['a row without kinds', () => ({ selections: [row({ alert_kinds: undefined })] }), 2001, 'No alert kinds'],
        ['an empty list of kinds', () => ({ selections: [row({ alert_kinds: [] })] }), 2001, 'No alert kinds'],
        ['another kind', () => ({ selections: [row({ alert_kinds: ['problem', 'reminder'] })] }), 2001, 'Invalid alert kind'],
        ['a kind in another case', () => ({ selections: [row({ alert_kinds: ['Problem'] })] }), 2001, 'Invalid alert kind'],
        ['a destination twice', () => ({ selections: [row(), row()] }), 2001, 'Duplicate destination'],
        [
          'an unknown destination',
          () => ({ selections: [row(), row({ destination_id: 999_999 })] }),
          2002,
          'Destination not found',
        ],
        ['half a destination', () => ({ selections: [row({ destination_id: 1.5 })] }), 2002, 'Destination not found'],
        [
          'a destination of another workspace',
          () => ({ selections: [row({ destination_id: things.foreign })] }),
          2002,
          'Destination not found',
        ],
        [
          'a hundred and one destinations',
          () => ({ selections: Array.from({ length: 101 }, (_, i) => row({ destination_id: i + 1 })) }),
          2002,
          'Destination not found',
        ],
        ['a text as destination', () => ({ selections: [row({ destination_id: '1' })] }), 2006, 'Invalid JSON'],
        ['a text as kinds', () => ({ selections: [row({ alert_kinds: 'problem' })] }), 2006, 'Invalid JSON'],
        ['an object as selections', () => ({ selections: {} }), 2006, 'Invalid JSON'],
        ['null as a row', () => ({ selections: [null] }), 2006, 'Invalid JSON'],
      ] as [string, () => unknown, number, string][]
    ).map(([what, body, code, message]) => ({ title: `${title}: ${what}`, send: () => post(path, body()), code, message })),
    {
      title: `${title}: a viewer's POST`,
      send: () => post(path, { selections: [] }, viewer),
      code: 2005,
      message: 'Access denied',
    },
    { title: `${title}: a viewer's DELETE`, send: () => remove(path, viewer), code: 2005, message: 'Access denied' },
  ]),
)
refuses([
  {
    title: 'a row without a destination is named by its path',
    send: () => post('/api/v2/subjects/nightly-job/delivery', { selections: [row(), row({ destination_id: null })] }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'selections[1].destination_id' is required",
  },
  {
    title: 'an unknown field in the table of a custom subject',
    send: () => post('/api/v2/subjects/nightly-job/delivery', { selections: [], kind: 'x' }),
    code: 2006,
    message: 'Invalid JSON',
  },
  {
    title: 'an unknown field in a row of a custom subject',
    send: () => post('/api/v2/subjects/nightly-job/delivery', { selections: [row({ destination_name: 'x' })] }),
    code: 2006,
    message: 'Invalid JSON',
  },
  ...['GET', 'POST', 'DELETE'].flatMap(method => {
    const send = (path: string) => () =>
      world.call(method, path, { token: owner, ...(method === 'POST' ? { raw: '{broken' } : {}) })
    const website = (id: string) => `/api/v2/monitoring/websites/${id}/delivery`
    return [
      {
        title: `${method} of an unknown website`,
        send: send(website('Web0000009')),
        code: 2002,
        message: 'Website monitor not found',
      },
      {
        title: `${method} of a foreign website`,
        send: send(website('For0000001')),
        code: 2002,
        message: 'Website monitor not found',
      },
      {
        title: `${method} of a custom subject as a website`,
        send: send(website('Cus0000001')),
        code: 2004,
        message: 'Custom subjects are managed elsewhere',
      },
      {
        title: `${method} of an unknown subject`,
        send: send('/api/v2/subjects/nobody/delivery'),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: `${method} of a foreign subject`,
        send: send('/api/v2/subjects/foreign-job/delivery'),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: `${method} of a website as a subject`,
        send: send('/api/v2/subjects/slug-Web0000001/delivery'),
        code: 2004,
        message: 'Website subjects are managed elsewhere',
      },
      {
        title: `${method} of a subject in a foreign workspace`,
        send: send(`/api/v2/subjects/nightly-job/delivery?workspace_id=${foreign}`),
        code: 2005,
        message: 'Access denied',
      },
    ]
  }),
])
t.test('a slug of two workspaces is ambiguous', async t => {
  await addSubject('Amb0000001', home, 'custom', 'twice')
  await addSubject('Amb0000002', other, 'custom', 'twice')
  const path = '/api/v2/subjects/twice/delivery'
  t.match((await get(path, both)).json.error, { code: 2004, message: 'Ambiguous subject' })
  t.match(ok(await get(`${path}?workspace_id=${other}`, both)), { workspace_id: other })
})

/** An alert of a subject, told by the notifier. */
const tell = async (workspaceId: string, subjectId: string, change: Partial<Parameters<typeof alert>[3]> = {}) => {
  const incidentId = `${subjectId}.${++people}`
  const made = alert('x', 'x', 1, {
    ...change,
    id: `${incidentId}.a1`,
    workspaceId,
    subjectId,
    incidentId,
    decidedAt: world.clock.now(),
  })
  await world.store.insert('alerts', [made])
  world.hub.connect().publish(subjects.alertNudge, { alertIds: [made.id] })
  const stored = async () => (await world.store.get('alerts', [made.id]))[0]
  await until(async () => (await stored())?.state === 'dispatched', 'the alert is dispatched')
  return (await stored())!
}
const told = async (token: string, count: number) => {
  await until(async () => (await get(deliveries, token)).json.result.length >= count, `${count} rows in the log`)
  return ok(await get(deliveries, token))
}

t.test('a table decides who is told about what; rows of its own never also use the default', async t => {
  const { id, token } = await workspace('route')
  await addSubject('Rou0000001', id)
  const path = '/api/v2/monitoring/websites/Rou0000001/delivery'
  const made = async (name: string) =>
    addDestination(token, { name, url: `${receiver.url}&${name}`, destination_type: 'webhook' })
  const [fallback, pager, off] = [await made('fallback'), await made('pager'), await made('off')]
  ok(await post(`${destinations}/${off.id}/enabled`, { enabled: false }, token))
  const names = async (count: number) =>
    (await told(token, count)).map((one: { destination_name: string }) => one.destination_name)

  t.match(await tell(id, 'Rou0000001'), { deliveries: 1, untold: [] })
  t.strictSame(await names(1), ['fallback'], 'no rows: the default')
  const selections = [
    { destination_id: pager.id, alert_kinds: ['problem'] },
    { destination_id: off.id, alert_kinds: ['problem', 'recovery'] },
  ]
  ok(await post(path, { selections }, token))
  t.match(await tell(id, 'Rou0000001'), { deliveries: 1, untold: [{ reason: 'destination_disabled' }] })
  t.strictSame(await names(2), ['pager', 'fallback'], 'its own rows alone')
  t.match(await tell(id, 'Rou0000001', { kind: 'no_data' }), {
    deliveries: 0,
    untold: [{ destinationId: null, reason: 'not_routed' }],
  })
  t.match(await tell(id, 'Rou0000001', { kind: 'recovery' }), { deliveries: 0, untold: [{ reason: 'destination_disabled' }] })
  const held = await tell(id, 'Rou0000001', { held: 'maintenance' })
  t.equal(held.deliveries, 0)
  t.strictSame(held.untold?.map(({ reason }) => reason).sort(), ['destination_disabled', 'maintenance'])
  ok(await remove(`${destinations}/${pager.id}`, token))
  ok(await remove(`${destinations}/${off.id}`, token))
  t.match(await tell(id, 'Rou0000001'), { deliveries: 1 })
  t.strictSame(await names(3), ['fallback', 'pager', 'fallback'], 'rows that name nothing are none')
  ok(await remove(`${destinations}/${fallback.id}`, token))
  t.match(await tell(id, 'Rou0000001'), { deliveries: 0, untold: [{ destinationId: null, reason: 'no_destination' }] })
})

t.test('the delivery log: exactly the fields, newest first, with its filters, also of a deleted destination', async t => {
  const { id, token } = await workspace('log')
  await addSubject('Log0000001', id)
  const good = await addDestination(token, { name: 'good', url: receiver.url, destination_type: 'webhook' })
  await tell(id, 'Log0000001')
  const [first] = await told(token, 1)
  t.strictSame(first, {
    id: first.id,
    destination_id: good.id,
    destination_name: 'good',
    destination_type: 'webhook',
    alert_kind: 'problem',
    status: 'delivered',
    payload: receiver.hits.at(-1)?.body,
    error: '',
    at: now(),
    kind: 'notification_delivery',
  })
  const bad = await addDestination(token, { name: 'bad', url: receiver.url, destination_type: 'webhook', default: true })
  heard = { status: 404, body: 'gone away' }
  world.clock.advance(1)
  await tell(id, 'Log0000001', { kind: 'recovery' })
  const [second] = await told(token, 2)
  heard = { status: 200 }
  t.match(second, { status: 'failed', alert_kind: 'recovery', destination_id: bad.id, error: /^http_404.*gone away/ })
  ok(await post(`${destinations}/${bad.id}`, { name: 'renamed', url: 'https://elsewhere.example' }, token))
  ok(await remove(`${destinations}/${bad.id}`, token))
  const list = async (query: string) => ok(await get(`${deliveries}?${query}`, token))
  t.strictSame(await list(''), [second, first], 'as at the attempt')
  t.strictSame(await list('undelivered=true'), [second])
  t.strictSame(await list('undelivered=false&workspace_id='), [second, first])
  t.strictSame(await list(`destination_id=${bad.id}`), [second])
  t.strictSame(await list(`destination_id=${good.id}&undelivered=true`), [])
  t.strictSame(await list('limit=1'), [second])
  t.strictSame(await list('limit=1000&destination_id='), [second, first])
  for (const nobody of ['999999', 'x', '1.5', '-1']) t.strictSame(await list(`destination_id=${nobody}`), [], nobody)
  t.strictSame(ok(await get(deliveries, stranger)), [], 'a workspace sees its own')
})

t.test('a long log comes in pages and stops at 1,000 rows', async t => {
  const { id, token } = await workspace('long')
  const rows = Array.from({ length: 1_100 }, (_, i) => ({
    id: `long.${i}`,
    rev: 1,
    number: 1_000_000 + i,
    workspaceId: id,
    destinationId: 'x',
    destinationNumber: 5,
    destinationName: 'x',
    destinationType: 'slack' as const,
    alertKind: 'problem' as const,
    status: 'delivered' as const,
    payload: 'y'.repeat(2_000),
    error: '',
    event: 'problem' as const,
    reason: null,
    shownInV2: 1 as const,
    incidentId: null,
    at: i,
    expireAt: 1e15,
  }))
  await world.store.insert('deliveryLog', rows)
  const ids = async (query: string) => ok(await get(deliveries + query, token)).map((one: { id: number }) => one.id)
  const newest = rows.map(({ number }) => number).reverse()
  t.strictSame(await ids(''), newest.slice(0, 1_000))
  t.strictSame(await ids('?limit=321'), newest.slice(0, 321))
})

refuses([
  ...['0', '1001', '-1', '1.5', 'x', '1e2', '99999999999'].map(limit => ({
    title: `the limit ${limit}`,
    send: () => get(`${deliveries}?limit=${limit}`),
    code: 2001,
    message: 'Validation failed',
  })),
  ...['1', 'yes', 'TRUE'].map(undelivered => ({
    title: `undelivered=${undelivered}`,
    send: () => get(`${deliveries}?undelivered=${undelivered}`),
    code: 2001,
    message: 'Validation failed',
  })),
])

type Route = [method: string, path: string, body?: Record<string, unknown>]
const routesWithEditor: Route[] = [
  ['GET', destinations],
  ['POST', destinations, destination()],
  ['GET', `${destinations}/:destination`],
  ['POST', `${destinations}/:destination`, changes()],
  ['DELETE', `${destinations}/:destination`],
  ['POST', `${destinations}/:destination/enabled`, { enabled: true }],
  ['POST', `${destinations}/:destination/default`, {}],
  ['POST', `${destinations}/:destination/test`, {}],
  ['GET', transformations],
  ['POST', transformations, { name: 'New', template: 'x' }],
  ['POST', `${transformations}/preview`, { template: 'x' }],
  ['GET', `${transformations}/:transformation`],
  ['POST', `${transformations}/:transformation`, { name: 'New', template: 'x' }],
  ['DELETE', `${transformations}/:transformation`],
  ['GET', deliveries],
]
const send =
  ([method, path, body]: Route, query: string, token: () => string, raw?: string) =>
  () => {
    const full = path.replace(':destination', String(things.second)).replace(':transformation', String(things.transformation))
    const json = { 'content-type': 'application/json' }
    const sent = method !== 'POST' ? {} : raw === undefined ? { body } : { raw, headers: json }
    return world.call(method, full + query, { token: token(), ...sent })
  }
refuses(
  routesWithEditor.flatMap(route => {
    const title = `${route[0]} ${route[1].slice(base.length)}`
    return [
      { title: `${title} without a key`, send: send(route, '', () => ''), code: 1001 },
      {
        title: `${title} with two workspaces and none named`,
        send: send(route, '', () => both),
        code: 2004,
        message: 'Ambiguous workspace',
      },
      {
        title: `${title} with two workspaces, none named and a broken body`,
        send: send(route, '', () => both, '{broken'),
        code: 2004,
        message: 'Ambiguous workspace',
      },
      { title: `${title} by a stranger`, send: send(route, inHome, () => stranger), code: 2005, message: 'Access denied' },
      {
        title: `${title} in a workspace that does not exist`,
        send: send(route, '?workspace_id=nothing', () => owner),
        code: 2005,
      },
      { title: `${title} by a viewer`, send: send(route, '', () => viewer), code: 2005, message: 'Access denied' },
      ...(route[0] === 'POST'
        ? [
            { title: `${title} by a viewer with a broken body`, send: send(route, '', () => viewer, '{broken'), code: 2005 },
            {
              title: `${title} by a stranger with a broken body`,
              send: send(route, inHome, () => stranger, '{broken'),
              code: 2005,
            },
            {
              title: `${title} with a broken body`,
              send: send(route, inHome, () => owner, '{broken'),
              code: 2006,
              message: 'Invalid JSON',
            },
            { title: `${title} with a list`, send: send(route, '', () => owner, '[]'), code: 2006, message: 'Invalid JSON' },
          ]
        : []),
      ...(route[1].includes('/:')
        ? [
            {
              title: `${title} of nothing by a viewer`,
              send: send([route[0], route[1].replace(/:\w+/, '999999'), route[2]] as Route, '', () => viewer, '{broken'),
              code: 2002,
            },
          ]
        : []),
    ]
  }),
)
t.test('a body may name the workspace where the query does not', async t => {
  const sent = { enabled: true, workspace_id: home }
  t.match(ok(await post(`${destinations}/${things.second}/enabled`, sent, both)), { workspace_id: home })
  const elsewhere = await post(`${destinations}/${things.second}/enabled`, { ...sent, workspace_id: foreign }, both)
  t.match(elsewhere.json.error, { code: 2005 })
})

t.test('many of a workspace are refused in words', async t => {
  const { token } = await workspace('full')
  for (let i = 0; i < limits.destination.perWorkspace; i++) await addDestination(token, { name: `d${i}` })
  t.match((await post(destinations, destination({ name: 'more' }), token)).json.error, {
    code: 2004,
    message: 'Too many destinations',
  })
  for (let i = 0; i < limits.template.perWorkspace; i++) await addTransformation(token, `t${i}`, 'x'.repeat(16 * 1024))
  const more = await post(transformations, { name: 'more', template: 'x' }, token)
  t.match(more.json.error, { code: 2004, message: 'Too many transformations' })
  t.equal(ok(await get(transformations, token)).length, limits.template.perWorkspace, 'a list of more than one page')
})

t.test('no address of a destination is in a log line, a log row or a refusal', async t => {
  const rows = await world.store.find('deliveryLog', { limit: 10_000 })
  t.ok(rows.length > 10)
  t.ok(world.logged.length > 0)
  t.notMatch(JSON.stringify(rows), /T0secretT0|B1secretB1|hunter2|hooks\.example/)
  t.notMatch(world.logged.join('\n'), /T0secretT0|B1secretB1|hunter2|hooks\.example/)
})

t.test('every refusal that a route answered is one that its document names', async t => t.strictSame(undocumented, []))
