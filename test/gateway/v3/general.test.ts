// Generation 3 over HTTP: envelope, order of checks, keys and scopes, templates. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { KeyAction } from '#shared/contracts/account.ts'
import { allSystemTemplates } from '#shared/manifest/system-templates.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { type ApiWorld, type CallOptions, startApiWorld, version } from '../../support/worlds/api-world.ts'
import { startDeafGateway } from '../../support/worlds/deaf-gateway.ts'

let world: ApiWorld
let owner: string
let editor: string
let viewer: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner', w2: 'owner' })).token
  editor = (await world.addPerson('edda', { w1: 'editor' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })

async function scopedKey(actions: KeyAction[], username = 'olga', workspaceId = 'w1'): Promise<string> {
  const token = makeToken()
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const made = {
    id: `s${tokenPrefix(token)}${actions.length}${username}`,
    description: '',
    tokenHash: hashToken(token),
    prefix: 'wk_',
  }
  await ask('create-key', { ...made, userId: `user-${username}`, scope: { workspaceId, actions } })
  return token
}

const publish = v3Routes.find(route => route.method === 'POST' && route.path.endsWith('/templates'))
const manifest = publish?.examples?.[0] as Record<string, unknown>
const templates = '/workspaces/w1/templates'

t.test('every response has the envelope (v3 1.1)', async t => {
  const rows: [method: string, path: string, options: CallOptions, status: number, code: number, type: string][] = [
    ['GET', '/version', { token: null }, 200, 0, ''],
    ['GET', '/nothing', {}, 404, 1404, 'not_found'],
    ['DELETE', '/version', {}, 404, 1404, 'not_found'],
    ['GET', '/key', { token: null }, 401, 1401, 'auth'],
    ['GET', '/key', { token: 'wk_unknown' }, 401, 1401, 'auth'],
    ['GET', '/nothing', { token: null }, 401, 1401, 'auth'],
    ['GET', '/%E0', {}, 404, 1404, 'not_found'],
    ['POST', templates, { raw: '{' }, 400, 1400, 'bad_request'],
    ['POST', templates, { raw: '[]' }, 400, 1400, 'bad_request'],
    ['POST', templates, { raw: `{"key":"${'x'.repeat(256 * 1024)}"}` }, 413, 1413, 'too_large'],
    ['POST', templates, { raw: '['.repeat(65) }, 400, 1400, 'bad_request'],
    ['POST', templates, { body: {} }, 422, 1422, 'validation'],
    ['POST', templates, { body: {}, headers: { 'content-encoding': 'gzip' } }, 400, 1400, 'bad_request'],
    ['GET', '/workspaces/w9/templates', {}, 404, 1404, 'not_found'],
  ]
  for (const [method, path, options, status, code, error_type] of rows) {
    const { status: answered, json } = await call(method, path, options)
    t.equal(answered, status, `${method} ${path}`)
    if (code === 0) t.strictSame(json, { result: { version, api: 'v3' }, error: null, meta: null })
    else {
      t.match(json, { result: null, error: { code, error_type, message: String, details: {} }, meta: null }, `${method} ${path}`)
      t.strictSame(Object.keys(json.error), ['code', 'error_type', 'message', 'details'])
    }
  }
})

t.test('any content type is read as JSON (v3 1.2)', async t => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'nonsense']) {
    const raw = JSON.stringify({ name: `By ${type}` })
    const { status, json } = await call('POST', '/workspaces', { raw, headers: { 'content-type': type } })
    t.equal(status, 201, type)
    t.match(json.result, { name: `By ${type}`, role: 'owner' })
  }
})

t.test('request is refused for the first of its faults in the order of the checks (v3 1.3)', async t => {
  const scoped = await scopedKey(['observe'])
  const bad = { raw: '{' }
  const rows: [token: string | null, path: string, status: number][] = [
    [null, '/nowhere', 401],
    [viewer, '/nowhere', 404],
    [viewer, '/workspaces/w9/templates', 404],
    [scoped, '/workspaces/w2/templates', 404],
    [scoped, templates, 403],
    [viewer, templates, 403],
    [editor, templates, 400],
  ]
  for (const [token, path, status] of rows) {
    t.equal((await call('POST', path, { ...bad, token })).status, status, `${path} is ${status}`)
  }
  const { json } = await call('POST', `${templates}?limit=1`, { body: { ...manifest, url: 'x', version: '1' } })
  t.match(json.error, { code: 1400, details: { field: 'url' } }, 'unknown keys before types and parameters')
})

t.test('refusal names the unknown or repeated parameter (v3 1.6)', async t => {
  for (const query of ['?limit=1', '?x=', '?__proto__=1']) {
    const { status, json } = await call('GET', `/templates${query}`)
    t.equal(status, 422, query)
    t.match(json.error.details, { field: query.slice(1).split('=')[0] })
  }
})

t.test('refusal names the missing action of the key or the missing role of its person (v3 2.2)', async t => {
  const scoped = await scopedKey(['observe'])
  const ofViewer = await scopedKey(['templates'], 'vera')
  const rows: [token: string, path: string, details: object][] = [
    [scoped, templates, { scope: 'templates' }],
    [scoped, '/workspaces', { scope: 'full' }],
    [ofViewer, templates, { role: 'editor' }],
    [viewer, templates, { role: 'editor' }],
  ]
  for (const [token, path, details] of rows) {
    const { status, json } = await call('POST', path, { token, body: {} })
    t.equal(status, 403, path)
    t.strictSame(json.error.details, details)
  }
})

t.test('GET /key returns the owner of the key and its actions in order (v3 2.4)', async t => {
  const scoped = await scopedKey(['resources', 'acknowledge'])
  t.strictSame((await call('GET', '/key')).json.result, {
    user: { id: 'user-olga', name: 'olga' },
    access: ['full'],
    workspace: null,
  })
  t.match((await call('GET', '/key', { token: scoped })).json.result, {
    access: ['read', 'acknowledge', 'resources'],
    workspace: { id: 'w1', name: 'Name of w1' },
  })
  t.strictSame((await call('GET', '/key', { token: await scopedKey([]) })).json.result.access, ['read'])
})

t.test('scoped key is refused in generations 1 and 2, and after the membership of its person has ended (v3 2.5)', async t => {
  const scoped = await scopedKey(['templates'], 'edda')
  for (const path of ['/v1/workspaces', '/v2/workspaces', '/version']) {
    const { status, json } = await world.call('GET', `/api${path}`, { token: scoped })
    t.equal(status, 200)
    t.match(json.error, { code: 1003, message: 'Invalid token' }, path)
  }
  const [workspace = null] = await world.store.get('workspaces', ['w1'])
  const { 'user-edda': _gone, ...members } = workspace?.members ?? {}
  const fresh = await scopedKey(['templates'], 'edda')
  if (workspace !== null) await world.store.upsert('workspaces', [{ ...workspace, members }])
  t.equal((await call('GET', '/key', { token: fresh })).status, 401)
  if (workspace !== null) await world.store.upsert('workspaces', [workspace])
})

t.test('scoped key lists only its own workspace (v3 2.7)', async t => {
  const scoped = await scopedKey([])
  t.strictSame((await call('GET', '/workspaces', { token: scoped })).json.result, [
    { id: 'w1', name: 'Name of w1', role: 'owner' },
  ])
})

t.test('creator of a workspace can use it before the revocation of their cached identity arrives (v3 2.8)', async t => {
  const send = await startDeafGateway(t, world, owner)
  const { status, result } = await send('POST', '/workspaces', { name: 'New' })
  t.equal(status, 201)
  t.equal((await send('GET', `/workspaces/${result.id}/templates`)).status, 200)
})

t.test('Template is published once, and listed after the system Templates (v3 3.2)', async t => {
  const { status, json } = await call('POST', templates, { body: manifest })
  t.equal(status, 201)
  t.match(json.result, { id: 'heartbeat@1', fields: [], rules: [{ signals: ['beat'], destination: null, routes: null }] })
  t.strictSame(json.result.rules[0].decision, (manifest['rules'] as { decision: unknown }[])[0]?.decision, 'as it was published')
  const again = await call('POST', templates, { body: manifest })
  t.equal(again.status, 409)
  const { result } = (await call('GET', templates, { token: viewer })).json
  const systemIds = allSystemTemplates().map(({ key, version }) => `${key}@${version}`)
  t.strictSame(
    result.map(({ id }: { id: string }) => id),
    [...systemIds, 'heartbeat@1'],
  )
  t.strictSame(result[0], (await call('GET', '/templates')).json.result[0])
  t.strictSame(Object.keys(result[1].fields[0] ?? result[0].fields[0]), [
    ...['key', 'label', 'help', 'type', 'required', 'default', 'options', 'min', 'max'],
  ])
})

t.test('Template is refused with the dotted path of its faulty field (v3 1.5)', async t => {
  const body = {
    ...manifest,
    version: 2,
    rules: [{ ...(manifest['rules'] as object[])[0], decision: { not: { signal: 'x', field: 'known' } } }],
  }
  const { status, json } = await call('POST', templates, { body })
  t.equal(status, 422)
  t.strictSame(json.error.details, { field: 'rules.0.decision.not.signal' })
})

t.test('kinds of checks are listed with their options, to every key (v3 3.14)', async t => {
  for (const token of [viewer, await scopedKey(['observe'])]) {
    const { status, json } = await call('GET', '/checks', { token })
    t.equal(status, 200)
    const [http] = json.result
    t.match(http, {
      type: 'http',
      name: 'HTTP',
      watches: 'A website or API',
      template: 'http-check@1',
      help: /^Sends a request/,
      value: { name: 'Time', unit: 'ms' },
    })
    const option = (key: string) => http.options.find((one: { key: string }) => one.key === key)
    t.strictSame(option('url'), {
      ...{ key: 'url', label: 'URL', help: '', type: 'url', secret: false, required: true },
      ...{ default: null, options: [], words: null, example: 'https://shop.example/health', takes: ['url'] },
      ...{ lines: false, section: null, min: null, max: 2_048 },
    })
    t.match(option('statuses'), { type: 'string_list', default: ['200-299'], min: 1, max: 10 })
    t.match(option('body'), {
      type: 'secret',
      secret: true,
      max: 65_536,
      lines: true,
      section: 'request',
      takes: ['secret', 'text', 'string'],
    })
    t.match(option('ip_family'), { options: ['any', '4', '6'], words: { any: 'any', 4: 'IPv4', 6: 'IPv6' } })
    t.match(option('method'), { default: 'GET', options: ['GET', 'HEAD'] })
    t.notOk(
      json.result.some(({ type }: { type: string }) => type === 'website'),
      'a superseded kind is not listed',
    )
  }
})
