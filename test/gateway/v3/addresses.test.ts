// Observation addresses over HTTP: people create and delete them, and systems report to them. Reference: docs/reference/v3.md, section 8.
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Role } from '#shared/contracts/account.ts'
import type { AuditView } from '#shared/contracts/ask/ask-audit.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { makeAddressToken } from '#shared/tokens/address-token.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { bodyIsRead } from '../../support/clients/body-is-read.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  fields: [
    { key: 'load_max', type: 'number', default: 4 },
    { key: 'team', type: 'string' },
  ],
  signals: [
    { key: 'probe', kind: 'heartbeat', every_seconds: 60 },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}

async function start(t: Test) {
  const world = await startApiWorld()
  t.teardown(() => world.stop())
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const owner = (await world.addPerson('olga', { w1: 'owner', w2: 'owner' })).token
  const call = (method: string, path: string, options: CallOptions = {}) =>
    world.call(method, `/api/v3/workspaces/w1${path}`, { token: owner, ...options })
  for (const manifest of [host, { ...host, version: 2 }, { ...host, key: 'other' }]) {
    t.equal((await call('POST', '/templates', { body: manifest })).status, 201)
  }
  const make = async (body: object = {}): Promise<{ id: string; token: string; url: string }> =>
    (await call('POST', '/addresses', { body })).json.result
  const send = (token: string, body: unknown, options: CallOptions = {}) =>
    world.call('POST', `/in/${token}`, { ...(typeof body === 'string' ? { raw: body } : { body }), ...options })
  const resource = async (key: string, template = 'host') =>
    (await call('POST', '/resources', { body: { template, key, name: key } })).json.result.id as string
  return { ...world, ask, owner, call, make, send, resource }
}

type World = Awaited<ReturnType<typeof start>>

/** Audit rows of `w1`, newest first, as soon as `count` rows are written. */
async function audited({ clock, ask }: World, count: number): Promise<AuditView[]> {
  const all = { workspaceId: 'w1', personId: null, path: null, since: null, until: null, limit: 200, after: null }
  for (let tries = 0; tries < 1_000; tries++) {
    clock.advance(limits.audit.flushMs)
    const { items } = await ask('list-audit', all)
    if (items.length >= count) return items
    await new Promise(setImmediate)
  }
  throw new Error(`There are no ${count} rows`)
}

/** The documents that a refused report must leave unchanged. */
async function storedOf({ store }: Pick<ApiWorld, 'store'>): Promise<string> {
  const names = ['subjects', 'names', 'pushedObservations', 'observationIds', 'series', 'addresses'] as const
  return JSON.stringify(await Promise.all(names.map(name => store.find(name, { limit: 1_000 }))))
}

const first = (more: object = {}) => ({ resource: 'srv-1', signal: 'probe', state: 'ok', template_id: 'host', ...more })

t.test('address shows its token once, and is listed and deleted without the token (v3 8.2)', async t => {
  const world = await start(t)
  const { call } = world
  const made = await call('POST', '/addresses', { body: { template: 'host', second_factor: true, description: ' Jobs ' } })
  t.equal(made.status, 201)
  const { id, url, token, ...shown } = made.json.result
  t.match(shown, { template: 'host', second_factor: true, description: 'Jobs' })
  t.strictSame(Object.keys(shown), ['template', 'second_factor', 'description', 'created_at'])
  t.equal(new Date(shown.created_at).getTime(), world.clock.now())
  world.clock.advance(1)
  t.match(token, /^[0-9A-Za-z_-]{43}$/)
  t.equal(url, `${world.address}/in/${token}`)
  const plain = await world.make()
  const listed = await call('GET', '/addresses')
  t.match(listed.json.result, [
    { id, template: 'host' },
    { id: plain.id, template: null, second_factor: false, description: '' },
  ])
  t.notMatch(listed.text, token)
  t.notMatch(listed.text, hashToken(token))
  t.strictSame((await call('DELETE', `/addresses/${id}`)).json.result, { id, deleted: true })
  t.equal((await call('DELETE', `/addresses/${id}`)).status, 404)
  t.match((await call('GET', '/addresses')).json.result, { length: 1 })
})

t.test('address that is refused at its creation is not stored (v3 8.2)', async t => {
  const world = await start(t)
  const cases: [body: object, status: number, field: string | undefined][] = [
    [{ template: 'nothing' }, 422, 'template'],
    [{ template: 'host@1' }, 422, 'template'],
    [{ template: 'website-check' }, 422, 'template'],
    [{ template: '' }, 422, 'template'],
    [{ template: 7 }, 400, 'template'],
    [{ second_factor: 'yes' }, 400, 'second_factor'],
    [{ description: 'x'.repeat(201) }, 422, 'description'],
    [{ description: 'a\nb' }, 422, 'description'],
    [{ name: 'x' }, 400, 'name'],
  ]
  for (const [body, status, field] of cases) {
    const { json } = await world.call('POST', '/addresses', { body })
    t.match(json, { result: null, error: { code: 1000 + status, details: { field } } }, JSON.stringify(body))
  }
  t.equal(await world.store.count('addresses', {}), 0)
  for (let i = 0; i < 100; i++) await world.make({ description: 'x'.repeat(200) })
  const more = await world.call('POST', '/addresses', { body: {} })
  t.match(more.json.error, { code: 1422, details: { field: 'description' } })
  t.equal(await world.store.count('addresses', {}), 100)
})

t.test('first report creates a Resource, and later reports find it by key or id (v3 8.4)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  const made = await world.send(token, first({ meta: { team: 'core' }, id: 'run-1', value: 3 }))
  t.equal(made.status, 202)
  const { resource } = made.json.result
  t.strictSame(made.json, {
    result: { resource, signal: 's1', observation: 'run-1', created_signal: false },
    error: null,
    meta: null,
  })
  const detail = {
    id: resource,
    key: 'srv-1',
    name: 'srv-1',
    template: 'host@2',
    meta: { load_max: 4, team: 'core' },
    labels: {},
  }
  t.match((await world.call('GET', '/resources/srv-1')).json.result, detail)
  for (const reference of ['srv-1', resource]) {
    const { status, json } = await world.send(token, { resource: reference, signal: 'load', state: 'ok', value: 1 })
    t.equal(status, 202)
    t.match(json.result, { resource, signal: 's2' })
  }
  const ignored = await world.send(token, first({ template_id: 'nothing', meta: { colour: 'red' } }))
  t.match(ignored, { status: 202, json: { result: { resource } } }, 'template_id and meta are ignored once it exists')
  const pinned = await world.send(token, first({ resource: 'srv-2', template_id: 'host@1' }))
  t.match((await world.call('GET', '/resources/srv-2')).json.result, { id: pinned.json.result.resource, template: 'host@1' })
  const declared = await world.send(token, first({ resource: 'srv-3', signal: 'disk', kind: 'event' }))
  t.match(declared, { status: 202, json: { result: { created_signal: true } } })
  t.equal(await world.store.count('subjects', {}), 3)
  const rows = await world.store.find('pushedObservations', { limit: 10 })
  t.strictSame(new Set(rows.map(({ source }) => source)), new Set(['address']))
})

t.test('key of up to 128 characters creates a Resource whose name is the first 100 characters (v3 8.4)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  const key = 'k'.repeat(128)
  t.equal((await world.send(token, first({ resource: key }))).status, 202)
  t.match((await world.call('GET', `/resources/${key}`)).json.result, { key, name: 'k'.repeat(100) })
})

t.test('any content type is read as JSON (v3 1.2)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', '']) {
    const body = JSON.stringify(first())
    t.equal((await world.send(token, body, { headers: { 'content-type': type } })).status, 202, type)
  }
})

t.test('refused report stores nothing (v3 8.4)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  const bound = (await world.make({ template: 'host' })).token
  await world.resource('there')
  await world.resource('other-there', 'other')
  const gone = await world.resource('archived')
  const [archived] = await world.store.get('subjects', [gone])
  await world.store.upsert('subjects', [{ ...(archived as NonNullable<typeof archived>), archivedAt: world.clock.now() }])
  await world.addSubject({ id: 'websiteone', workspaceId: 'w1' })
  const sentence = 'Resource archived is archived and accepts no Observations.'
  const later = new Date(world.clock.now() + 61_000).toISOString()
  const cases: [title: string, body: unknown, status: number, field: string | undefined, token?: string, message?: string][] = [
    ['no JSON', '{"resource":', 400, undefined],
    ['no object', '[]', 400, undefined],
    ['an empty body', '', 422, 'resource'],
    ['no resource', { signal: 'probe', state: 'ok' }, 422, 'resource'],
    ['an empty resource', first({ resource: '' }), 422, 'resource'],
    ['a resource of 129 characters', first({ resource: 'k'.repeat(129) }), 422, 'resource'],
    ['a resource that is no text', first({ resource: 7 }), 400, 'resource'],
    ['an unknown member', first({ name: 'x' }), 400, 'name'],
    ['no signal', { resource: 'there', state: 'ok' }, 422, 'signal'],
    ['no state', { resource: 'there', signal: 'probe' }, 422, 'state'],
    ['another state', first({ state: 'bad' }), 422, 'state'],
    ['an unknown resource without template_id', { resource: 'srv-1', signal: 'probe', state: 'ok' }, 422, 'resource'],
    ['a resource that is no key', first({ resource: 'a b' }), 422, 'resource'],
    ['a template_id that is no text', first({ template_id: 7 }), 400, 'template_id'],
    ['an empty template_id', first({ template_id: '' }), 422, 'template_id'],
    ['an unknown Template', first({ template_id: 'nothing' }), 422, 'template_id'],
    ['an unknown revision', first({ template_id: 'host@3' }), 422, 'template_id'],
    ['a revision written otherwise', first({ template_id: 'host@01' }), 422, 'template_id'],
    ['a system Template', first({ template_id: 'website-check' }), 422, 'template_id'],
    ['a revision of a system Template', first({ template_id: 'website-check@1' }), 422, 'template_id'],
    ['another Template than the bound one', first({ template_id: 'other' }), 422, 'template_id', bound],
    ['a Resource of another Template than the bound one', first({ resource: 'other-there' }), 422, 'resource', bound],
    ['a website monitor at a bound address', first({ resource: 'websiteone' }), 422, 'resource', bound],
    ['the signal of a website monitor', first({ resource: 'websiteone', signal: 'reachability@aaaa' }), 422, 'signal'],
    ['an archived Resource', first({ resource: 'archived' }), 422, 'resource', token, sentence],
    ['meta that is no object', first({ meta: [] }), 400, 'meta'],
    ['an unknown answer', first({ meta: { colour: 'red' } }), 422, 'colour'],
    ['an answer of another type', first({ meta: { load_max: 'high' } }), 422, 'load_max'],
    ['an unknown signal', first({ signal: 'speed' }), 422, 'signal'],
    ['another kind of signal', first({ kind: 'event' }), 422, 'kind'],
    ['an instant without a zone', first({ at: '2026-01-01T00:00:00' }), 422, 'at'],
    ['an instant too far ahead', first({ at: later }), 422, 'at'],
    ['a label that is reserved', first({ labels: { location: 'x' } }), 422, 'labels'],
    ['a body beyond 16 KiB', first({ body: { text: 'x'.repeat(16_384) } }), 422, 'body'],
    ['a request beyond 256 KiB', `${JSON.stringify(first())}${' '.repeat(256 * 1024)}`, 413, undefined],
  ]
  const before = await storedOf(world)
  for (const [title, body, status, field, at = token, message] of cases) {
    const { json, ...answer } = await world.send(at, body)
    t.equal(answer.status, status, title)
    t.match(json, { result: null, meta: null, error: { code: 1000 + status } }, title)
    t.equal(json.error.details.field, field, title)
    if (message !== undefined) t.equal(json.error.message, message)
    t.equal(await storedOf(world), before, `${title}: nothing is stored`)
  }
  t.match((await world.send(`${token}?id=x`, first())).json.error, { code: 1422, details: { field: 'id' } })
  const encoded = await world.send(token, first(), { headers: { 'content-encoding': 'gzip' } })
  t.equal(encoded.status, 400)
  t.equal(await storedOf(world), before)
  t.equal((await world.send(bound, first({ template_id: 'host@1' }))).status, 202)
  t.equal((await world.send(bound, first({ resource: 'there' }))).status, 202)
  t.equal((await world.send(token, `${JSON.stringify(first())}`.padEnd(256 * 1024))).status, 202, 'a request of 256 KiB')
})

t.test('report that would create Resource number 1,001 of a day gets 429 and stores nothing (v3 8.4)', async t => {
  const world = await start(t)
  const { id, token } = await world.make()
  world.clock.advance(day - (world.clock.now() % day) + 1_000)
  const [address] = await world.store.get('addresses', [id])
  const today = Math.floor(world.clock.now() / day)
  await world.store.upsert('addresses', [{ ...(address as NonNullable<typeof address>), made: { day: today, count: 999 } }])
  t.equal((await world.send(token, first())).status, 202)
  const before = await storedOf(world)
  const refused = await world.send(token, first({ resource: 'srv-2' }))
  t.match(refused, { status: 429, json: { error: { code: 1429, error_type: 'rate_limited', details: {} } } })
  t.equal(refused.headers.get('retry-after'), String(day / 1_000 - 1))
  t.equal(await storedOf(world), before)
  t.equal((await world.send(token, first())).status, 202, 'a Resource that exists is reported on')
})

t.test('workspace with 100,000 Resources accepts no further Resource by report or API (v3 8.4)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  const count = world.store.count.bind(world.store)
  let present = 99_999
  world.store.count = async (collection, where) => (collection === 'subjects' ? present : count(collection, where))
  t.equal((await world.send(token, first())).status, 202)
  present = 100_000
  const before = await storedOf(world)
  t.match((await world.send(token, first({ resource: 'srv-2' }))).json.error, { code: 1422, details: { field: 'key' } })
  for (const body of [
    { template: 'host', key: 'srv-2', name: 'x' },
    { template: 'host', name: 'x' },
  ]) {
    t.match((await world.call('POST', '/resources', { body })).json.error, { code: 1422, details: { field: 'key' } })
  }
  t.equal(await storedOf(world), before)
})

t.test('request that is no POST to a known address gets 404 in the envelope, and no audit row (v3 8.1)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  const rows: [method: string, path: string][] = [
    ['GET', `/in/${token}`],
    ['PUT', `/in/${token}`],
    ['PATCH', `/in/${token}`],
    ['DELETE', `/in/${token}`],
    ['OPTIONS', `/in/${token}`],
    ['POST', `/in/${makeAddressToken()}`],
    ['POST', `/in/${token.slice(1)}`],
    ['POST', `/in/${token}x`],
    ['POST', `/in/${token}/`],
    ['POST', `/in/${token}/x`],
    ['POST', '/in/'],
    ['POST', '/in'],
    ['GET', '/in'],
    ['POST', '/in/%E0'],
    ['POST', `/IN/${token}`],
  ]
  const raw = (method: string, path: string, options: CallOptions = {}) => fetchAt(world, method, path, options)
  for (const [method, path] of rows.slice(0, -1)) {
    const { status, json } = await raw(method, path, method === 'GET' ? {} : { body: first() })
    t.equal(status, 404, `${method} ${path.replace(token, 'TOKEN')}`)
    t.match(json, { result: null, error: { code: 1404, error_type: 'not_found', details: {} }, meta: null })
  }
  t.equal((await raw('POST', `/IN/${token}`, { body: first() })).status, 404)
  t.equal((await raw('HEAD', `/in/${token}`)).status, 404)
  t.equal((await raw('POST', `/in/${encodeURIComponent(token)}`, { body: first() })).status, 202)
  const all = await audited(world, 1)
  t.equal(all.filter(({ path }) => path.startsWith('/in')).length, 1)
})

const fetchAt = async ({ address }: Pick<ApiWorld, 'address'>, method: string, path: string, { body }: CallOptions) => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${address}${path}`, { method, ...sent })
  const text = await response.text()
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : null }
}

t.test('second factor accepts only full keys of editors and owners (v3 8.3)', async t => {
  const world = await start(t)
  const { token } = await world.make({ second_factor: true })
  const person = async (name: string, roles: Record<string, Role>, more: object = {}) =>
    (await world.addPerson(name, roles, more)).token
  const scoped = makeToken()
  const actions = ['observe' as const, 'resources' as const]
  const key = { id: 'scoped', description: '', tokenHash: hashToken(scoped), prefix: 'wk_', userId: 'user-olga' }
  await world.ask('create-key', { ...key, scope: { workspaceId: 'w1', actions } })
  const editor = await person('edda', { w1: 'editor' })
  const rows: [title: string, headers: Record<string, string>, status: number][] = [
    ['nothing', {}, 401],
    ['an empty header', { 'x-observation-key': '' }, 401],
    ['something else', { 'x-observation-key': 'secret' }, 401],
    ['the key as Authorization', { authorization: `Bearer ${editor}` }, 401],
    ['the key behind Bearer', { 'x-observation-key': `Bearer ${editor}` }, 401],
    ['an unknown key', { 'x-observation-key': makeToken() }, 401],
    ['the token of the address', { 'x-observation-key': token }, 401],
    ['a scoped key', { 'x-observation-key': scoped }, 401],
    ['a viewer', { 'x-observation-key': await person('vera', { w1: 'viewer' }) }, 401],
    ['a stranger', { 'x-observation-key': await person('sam', { w2: 'owner' }) }, 401],
    ['a disabled owner', { 'x-observation-key': await person('dora', { w1: 'owner' }, { disabled: true }) }, 401],
    ['an editor', { 'x-observation-key': editor }, 202],
    ['an owner', { 'X-Observation-Key': world.owner }, 202],
  ]
  const before = await storedOf(world)
  for (const [title, headers, status] of rows) {
    const { json, ...answer } = await world.send(token, first({ resource: 'srv' }), { headers })
    t.equal(answer.status, status, title)
    if (status === 202) continue
    t.match(json, { result: null, error: { code: 1401, error_type: 'auth', details: {} } }, title)
    t.equal(await storedOf(world), before, title)
  }
  const at = (await world.store.get('keys', ['key-edda']))[0]?.expiresAt ?? 0
  world.clock.advance(at - world.clock.now())
  const { status } = await world.send(token, first(), { headers: { 'x-observation-key': editor } })
  t.equal(status, 401, 'an expired key')
})

t.test('address without a second factor ignores keys and cookies (v3 8.3)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  const headers = {
    'x-observation-key': 'x',
    authorization: 'nonsense',
    cookie: 'session=x',
    origin: 'https://elsewhere.example',
  }
  t.equal((await world.send(token, first(), { headers })).status, 202)
})

t.test('deleted address is refused by a gateway that has a copy of the address (v3 8.2)', async t => {
  const world = await start(t)
  const { id, token } = await world.make()
  t.equal((await world.send(token, first())).status, 202)
  t.equal((await world.call('DELETE', `/addresses/${id}`)).status, 200)
  t.match(await world.send(token, first()), { status: 404, json: { error: { code: 1404 } } })
})

t.test('addresses of a deleted workspace are refused by a gateway that has copies of them (v3 8.2)', async t => {
  const world = await start(t)
  const { token } = await world.make()
  t.equal((await world.send(token, first())).status, 202)
  await world.ask('delete-workspace', { id: 'd1', workspaceId: 'w1', force: true })
  t.equal((await world.send(token, first())).status, 404)
})

for (const what of ['address', 'key of the second factor'] as const) {
  t.test(`report stores nothing when its ${what} is deleted while the body arrives (v3 8.2)`, async t => {
    const world = await start(t)
    const { id, token } = await world.make({ second_factor: true })
    const { token: key, keyId } = await world.addPerson('edda', { w1: 'editor' })
    const before = await storedOf(world)
    const reading = bodyIsRead(world.fastify.server)
    const body = JSON.stringify(first())
    const request = httpRequest(`${world.address}/in/${token}`, {
      method: 'POST',
      headers: { 'x-observation-key': key, 'content-length': body.length },
    })
    request.write(body.slice(0, 10))
    await reading
    if (what === 'address') await world.call('DELETE', `/addresses/${id}`)
    else await world.ask('delete-key', { keyId, userId: null })
    request.end(body.slice(10))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    t.equal(response.statusCode, what === 'address' ? 404 : 401)
    const after = await storedOf(world)
    if (what !== 'address') t.equal(after, before)
    t.equal(await world.store.count('subjects', {}), 0)
  })
}

t.test('audit row of a report through an address has the address in place of the key (v3 8.5)', async t => {
  const world = await start(t)
  const plain = await world.make()
  const keyed = await world.make({ second_factor: true })
  await world.send(plain.token, first(), { headers: { 'user-agent': 'sender/1.0' } })
  await world.send(plain.token, first({ signal: 'speed' }))
  await world.send(plain.token, '{')
  await world.send(keyed.token, first())
  await world.send(keyed.token, first(), { headers: { 'x-observation-key': world.owner } })
  await world.send(makeAddressToken(), first())
  const rows = (await audited(world, 9)).filter(({ path }) => path.startsWith('/in'))
  const row = (id: string, status: number) => ({
    address: { id },
    key: null,
    person: null as unknown,
    workspaceId: 'w1',
    method: 'POST',
    path: '/in/…',
    status,
  })
  t.match(rows, [
    { ...row(keyed.id, 202), person: { id: 'user-olga', name: 'olga' } },
    row(plain.id, 400),
    row(plain.id, 422),
    { ...row(plain.id, 202), userAgent: 'sender/1.0' },
  ])
  t.equal(rows.length, 4, 'a refused second factor and an unknown token leave no row')
})

t.test('token of an address is in no log and no document (v3 8.1)', async t => {
  const world = await start(t)
  const { token } = await world.make({ second_factor: true })
  const plain = await world.make()
  await world.send(plain.token, first())
  await world.send(plain.token, first({ signal: 'speed' }))
  await world.send(plain.token, '{')
  await world.send(token, first())
  await fetchAt(world, 'GET', `/in/${plain.token}`, {})
  await fetchAt(world, 'POST', `/in/${plain.token}/more?x=${plain.token}`, { body: first() })
  world.keeper.trouble = 'internal'
  t.equal((await world.send(plain.token, first())).status, 500)
  world.keeper.trouble = null
  // A sender may put the token of an address into another path of the API by mistake.
  await world.call('POST', `/resources/${plain.token}/archive`, {})
  await audited(world, 8)
  const written = [await world.dump(), world.logged.join('\n'), await world.metrics.metrics()]
  for (const secret of [token, plain.token]) {
    for (const [i, text] of written.entries()) t.notOk(text.includes(secret), String(['store', 'log', 'metrics'][i]))
  }
  t.ok(written[2]?.includes('/in/:token'), 'metrics name the route')
})
