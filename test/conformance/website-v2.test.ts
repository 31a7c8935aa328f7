// Website monitoring of generation 2 as its clients see it (reference/website-monitors; reference/envelope).
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { type Refusal, refuseAll, resultOf } from '../support/clients/answers.ts'
import { watchRefusals } from '../support/clients/documented-refusals.ts'
import { type Answer, type ApiWorld, type CallOptions, startApiWorld, version } from '../support/worlds/api-world.ts'

const websites = '/api/v2/monitoring/websites'
const destinations = '/api/v2/notifications/destinations'
const home = 'home000000'
const other = 'other00000'
const foreign = 'foreign000'

let world: ApiWorld
let undocumented: string[]
let owner = ''
let editor = ''
let viewer = ''
let stranger = ''
let both = ''
let disabled = ''
let locationIds: string[] = []

t.before(async () => {
  const watched = watchRefusals(await startApiWorld())
  world = watched.front
  undocumented = watched.undocumented
  owner = (await world.addPerson('owner', { [home]: 'owner' })).token
  editor = (await world.addPerson('editor', { [home]: 'editor' })).token
  viewer = (await world.addPerson('viewer', { [home]: 'viewer' })).token
  stranger = (await world.addPerson('stranger', { [foreign]: 'owner' })).token
  both = (await world.addPerson('both', { [home]: 'owner', [other]: 'viewer' })).token
  disabled = (await world.addPerson('disabled', { [home]: 'owner' }, { disabled: true })).token
  const at = world.clock.now()
  await world.store.insert('locations', [
    { id: 'aaaa', rev: 1, name: 'de', displayName: null, createdAt: at },
    { id: 'bbbb', rev: 1, name: 'fr "west"', displayName: 'France', createdAt: at },
    { id: 'cccc', rev: 1, name: 'us', displayName: null, createdAt: at },
  ])
  locationIds = ['aaaa', 'bbbb', 'cccc']
})
t.teardown(() => world.stop())

const get = (path: string, token: string | null = owner, options: CallOptions = {}) =>
  world.call('GET', path, { token, ...options })
const post = (path: string, body: unknown, token: string | null = owner) => world.call('POST', path, { token, body })
const website = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Shop',
  interval: 60,
  workspace_id: home,
  request: { url: 'https://shop.example/health', method: 'GET' },
  response: { statuses: [200] },
  ...change,
})
const without = (path: string): Record<string, unknown> => {
  const body = structuredClone(website())
  const parts = path.split('.')
  const last = parts.pop() as string
  const holder = parts.reduce((found, part) => found[part] as Record<string, unknown>, body)
  delete holder[last]
  return body
}
const created = async (change: Record<string, unknown> = {}) => (await post(websites, website(change))).json.result

const refuses = (refusals: readonly Refusal[]) => refuseAll(() => world.dump(), refusals)

const raw = (authorization?: string) => () =>
  world.call('GET', '/api/version', { headers: authorization === undefined ? {} : { authorization } })
refuses([
  {
    title: 'no Authorization header',
    send: raw(),
    code: 1001,
    message: 'Missing Authorization header',
    details: 'Authorization header is required',
  },
  { title: 'a header that is not Bearer', send: raw('Basic abc'), code: 1002 },
  { title: 'a header without a token', send: raw('Bearer'), code: 1002 },
  { title: 'a header with more than a token', send: raw('Bearer a b'), code: 1002 },
  { title: 'a malformed token', send: raw('Bearer abc'), code: 1003, message: 'Invalid token' },
  {
    title: 'an unknown token',
    send: raw(`Bearer wk_${'x'.repeat(32)}`),
    code: 1003,
    message: 'Invalid token',
  },
  { title: 'the key of a disabled owner', send: () => get('/api/version', disabled), code: 1004 },
  { title: 'an unknown path without a key', send: () => get('/api/nothing', null), code: 1001 },
  { title: 'an undecodable path without a key', send: () => get('/api/v2/%zz', null), code: 1001 },
])

t.test('GET /version returns the version with a key', async t => {
  const answer = await get('/api/version')
  t.equal(resultOf(answer), version)
  t.match(answer.headers.get('content-type'), /^application\/json/)
  t.equal(
    (await world.call('GET', '/api/version', { headers: { authorization: `bearer ${owner}` } })).json.result,
    version,
    'any case of the scheme',
  )
})

const unknownPaths: [method: string, path: string][] = [
  ['GET', '/api'],
  ['GET', '/api/'],
  ['GET', '/api/nothing'],
  ['GET', '/api/version/'],
  ['POST', '/api/version'],
  ['PUT', `${websites}/abcdefghij`],
  ['PATCH', websites],
  ['DELETE', websites],
  ['OPTIONS', '/api/version'],
  ['GET', '/api/v2/%zz'],
  ['GET', '/api/v2/websites'],
]
refuses(
  unknownPaths.map(([method, path]) => ({
    title: `${method} ${path}, an unknown route,`,
    send: () => world.call(method, path, { token: owner, ...(method === 'POST' ? { raw: '{broken' } : {}) }),
    code: 2002,
    message: 'Not found',
  })),
)

t.test('HEAD responds like GET without a body', async t => {
  const answer = await world.call('HEAD', '/api/version', { token: owner })
  t.equal(answer.status, 200)
  t.equal(answer.text, '')
})

t.test('path outside /api, /in and the dashboard is a plain 404', async t => {
  for (const path of ['/apiary', '/nothing/%zz', '/inn/token']) {
    const answer = await get(path, null)
    t.equal(answer.status, 404, path)
    t.equal(answer.json, null, path)
  }
})

t.test('GET /v2/workspaces returns the memberships of the key owner with exactly the documented fields', async t => {
  t.strictSame(resultOf(await get('/api/v2/workspaces', both)), [
    { id: home, name: `Name of ${home}`, role: 'owner', kind: 'workspace' },
    { id: other, name: `Name of ${other}`, role: 'viewer', kind: 'workspace' },
  ])
})

t.test('GET /v2/locations returns every location with exactly the documented fields', async t => {
  await world.hub.connect().bucket('presence').put('prober.bbbb.one', {})
  t.strictSame(resultOf(await get('/api/v2/locations', stranger)), [
    { id: 'aaaa', name: 'de', active_workers_count: 0, kind: 'location' },
    { id: 'bbbb', name: 'fr "west"', active_workers_count: 1, kind: 'location' },
    { id: 'cccc', name: 'us', active_workers_count: 0, kind: 'location' },
  ])
})

t.test('monitor with every field set has exactly the documented fields in create, read and list', async t => {
  const sent = website({
    name: 'Full',
    interval: 86_400,
    kind: 'rule',
    id: 'ignored',
    extra: { nested: true },
    request: {
      url: 'http://user:pass@bücher.example:8080/a?b=c#d',
      method: 'PATCH',
      content_type: 'text/plain; charset="utf-8"',
      data: 'x',
      kind: 5,
    },
    response: { statuses: [599, 100, 100], body: { content: 'ok', kind: null }, kind: [] },
    locations: ['us', 'de', 'us'],
    agreement: 'any',
  })
  const stored = resultOf(await post(websites, sent))
  t.match(stored.id, /^[0-9A-Za-z]{10}$/)
  t.strictSame(stored, {
    id: stored.id,
    name: 'Full',
    interval: 86_400,
    workspace_id: home,
    request: {
      url: 'http://user:pass@bücher.example:8080/a?b=c#d',
      method: 'PATCH',
      content_type: 'text/plain; charset="utf-8"',
      data: 'x',
      kind: 'website_monitor_request',
    },
    response: {
      statuses: [599, 100, 100],
      body: { content: 'ok', kind: 'website_monitor_response_body' },
      kind: 'website_monitor_response',
    },
    locations: ['us', 'de'],
    agreement: 'any',
    kind: 'website_monitor',
  })
  t.strictSame(resultOf(await get(`${websites}/${stored.id}`)), stored, 'read your write')
  t.strictSame(resultOf(await get(`${websites}?workspace_id=${home}`)).at(-1), stored)
})

t.test('absent and null fields get their defaults and are always returned', async t => {
  const sparse = website({
    request: { url: 'https://a.example', method: 'HEAD', content_type: '', data: null },
    response: { statuses: [200], body: null },
    locations: null,
    agreement: null,
  })
  const stored = resultOf(await post(websites, sparse))
  t.strictSame(stored.request, {
    url: 'https://a.example',
    method: 'HEAD',
    content_type: 'application/json',
    data: '',
    kind: 'website_monitor_request',
  })
  t.strictSame(stored.response.body, { content: '', kind: 'website_monitor_response_body' })
  t.strictSame(stored.locations, [])
  t.equal(stored.agreement, 'majority')
})

const accepted: [title: string, change: Record<string, unknown>][] = [
  ['a name of one character', { name: 'x' }],
  ['a name of 100 characters beyond the basic plane', { name: '😀'.repeat(100) }],
  ['an interval of a minute', { interval: 60 }],
  ['an interval written as 120.0', { interval: 120.0 }],
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((method): [string, Record<string, unknown>] => [
    `the method ${method}`,
    { request: { url: 'https://a.example', method } },
  ]),
  ['ten statuses', { response: { statuses: [100, 101, 200, 201, 202, 203, 204, 205, 206, 599] } }],
  ['a URL of 2,048 characters', { request: { url: `https://a.example/${'a'.repeat(2_030)}`, method: 'GET' } }],
  ['a URL with an upper case scheme', { request: { url: 'HTTPS://A.EXAMPLE', method: 'GET' } }],
  ['64 KiB of data', { request: { url: 'https://a.example', method: 'POST', data: 'é'.repeat(32 * 1024) } }],
  ['4,096 characters of content', { response: { statuses: [200], body: { content: 'é'.repeat(4_096) } } }],
  ['keys that pollute prototypes', JSON.parse('{"__proto__": {"name": 5}, "constructor": {"prototype": 1}}')],
  ['agreement all', { agreement: 'all' }],
]
for (const [title, change] of accepted) {
  t.test(`${title} is accepted and returned as sent`, async t => {
    const result = resultOf(await post(websites, { ...website(), ...change }))
    for (const field of ['name', 'interval', 'agreement'] as const)
      if (Object.hasOwn(change, field)) t.equal(result[field], change[field])
    t.match(result, Object.hasOwn(change, 'request') ? { request: change['request'] as object } : {})
  })
}

t.test('last value counts when a JSON key is repeated', async t => {
  const text = JSON.stringify(website()).replace('{', '{"name":5,')
  const answer = await world.call('POST', websites, { token: owner, raw: text, headers: { 'content-type': 'application/json' } })
  t.equal(resultOf(answer).name, 'Shop')
})

t.test('equal names get numbered slugs, and a name without letter or digit gets `website`', async t => {
  const token = (await world.addPerson('slugs', { slugs00000: 'editor' })).token
  world.keeper.commands.length = 0
  for (const name of ['Zoë & Söhne', 'Zoë  Söhne', '***', '!'])
    await post(websites, website({ name, workspace_id: 'slugs00000' }), token)
  t.strictSame(
    world.keeper.commands.map(({ command }) => (command.kind === 'create-website' ? command.slug : null)),
    ['zoë-söhne', 'zoë-söhne-2', 'website', 'website-2'],
  )
})

const wrong = (title: string, change: Record<string, unknown>, details?: string, message = 'Validation failed'): Refusal => ({
  title,
  send: () => post(websites, { ...website(), ...change }),
  code: 2001,
  message,
  ...(details === undefined ? {} : { details }),
})
const request = (change: Record<string, unknown>) => ({ request: { url: 'https://a.example', method: 'GET', ...change } })
const response = (change: Record<string, unknown>) => ({ response: { statuses: [200], ...change } })
refuses([
  ...['name', 'interval', 'workspace_id', 'request.url', 'request.method', 'response.statuses'].map(path => ({
    title: `a missing ${path}`,
    send: () => post(websites, without(path)),
    code: 2001,
    message: 'Validation failed',
    details: `Field '${path}' is required`,
  })),
  wrong('name null', { name: null }, "Field 'name' is required"),
  wrong('an empty name', { name: '' }, "Field 'name' is required"),
  wrong('request null', { request: null }, "Field 'request.url' is required"),
  wrong('a missing response', { response: undefined }, "Field 'response.statuses' is required"),
  wrong('an empty workspace_id', { workspace_id: '' }, "Field 'workspace_id' is required"),
  wrong('workspace_id null', { workspace_id: null }, "Field 'workspace_id' is required"),
  wrong('a name of 101 characters', { name: 'é'.repeat(101) }),
  ...[0, -60, 59, 61, 90, 60.5, 86_401, 86_460, 1e300].map(interval => wrong(`the interval ${interval}`, { interval })),
  ...[
    'ftp://a.example',
    'a.example',
    'http:a.example',
    'http://',
    'https:///x',
    'http://a b.example',
    'https://a.example/a b',
    ' https://a.example',
    'https://a.example\n',
    'https://a.example:99999',
    'https://[::1',
    'javascript:alert(1)',
    `https://a.example/${'a'.repeat(2_031)}`,
  ].map(url => wrong(`the URL ${JSON.stringify(url.slice(0, 30))}`, request({ url }))),
  ...['get', 'TRACE', 'GET '].map(method => wrong(`the method '${method}'`, request({ method }))),
  ...['text', 'text/', '/plain', 'text/plain;', 'text/pl ain', 'text/plain\r\nX: y', `a/${'b'.repeat(254)}`].map(type =>
    wrong(`the content type ${JSON.stringify(type.slice(0, 20))}`, request({ content_type: type })),
  ),
  wrong('data over 64 KiB', request({ data: `${'é'.repeat(32 * 1024)}x` })),
  ...[[], [99], [600], [200.5], [200, -1], Array(11).fill(200)].map(statuses =>
    wrong(`the statuses ${JSON.stringify(statuses)}`, response({ statuses })),
  ),
  wrong('content over 4,096 characters', response({ body: { content: 'x'.repeat(4_097) } })),
  wrong('65 locations', { locations: Array(65).fill('de') }),
  wrong('an unknown location', { locations: ['de', 'mars'] }, 'Unknown location: mars', 'invalid locations'),
  wrong('an empty location name', { locations: [''] }, 'Unknown location: ', 'invalid locations'),
  wrong('a location id in place of its name', { locations: ['aaaa'] }, 'Unknown location: aaaa', 'invalid locations'),
  ...['', 'most', 'ANY', 'toString', '__proto__'].map(agreement =>
    wrong(`the agreement '${agreement}'`, { agreement }, undefined, 'invalid agreement'),
  ),
])

t.test('location is found by its name in any Unicode form, also with surrounding blanks', async t => {
  for (const name of ['caf\u00e9', 'pad']) {
    await world.directoryBus.request(
      'ask.directory.create-location',
      { id: `id${name.length}`, name: ` ${name} `, displayName: null },
      { timeoutMs: 1_000 },
    )
  }
  t.teardown(() => world.store.delete('locations', ['id4', 'id3']))
  const { id, locations } = await created({ locations: ['cafe\u0301', 'pad '] })
  t.strictSame(locations, ['caf\u00e9', 'pad'])
  t.strictSame((await created({ locations: ['caf\u00e9', 'cafe\u0301'] })).locations, ['caf\u00e9'], 'one location is one')
  const updated = await post(`${websites}/${id}`, website({ locations: [' pad'] }))
  t.strictSame(resultOf(updated).locations, ['pad'])
  const rule = { ...website(), regions: ['cafe\u0301 '] }
  t.strictSame(resultOf(await post('/api/v1/rules', rule)).regions, ['caf\u00e9'], 'a region too')
  await world.directoryBus.request('ask.directory.ensure-location', { name: ' pad ' }, { timeoutMs: 1_000 })
  const [raw] = await world.store.find('locations', { where: { name: ' pad ' }, limit: 1 })
  t.teardown(() => world.store.delete('locations', [raw?.id ?? '']))
  t.strictSame((await created({ locations: [' pad '] })).locations, [' pad '], 'a name that is stored just so is meant')
})

const badType = (title: string, change: Record<string, unknown>): Refusal => ({
  title,
  send: () => post(websites, { ...website(), ...change }),
  code: 2006,
  message: 'Invalid JSON',
})
refuses([
  badType('a name that is a number', { name: 5 }),
  badType('an interval that is a text', { interval: '60' }),
  badType('a workspace_id that is a number', { workspace_id: 5 }),
  badType('a request that is an array', { request: [] }),
  badType('a URL that is an object', request({ url: {} })),
  badType('data that is an object', request({ data: {} })),
  badType('statuses that are one number', response({ statuses: 200 })),
  badType('statuses that hold a text', response({ statuses: ['200'] })),
  badType('statuses that hold null', response({ statuses: [null] })),
  badType('a body that is a text', response({ body: 'ok' })),
  badType('locations that are a text', { locations: 'de' }),
  badType('locations that hold a number', { locations: [5] }),
  badType('locations that hold null', { locations: [null] }),
  badType('an agreement that is a boolean', { agreement: true }),
  badType('an unpaired surrogate', { name: '\ud800' }),
  badType('a wrong type beside a missing field', { name: undefined, agreement: 5 }),
  ...['{broken', '[]', '"text"', 'null', '5', '{"name":"a",}', '\ufeff{}'].map(text => ({
    title: `the body ${JSON.stringify(text)}`,
    send: () => world.call('POST', websites, { token: owner, raw: text, headers: { 'content-type': 'application/json' } }),
    code: 2006,
    message: 'Invalid JSON',
  })),
  {
    title: 'a body that is not UTF-8',
    send: () =>
      world.call('POST', websites, {
        token: owner,
        raw: Buffer.from(JSON.stringify(website({ name: 'caf\u00e9' })), 'latin1'),
        headers: { 'content-type': 'application/json' },
      }),
    code: 2006,
    message: 'Invalid JSON',
  },
  {
    title: 'a body over 1 MiB',
    send: () => post(websites, website({ extra: 'x'.repeat(limits.http.bodyBytes) })),
    code: 2006,
    message: 'Request too large',
  },
  {
    title: 'a body over 1 MiB of unknown length',
    send: () => chunked(websites, 2 * limits.http.bodyBytes),
    code: 2006,
    message: 'Request too large',
  },
  {
    title: 'a form',
    send: () =>
      world.call('POST', websites, {
        token: owner,
        raw: 'name=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    code: 2006,
  },
  {
    title: 'a content type that is none',
    send: () => world.call('POST', websites, { token: owner, raw: '{}', headers: { 'content-type': 'nonsense' } }),
    code: 2006,
  },
  {
    title: 'an encoded body',
    send: () => world.call('POST', websites, { token: owner, body: website(), headers: { 'content-encoding': 'gzip' } }),
    code: 2006,
  },
])

/** A body that is sent in chunks without a Content-Length. */
async function chunked(path: string, bytes: number): Promise<Answer> {
  const stream = new ReadableStream({
    start: controller => {
      for (let sent = 0; sent < bytes; sent += 65_536) controller.enqueue(new Uint8Array(65_536).fill(0x20))
      controller.close()
    },
  })
  const options = {
    method: 'POST',
    body: stream,
    duplex: 'half',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
  }
  const answer = await fetch(`${world.address}${path}`, options as RequestInit)
  const text = await answer.text()
  return { status: answer.status, json: JSON.parse(text), text, headers: answer.headers }
}

t.test('empty JSON body counts as no body', async t => {
  const answer = await world.call('POST', websites, { token: owner, raw: '', headers: { 'content-type': 'application/json' } })
  t.match(answer.json.error, { code: 2001, details: "Field 'workspace_id' is required" })
})

t.test('body without a content type is read as JSON', async () => {
  const bytes = new TextEncoder().encode(JSON.stringify(website()))
  resultOf(await world.call('POST', websites, { token: owner, raw: bytes }))
})

t.test('update replaces every field, but keeps the stored agreement when the request has none', async t => {
  const before = await created({
    locations: ['de', 'us'],
    agreement: 'all',
    response: { statuses: [204], body: { content: 'x' } },
  })
  const sent = {
    name: 'New name',
    interval: 120,
    request: { url: 'https://b.example', method: 'GET' },
    response: { statuses: [201] },
  }
  const stored = resultOf(await post(`${websites}/${before.id}`, { ...sent, workspace_id: foreign, id: 'ignored', kind: 7 }))
  t.strictSame(stored, {
    ...before,
    name: 'New name',
    interval: 120,
    request: { ...before.request, url: 'https://b.example' },
    response: { ...before.response, statuses: [201], body: { content: '', kind: 'website_monitor_response_body' } },
    locations: [],
    agreement: 'all',
  })
  t.strictSame(resultOf(await get(`${websites}/${before.id}`)), stored)
  t.equal(resultOf(await post(`${websites}/${before.id}`, { ...sent, agreement: 'any' })).agreement, 'any')
  t.equal(
    resultOf(await post(`${websites}/${before.id}`, { ...sent, workspace_id: 5 })).workspace_id,
    home,
    'workspace_id is ignored, whatever it is',
  )
})

t.test('update with an unchanged copy of the monitor changes nothing', async t => {
  const before = await created({ locations: ['us', 'fr "west"'], agreement: 'any' })
  t.strictSame(resultOf(await post(`${websites}/${before.id}`, before)), before)
})

t.test('deletion returns message and monitor_id, and the monitor is gone', async t => {
  const { id } = await created({ name: 'Gone' })
  const answer = await world.call('DELETE', `${websites}/${id}`, { token: editor })
  t.strictSame(resultOf(answer), { message: 'Website monitor deleted successfully', monitor_id: id })
  for (const [method, body] of [['GET'], ['POST', website()], ['DELETE']] as const) {
    t.equal((await world.call(method, `${websites}/${id}`, { token: owner, body })).json.error.code, 2002, method)
  }
  const listed = resultOf(await get(`${websites}?workspace_id=${home}`)) as { id: string }[]
  t.notOk(listed.some(monitor => monitor.id === id))
})

t.test('viewer reads and editor writes', async () => {
  const { id } = resultOf(await post(websites, website(), editor))
  resultOf(await get(`${websites}/${id}`, viewer))
  resultOf(await get(`${websites}?workspace_id=${home}`, viewer))
  resultOf(await get(`/api/v2/incidents?workspace_id=${home}`, viewer))
  resultOf(await post(`${websites}/${id}`, website(), editor))
})

t.test('viewer reads neither credentials of the address nor the request body, and editor reads both', async t => {
  const url = 'https://me:hidden@shop.example/health?shop=1&api_key=abc#top'
  const request = { url, method: 'POST', data: '{"password":"abc"}' }
  const stored = resultOf(await post(websites, website({ request }), editor))
  t.match(stored.request, request)
  const shown = {
    ...stored,
    request: { ...stored.request, url: 'https://shop.example/health?shop=1&api_key=redacted#top', data: '' },
  }
  const list = `${websites}?workspace_id=${home}`
  const listed = async (token: string) =>
    resultOf(await get(list, token)).find((monitor: { id: string }) => monitor.id === stored.id)
  t.strictSame(resultOf(await get(`${websites}/${stored.id}`, viewer)), shown)
  t.strictSame(await listed(viewer), shown)
  for (const token of [editor, owner]) {
    t.strictSame(resultOf(await get(`${websites}/${stored.id}`, token)), stored)
    t.strictSame(await listed(token), stored)
  }
  const there = (await world.addPerson('there', { there00000: 'owner' })).token
  const mixed = (await world.addPerson('mixed', { [home]: 'owner', there00000: 'viewer' })).token
  const { id } = resultOf(await post(websites, website({ workspace_id: 'there00000', request }), there))
  t.match(resultOf(await get(`${websites}/${id}`, mixed)).request, shown.request, 'the role in its own workspace counts')
})

t.test('list returns the monitors of the workspace by creation, or []', async t => {
  t.strictSame(resultOf(await get(`${websites}?workspace_id=${other}`, both)), [])
  const token = (await world.addPerson('many', { many000000: 'owner' })).token
  for (const name of ['c', 'a', 'b']) {
    world.clock.advance(1)
    await post(websites, website({ name, workspace_id: 'many000000' }), token)
  }
  const listed = resultOf(await get(`${websites}?workspace_id=many000000`, token)) as { name: string }[]
  t.strictSame(
    listed.map(monitor => monitor.name),
    ['c', 'a', 'b'],
  )
})

t.test('only open incidents of present websites are listed, newest first, with exactly the documented fields', async t => {
  const workspaceId = 'incident00'
  const token = (await world.addPerson('incidents', { [workspaceId]: 'viewer' })).token
  t.strictSame(resultOf(await get(`/api/v2/incidents?workspace_id=${workspaceId}`, token)), [])
  await world.addSubject({ id: 'website001', workspaceId, name: 'One' })
  await world.addSubject({ id: 'website002', workspaceId, name: 'Two' })
  await world.addSubject({ id: 'custom0001', workspaceId, kind: 'custom', template: null })
  await world.addSubject({ id: 'deleted001', workspaceId, deletedAt: 1 })
  const at = Date.UTC(2026, 0, 1)
  const inputs = (['problem', 'unknown', 'ok'] as const).map((value, i) => ({
    input: locationIds[i] as string,
    value,
    at,
    reason: null,
  }))
  const incident = (subjectId: string, number: number, change: object) => ({
    id: `${subjectId}.${number}`,
    rev: 1,
    subjectId,
    workspaceId,
    ruleKey: 'availability',
    rule: { key: 'availability', name: 'Availability' },
    number,
    open: 1 as const,
    status: 'pending' as const,
    condition: 'problem' as const,
    troubleSince: at,
    confirmedAt: null,
    wellSince: null,
    closedAt: null,
    closedReason: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    effectiveAt: at,
    explanation: '',
    evidence: { inputs, omitted: 0, truncated: false },
    deadlineAt: null,
    ...change,
  })
  const documents = [
    incident('website001', 1, { open: 0, closedAt: at }),
    incident('website001', 2, {}),
    incident('website002', 1, {
      troubleSince: at + 1_500,
      status: 'recovering',
      confirmedAt: at + 120_000,
      wellSince: at + 180_001,
    }),
    incident('custom0001', 1, { troubleSince: at + 9_000 }),
    incident('deleted001', 1, { troubleSince: at + 9_000 }),
  ]
  await world.store.upsert('incidents', documents as never)
  const listed = resultOf(await get(`/api/v2/incidents?workspace_id=${workspaceId}`, token))
  const locations = { failing: ['de'], unknown: ['fr "west"'], ok: ['us'] }
  t.strictSame(listed, [
    {
      id: listed[0].id,
      monitor_id: 'website002',
      monitor_name: 'Two',
      status: 'recovering',
      trouble_since: '2026-01-01T00:00:01.500Z',
      confirmed_at: '2026-01-01T00:02:00.000Z',
      well_since: '2026-01-01T00:03:00.001Z',
      locations,
      kind: 'incident',
    },
    {
      id: listed[1].id,
      monitor_id: 'website001',
      monitor_name: 'One',
      status: 'pending',
      trouble_since: '2026-01-01T00:00:00.000Z',
      confirmed_at: null,
      well_since: null,
      locations,
      kind: 'incident',
    },
  ])
  for (const { id } of listed) t.match(id, /^[A-Za-z][0-9A-Za-z]+$/, 'an opaque id, not a number, not the inner one')
  const filtered = (id: string) => get(`/api/v2/incidents?workspace_id=${workspaceId}&monitor_id=${id}`, token).then(resultOf)
  t.strictSame(await filtered('website001'), [listed[1]])
  for (const id of ['nothing000', 'a%2Fb', '%00', 'x'.repeat(5_000)]) t.strictSame(await filtered(id), [], id.slice(0, 20))
})

refuses([
  ...[websites, '/api/v2/incidents'].flatMap(path => [
    {
      title: `${path} without workspace_id`,
      send: () => get(path),
      code: 2004,
      message: 'Missing workspace ID',
      details: 'workspace_id query parameter is required',
    },
    {
      title: `${path} with an empty workspace_id`,
      send: () => get(`${path}?workspace_id=`),
      code: 2004,
      message: 'Missing workspace ID',
    },
    ...[foreign, 'nothing000', 'a%00b', 'x'.repeat(3_000)].map(id => ({
      title: `${path} of the workspace ${id.slice(0, 12)}, not the caller's,`,
      send: () => get(`${path}?workspace_id=${id}`),
      code: 2005,
      message: 'Access denied',
      details: 'User does not have access to this workspace',
    })),
  ]),
  ...['nothing000', 'a%2Fb', '..%2f..%2f', '%00', 'x'.repeat(5_000), '%F0%9F%98%80'].flatMap(id =>
    (['GET', 'POST', 'DELETE'] as const).map(method => ({
      title: `${method} of the unknown monitor ${id.slice(0, 20)}`,
      send: () => world.call(method, `${websites}/${id}`, { token: owner, ...(method === 'POST' ? { body: website() } : {}) }),
      code: 2002,
      message: 'Website monitor not found',
    })),
  ),
])

t.test('monitor of an unreachable workspace gets the same response as an unknown monitor', async t => {
  const { id } = await created()
  for (const method of ['GET', 'POST', 'DELETE']) {
    const options = method === 'POST' ? { body: website() } : {}
    const unreachable = await world.call(method, `${websites}/${id}`, { token: stranger, ...options })
    const unknown = await world.call(method, `${websites}/nothing000`, { token: stranger, ...options })
    t.strictSame(unreachable.json, unknown.json, method)
  }
})

t.test('refusal names the required role only to members', async t => {
  const { id } = await created()
  const denied = { code: 2005, error_type: 'internal_error', message: 'Access denied' }
  const path = `${websites}/${id}`
  for (const [title, answer] of [
    ['no member creates', await post(websites, website(), stranger)],
    ['a viewer creates', await post(websites, website(), viewer)],
    ['a viewer updates', await post(path, website(), viewer)],
    ['a viewer deletes', await world.call('DELETE', path, { token: viewer })],
    ['a viewer reads destinations', await get(`${destinations}?workspace_id=${home}`, viewer)],
  ] as const) {
    const isMember = title.startsWith('a viewer')
    const details = isMember ? 'Needs the role editor; yours is viewer.' : 'User does not have access to this workspace'
    t.strictSame(answer.json.error, { ...denied, details }, title)
  }
})

t.test('request on a subject that became custom is refused with the routes that now serve it', async t => {
  await world.addSubject({ id: 'custom0002', workspaceId: home, kind: 'custom', template: null, slug: 'zoë/x' })
  for (const method of ['GET', 'POST', 'DELETE']) {
    const answer = await world.call(method, `${websites}/custom0002`, {
      token: owner,
      ...(method === 'POST' ? { body: website() } : {}),
    })
    t.match(
      answer.json.error,
      { code: 2004, error_type: 'internal_error', message: 'Custom subjects are managed elsewhere' },
      method,
    )
    t.match(answer.json.error.details, '/v2/subjects/zo%C3%AB%2Fx', method)
  }
  const listed = resultOf(await get(`${websites}?workspace_id=${home}`)) as { id: string }[]
  t.notOk(listed.some(monitor => monitor.id === 'custom0002'))
  await world.addSubject({ id: 'resource01', workspaceId: home, kind: 'custom', template: 'queue-depth@3' })
  t.equal((await get(`${websites}/resource01`)).json.error.code, 2002, 'a resource of another template is not there at all')
  t.equal((await get(`${websites}/custom0002`, stranger)).json.error.code, 2002, 'who cannot reach it learns nothing')
})

/** Each request would fail the named check and every later check. The refusal must be the refusal of the named check. */
t.test('request is checked in the order key, route, workspace, object, role, JSON, fields', async t => {
  const { id } = await created()
  await world.addSubject({ id: 'custom0003', workspaceId: home, kind: 'custom', template: null })
  const headers = { 'content-type': 'application/json' }
  const send = (method: string, path: string, token: string | null, text: string) =>
    world.call(method, path, { token, raw: text, headers })
  const nowhere = JSON.stringify({ workspace_id: foreign, name: 5 })
  const cases: [title: string, answer: Promise<Answer>, code: number][] = [
    ['key before route', send('POST', '/api/nothing', null, '{broken'), 1001],
    ['key before object and JSON', send('POST', `${websites}/nothing000`, null, '{broken'), 1001],
    ['route before JSON', send('POST', '/api/nothing', owner, '{broken'), 2002],
    ['route before size', send('POST', '/api/nothing', owner, ' '.repeat(limits.http.bodyBytes + 1)), 2002],
    ['workspace before JSON types and fields', send('POST', websites, owner, nowhere), 2005],
    ['workspace before the filter', get(`/api/v2/incidents?workspace_id=${foreign}&monitor_id=x`), 2005],
    ['object before role', send('POST', `${websites}/nothing000`, viewer, '{broken'), 2002],
    ['object (custom) before role', send('POST', `${websites}/custom0003`, viewer, '{broken'), 2004],
    ['role before JSON on update', send('POST', `${websites}/${id}`, viewer, '{broken'), 2005],
    ['role before size on update', send('POST', `${websites}/${id}`, viewer, ' '.repeat(limits.http.bodyBytes + 1)), 2005],
    ['role before JSON types on create', send('POST', websites, viewer, JSON.stringify({ workspace_id: home, name: 5 })), 2005],
    ['role before fields on create', send('POST', websites, viewer, JSON.stringify({ workspace_id: home })), 2005],
    ['role on delete', send('DELETE', `${websites}/${id}`, viewer, '{broken'), 2005],
    ['JSON before fields on update', send('POST', `${websites}/${id}`, owner, '{broken'), 2006],
    ['JSON types before fields on update', send('POST', `${websites}/${id}`, owner, '{"agreement": 5}'), 2006],
    ['workspace before JSON on destinations', send('POST', `${destinations}?workspace_id=${foreign}`, owner, '{broken'), 2005],
    ['role before JSON on destinations', send('POST', `${destinations}?workspace_id=${home}`, viewer, '{broken'), 2005],
    ['JSON before fields on destinations', send('POST', `${destinations}?workspace_id=${home}`, owner, '{"channel": 5}'), 2006],
  ]
  for (const [title, answer, code] of cases) t.equal((await answer).json.error?.code, code, title)
})

const malformedTypes = ['foo', '', 'application//json', 'a/b/c', 'application/json,text/plain', '/', ';charset=utf-8']

t.test('malformed Content-Type is refused when the JSON is checked, after the rights', async t => {
  const { id } = await created()
  for (const type of malformedTypes) {
    const send = (method: string, path: string, token: string | null, raw?: string) =>
      world.call(method, path, { token, headers: { 'content-type': type }, ...(raw === undefined ? {} : { raw }) })
    const text = JSON.stringify(website())
    const cases: [title: string, answer: Promise<Answer>, code: number][] = [
      ['the key', send('POST', '/api/nothing', null, text), 1001],
      ['the route', send('POST', '/api/nothing', owner, text), 2002],
      ['the route without a body', send('DELETE', '/api/nothing', owner), 2002],
      ['the object', send('POST', `${websites}/nothing000`, viewer, text), 2002],
      ['the role', send('POST', `${websites}/${id}`, viewer, text), 2005],
      ['the role without a body', send('DELETE', `${websites}/${id}`, viewer), 2005],
      ['the workspace', send('POST', `${destinations}?workspace_id=${foreign}`, owner, text), 2005],
    ]
    for (const [title, answer, code] of cases)
      t.equal((await answer).json.error?.code, code, `${title} before the type '${type}'`)
    t.equal((await send('POST', `${websites}/${id}`, editor)).json.error.code, 2001, `'${type}' of no body is never looked at`)
    if (type !== '') {
      const refused = { code: 2006, message: 'Unsupported content type' }
      t.match((await send('POST', `${websites}/${id}`, editor, text)).json.error, refused, `the type '${type}'`)
    }
    const { id: removed } = await created()
    resultOf(await send('DELETE', `${websites}/${removed}`, editor))
  }
})

t.test('empty Content-Type counts as absent', async t => {
  const headers = { 'content-type': '' }
  resultOf(await world.call('POST', websites, { token: editor, raw: JSON.stringify(website()), headers }))
  t.match((await world.call('POST', websites, { token: editor, raw: '{broken', headers })).json.error, {
    code: 2006,
    message: 'Invalid JSON',
  })
})

t.test('method without a route is `Not found`, with or without a body or content type', async t => {
  for (const method of ['QUERY', 'PUT', 'PATCH', 'OPTIONS', 'DELETE']) {
    for (const options of [{}, { raw: '{}' }, { raw: '{}', headers: { 'content-type': 'foo' } }]) {
      const { json } = await world.call(method, websites, { token: owner, ...options })
      t.match(json.error, { code: 2002, message: 'Not found' }, `${method} ${JSON.stringify(options)}`)
      t.equal((await world.call(method, websites, options)).json.error.code, 1001, 'the key comes first')
    }
  }
})

const inAlerts = `${destinations}?workspace_id=alerts0000`
const destination = (change: Record<string, unknown> = {}) => ({
  name: 'Ops',
  url: 'https://hooks.example/x',
  destination_type: 'slack',
  ...change,
})

t.test('destinations have exactly the documented fields, are listed by name, and the first becomes default', async t => {
  const token = (await world.addPerson('alerts', { alerts0000: 'editor' })).token
  t.strictSame(resultOf(await get(inAlerts, token)), [])
  const first = resultOf(await post(inAlerts, destination({ channel: '#ops' }), token))
  const at = new Date(world.clock.now()).toISOString()
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
    workspace_id: 'alerts0000',
    created_at: at,
    updated_at: at,
    kind: 'notification_destination',
  })
  const unset = { channel: '', default: false, transformation_id: null }
  const second = resultOf(await post(inAlerts, destination({ name: 'after', destination_type: 'webhook', ...unset }), token))
  t.match(second, { default: false, channel: '', destination_type: 'webhook' })
  t.not(second.id, first.id)
  world.clock.advance(5)
  const third = resultOf(await post(destinations, destination({ name: 'Zed', default: true }), token))
  t.equal(third.default, true)
  t.strictSame(
    resultOf(await get(destinations, token)),
    [second, { ...first, default: false }, third],
    'the mark has moved; the only workspace needs no name',
  )
  const inBody = resultOf(await post(destinations, destination({ name: 'Body', workspace_id: 'alerts0000' }), token))
  t.equal(inBody.workspace_id, 'alerts0000')
})

const wrongDestination = (title: string, change: Record<string, unknown>, message: string, code = 2001): Refusal => ({
  title: `a destination with ${title}`,
  send: () => post(`${destinations}?workspace_id=${home}`, destination(change)),
  code,
  message,
})
t.test('fixture creates a destination, whose name is taken afterwards', async () =>
  resultOf(await post(`${destinations}?workspace_id=${home}`, destination({ name: 'Taken' }))),
)
refuses([
  wrongDestination('no name', { name: undefined }, 'Validation failed'),
  wrongDestination('an empty name', { name: '' }, 'Invalid name'),
  wrongDestination('a blank name', { name: '  ' }, 'Invalid name'),
  wrongDestination('a name of 101 characters', { name: 'x'.repeat(101) }, 'Invalid name'),
  wrongDestination('no url', { url: null }, 'Validation failed'),
  wrongDestination('an empty url', { url: '' }, 'Invalid url'),
  wrongDestination('an ftp url', { url: 'ftp://a.example' }, 'Invalid url'),
  wrongDestination('a long url', { url: `https://a.example/${'x'.repeat(2_048)}` }, 'Invalid url'),
  wrongDestination('no type', { destination_type: undefined }, 'Validation failed'),
  wrongDestination('another type', { destination_type: 'email' }, 'Invalid destination type'),
  wrongDestination('an empty type', { destination_type: '' }, 'Invalid destination type'),
  wrongDestination('an unknown transformation', { transformation_id: 1 }, 'Transformation not found', 2002),
  wrongDestination('a broken transformation number', { transformation_id: 1.5 }, 'Transformation not found', 2002),
  wrongDestination('a text as transformation', { transformation_id: '1' }, 'Invalid JSON', 2006),
  wrongDestination('a text as default', { default: 'true' }, 'Invalid JSON', 2006),
  wrongDestination('an unknown field', { enabled: true }, 'Invalid JSON', 2006),
  wrongDestination('a kind', { kind: 'notification_destination' }, 'Invalid JSON', 2006),
  wrongDestination('a field that pollutes prototypes', JSON.parse('{"__proto__": {"name": 5}}'), 'Invalid JSON', 2006),
  ...['GET', 'POST'].flatMap(method => {
    const send = (path: string, token: () => string) => () =>
      world.call(method, path, { token: token(), ...(method === 'POST' ? { body: destination() } : {}) })
    return [
      {
        title: `${method} destinations with two workspaces and none named`,
        send: send(destinations, () => both),
        code: 2004,
        message: 'Ambiguous workspace',
      },
      {
        title: `${method} destinations of a foreign workspace`,
        send: send(`${destinations}?workspace_id=${foreign}`, () => owner),
        code: 2005,
      },
      {
        title: `${method} destinations by a viewer`,
        send: send(destinations, () => viewer),
        code: 2005,
        message: 'Access denied',
      },
    ]
  }),
])

t.test('name that another destination has, in upper or lower case, is refused and not stored', async t => {
  const before = (await world.store.find('destinations', { limit: 1_000 })).length
  const answer = await post(`${destinations}?workspace_id=${home}`, destination({ name: 'tAKEN ' }))
  t.match(answer.json.error, { code: 2001, message: 'Destination name taken' })
  t.equal((await world.store.find('destinations', { limit: 1_000 })).length, before)
})

t.test('OpenAPI document of a route lists every refusal that the requests of this file received', async t =>
  t.strictSame(undocumented, []),
)
