// The audit over HTTP: which requests are recorded, their rows, and who reads the rows. Reference: docs/reference/v3.md, 11.3 to 11.5.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { AuditView } from '#shared/contracts/ask/ask-audit.ts'
import { limits } from '#shared/limits/limits.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { letInByKey, letInBySession } from '../../../services/gateway/audit/let-in.ts'
import { AuthenticationError } from '../../../services/gateway/callers/authentication-error.ts'
import { sendRefusal } from '../../../services/gateway/http/dialect.ts'
import { allFamilies } from '../../../services/gateway/http/families.ts'
import type { Family } from '../../../services/gateway/http/family.ts'
import { route } from '../../../services/gateway/v3/common.ts'
import { v3Dialect } from '../../../services/gateway/v3/dialect.ts'
import { registerRoute } from '../../../services/gateway/v3/register.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { type ApiWorld, addSubject, startApiWorld } from '../../support/worlds/api-world.ts'
import { startSessionWorld } from '../../support/worlds/session-world.ts'

const manifest = v3Routes.find(one => one.path.endsWith('/templates') && one.method === 'POST')?.examples?.[0]
const templates = '/api/v3/workspaces/w1/templates'
const auditPath = '/api/v3/workspaces/w1/audit'

type World = Pick<ApiWorld, 'clock' | 'hub'>

/** Audit rows of a workspace, newest first, as soon as `count` rows are stored. Advances the clock so that the gateway writes them. */
async function kept({ clock, hub }: World, count: number, workspaceId: string | null = 'w1'): Promise<AuditView[]> {
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const all = { workspaceId, personId: null, path: null, since: null, until: null, limit: 200, after: null }
  for (let tries = 0; tries < 1_000; tries++) {
    clock.advance(limits.audit.flushMs)
    const { items } = await ask('list-audit', all)
    if (items.length >= count) return items
    await new Promise(setImmediate)
  }
  throw new Error(`There are no ${count} rows of ${workspaceId}`)
}

async function start(t: Test, options: Parameters<typeof startApiWorld>[0] = {}) {
  const world = await startApiWorld(options)
  t.teardown(() => world.stop())
  const person = async (name: string, role: 'owner' | 'editor' | 'viewer' | null) =>
    (await world.addPerson(name, role === null ? { elsewhere: 'owner' } : { w1: role })).token
  const owner = await person('olga', 'owner')
  const scopedKey = async () => {
    const token = makeToken()
    const made = { id: 'scoped', userId: 'user-olga', description: '', tokenHash: hashToken(token), prefix: tokenPrefix(token) }
    const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
    await ask('create-key', { ...made, scope: { workspaceId: 'w1', actions: [] } })
    return token
  }
  return { ...world, owner, person, scopedKey }
}

const brief = (rows: AuditView[]) => rows.map(({ method, path, status }) => `${method} ${path} ${status}`)

t.test('request with an accepted key is recorded unless it is a read (v3 11.3)', async t => {
  const world = await start(t)
  const { call, owner: token } = world
  const viewer = await world.person('vera', 'viewer')
  const scoped = await world.scopedKey()
  const nowhere = '/api/v3/workspaces/w1/nowhere'
  const rows: [method: string, path: string, options: object, status: number][] = [
    ['POST', templates, { token, body: manifest }, 201],
    ['POST', templates, { token, body: manifest }, 409],
    ['POST', templates, { token, raw: '{' }, 400],
    ['POST', templates, { token, raw: `"${'x'.repeat(limits.v3.bodyBytes)}"` }, 413],
    ['POST', templates, { token, body: {} }, 422],
    ['POST', templates, { token: viewer, body: manifest }, 403],
    ['POST', templates, { token: scoped, body: manifest }, 403],
    ['POST', nowhere, { token }, 404],
    ['PUT', nowhere, { token }, 404],
    ['PATCH', nowhere, { token }, 404],
    ['DELETE', nowhere, { token }, 404],
    ['OPTIONS', nowhere, { token }, 404],
  ]
  for (const [method, path, options, status] of rows) {
    for (const read of ['GET', 'HEAD']) await call(read, path, { token })
    t.equal((await call(method, path, options)).status, status, `${method} ${path}`)
    world.clock.advance(1)
  }
  const found = await kept(world, rows.length)
  const expected = rows.map(([method, path, , status]) => `${method} ${path} ${status}`)
  t.strictSame(brief(found), expected.toReversed())
  t.strictSame(found.at(-1), {
    at: found.at(-1)?.at,
    workspaceId: 'w1',
    person: { id: 'user-olga', name: 'olga' },
    key: { id: 'key-olga', prefix: tokenPrefix(token) },
    address: null,
    destination: null,
    method: 'POST',
    path: templates,
    status: 201,
    userAgent: 'node',
    made: { kind: 'template', id: 'heartbeat@1', name: 'Heartbeat' },
  })
  t.ok(
    found.slice(0, -1).every(({ made }) => made === null),
    'a refused request made nothing',
  )
  t.match(found[5], { key: { id: 'scoped', prefix: tokenPrefix(scoped) }, person: { id: 'user-olga' } })
  t.notMatch(await world.dump(), token, 'no token is stored')
})

t.test('request refused with 401 is counted in the metrics and not recorded (v3 11.3)', async t => {
  const world = await start(t)
  for (const token of [null, makeToken(), 'nonsense']) {
    t.equal((await world.call('POST', templates, { token, body: manifest })).status, 401)
  }
  await world.call('POST', '/api/v3/workspaces', { token: world.owner, body: { name: 'New' } })
  t.strictSame(brief(await kept(world, 1, null)), ['POST /api/v3/workspaces 201'])
  t.strictSame(await kept(world, 0), [])
  const counted = await world.metrics.getSingleMetricAsString('watchkeeper_gateway_requests_total')
  t.match(counted, /route="\/api\/v3\/workspaces\/:workspace\/templates",code="1401"\} 3/)
})

t.test('row of a request by a stranger names no workspace, so owners of the workspace cannot read it (v3 11.3)', async t => {
  const world = await start(t)
  const stranger = await world.person('sam', null)
  t.equal((await world.call('POST', templates, { token: stranger, body: manifest })).status, 404)
  await world.call('POST', '/api/v3/workspaces/w9/templates', { token: world.owner, body: manifest })
  const found = await kept(world, 2, null)
  t.match(found, [
    { workspaceId: null, person: { id: 'user-olga' } },
    { workspaceId: null, person: { id: 'user-sam' }, status: 404 },
  ])
  t.strictSame(await kept(world, 0), [])
})

t.test('path is recorded without query and tokens within 500 characters (v3 11.3)', async t => {
  const world = await start(t)
  const token = makeToken()
  const address = 'a-b_'.repeat(11).slice(1)
  const base = '/api/v3/workspaces/w1'
  const long = `${base}/${'y'.repeat(500 - base.length - 1)}`
  const rows: [sent: string, kept: string][] = [
    [`${templates}?token=${token}`, templates],
    [`${base}/${token}`, `${base}/…`],
    [`${base}/a${token}b/c`, `${base}/…/c`],
    [`${base}/%77${token.slice(1)}/c`, `${base}/…/c`],
    [`${base}/${address}/x`, `${base}/…/x`],
    [`${base}/${address}x`, `${base}/${address}x`],
    [long, long],
    [`${long}y`, `${long.slice(0, 499)}…`],
    [`${base}/%E0/${token}`, `${base}/%E0/…`],
  ]
  for (const [sent] of rows) {
    await world.call('POST', sent, { token: world.owner })
    world.clock.advance(1)
  }
  const found = await kept(world, rows.length)
  t.strictSame(
    found.map(({ path }) => path),
    rows.map(([, path]) => path).toReversed(),
  )
  t.equal(found[0]?.status, 404, 'a path that cannot be decoded')
})

t.test('first 200 characters of User-Agent are recorded, or null if the header is absent (v3 11.3)', async t => {
  const world = await start(t)
  const agents = ['x'.repeat(200), 'x'.repeat(201), '']
  for (const agent of agents) {
    await world.call('DELETE', templates, { token: world.owner, headers: { 'user-agent': agent } })
    world.clock.advance(1)
  }
  const { port } = new URL(world.address)
  await new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${world.owner}` }
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'DELETE', path: templates, headers }, answer => {
      answer.resume().on('end', resolve)
    })
    sent.on('error', reject).end()
  })
  const found = await kept(world, 4)
  t.strictSame(
    found.map(({ userAgent }) => userAgent),
    [null, null, 'x'.repeat(200), 'x'.repeat(200)],
  )
})

t.test('request is recorded when its client disconnected before the response (v3 11.3)', async t => {
  const world = await start(t)
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  const head = `POST ${templates} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.owner}\r\nContent-Length: 100\r\n\r\n{`
  const [, [{ socket: served }]] = await Promise.all([
    new Promise<void>(resolve => void socket.write(head, () => resolve())),
    once(world.fastify.server, 'request'),
  ])
  socket.resetAndDestroy()
  await new Promise(resolve => served.once('close', resolve))
  t.match(await kept(world, 1), [{ method: 'POST', path: templates, person: { id: 'user-olga' } }])
})

t.test('requests of generations 1 and 2 are not recorded (v3 11.3)', async t => {
  const world = await start(t)
  for (const path of ['/api/v1/rule/x', '/api/v2/workspaces', '/api/v2/%E0', '/api/nothing']) {
    await world.call('POST', path, { token: world.owner, body: {} })
  }
  await world.call('DELETE', templates, { token: world.owner })
  t.equal((await kept(world, 1)).length, 1)
  t.strictSame(await kept(world, 0, null), [])
})

t.test('change by a session is recorded with its person, and a read by a session is not recorded (v3 11.3)', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('vera', { [world.workspaceId]: 'viewer' })
  const [owner, viewer] = [await world.signedIn('owner'), await world.signedIn('vera')]
  const members = `/api/v3/workspaces/${world.workspaceId}/members`
  const refused = await viewer.send('POST', members, { body: { username: 'vera', role: 'owner' } })
  t.equal(refused.status, 403)
  world.clock.advance(1)
  await owner.send('GET', members)
  await owner.send('POST', '/session/keys', { body: { description: 'x' } })
  world.clock.advance(1)
  await owner.send('POST', '/session/sign-out')
  t.equal((await owner.send('POST', '/session/keys', { body: {} })).status, 401)
  await owner.send('POST', '/session/sign-out')
  const ofNone = await kept(world, 2, null)
  t.strictSame(brief(ofNone), ['POST /session/sign-out 204', 'POST /session/keys 201'], 'neither signing in nor what is 401')
  const person = { id: world.ownerId, name: 'owner' }
  t.match(ofNone, [
    { person, key: null, address: null },
    { person, key: null, address: null },
  ])
  const [row] = await kept(world, 1, world.workspaceId)
  t.match(row, { person: { id: 'user-vera' }, path: members, status: 403, workspaceId: world.workspaceId })
})

t.test('change of a subject by its id is recorded in the workspace of the subject (v3 11.3)', async t => {
  const world = await startSessionWorld(t)
  const owner = await world.signedIn('owner')
  await world.addPerson('vera', { [world.workspaceId]: 'viewer' })
  const viewer = await world.signedIn('vera')
  await addSubject(world, { id: 'monitor001', workspaceId: world.workspaceId })
  const path = '/session/subjects/monitor001'
  t.equal((await viewer.send('DELETE', path)).status, 403)
  world.clock.advance(1)
  t.equal((await owner.send('DELETE', path)).status, 409)
  t.equal((await owner.send('DELETE', '/session/subjects/nothing')).status, 404)
  const rows = await kept(world, 2, world.workspaceId)
  t.strictSame(brief(rows), [`DELETE ${path} 409`, `DELETE ${path} 403`])
  t.strictSame(brief(await kept(world, 1, null)), ['DELETE /session/subjects/nothing 404'], 'of no subject, no workspace')
})

const withoutAddresses = allFamilies.filter(({ prefix }) => prefix !== '/in')

/**
 * Routes made for the test, below the path of Observation addresses: reads of evidence, Observations with a key, and an Observation
 * address in place of a key.
 */
const planted: Family = {
  prefix: '/in',
  dialect: { ...v3Dialect, prefixes: ['/in'] },
  routes: (context, authenticate) => async fastify => {
    context.audit.watch(fastify)
    fastify.setErrorHandler((error, request, reply) => sendRefusal(v3Dialect, context.logger, error, request, reply))
    fastify.addHook('onRequest', (request, reply, done) => {
      const { address, session } = request.headers
      if (address !== undefined) {
        request.letIn = {
          by: 'address',
          person: null,
          key: null,
          address: { id: String(address) },
          destination: null,
          workspaceId: 'w1',
          made: null,
        }
        return done()
      }
      authenticate(request, reply, refusal => {
        request.letIn = session === undefined ? letInByKey(request.identity) : letInBySession(request.identity)
        done(refusal)
      })
    })
    const needs = { role: 'nobody', scope: null } as const
    const record = { summary: '', needs, result: Type.Null(), handler: async () => null }
    const refuse = async () => Promise.reject(new AuthenticationError('missing'))
    const routes = [
      route('GET', '/evidence', { ...record, isAudited: true }),
      route('GET', '/list', { ...record, isAudited: false }),
      route('POST', '/observations', { ...record, takesObservations: true }),
      route('POST', '/:token', record),
      route('POST', '/second-factor', { ...record, handler: refuse }),
    ]
    for (const one of routes) registerRoute(fastify, context, one)
  },
}

t.test('read of recorded evidence is recorded for a key, and not for a session (v3 11.3)', async t => {
  const world = await start(t, { families: [...withoutAddresses, planted] })
  const { call, owner: token } = world
  await call('GET', '/in/list', { token })
  await call('GET', '/in/evidence', { token, headers: { session: 'yes' } })
  t.equal((await call('GET', '/in/evidence', { token })).status, 200)
  t.match(await kept(world, 1, null), { length: 1, 0: { method: 'GET', status: 200, key: { id: 'key-olga' } } })
})

t.test('audit row has the address in place of a key, and rows of Observations are deleted earlier (v3 11.3, 11.4)', async t => {
  const world = await start(t, { families: [...withoutAddresses, planted] })
  const { call, owner: token } = world
  const at = world.clock.now()
  const headers = { address: 'a1' }
  t.equal((await call('POST', '/in/second-factor', { headers })).status, 401, 'not kept')
  await call('POST', '/in/short-token?x=1', { headers })
  await call('POST', '/in/observations', { token })
  await call('POST', '/in/other', { token })
  t.match(await kept(world, 1), {
    length: 1,
    0: { path: '/in/…', address: { id: 'a1' }, key: null, person: null, workspaceId: 'w1' },
  })
  await kept(world, 2, null)
  const stored = await world.store.find('server_api_audit', { sort: [['id', 'asc']], limit: 10 })
  const { auditMs, auditObservationsMs } = limits.retention
  t.strictSame(
    stored.map(({ expireAt }) => expireAt - at),
    [auditObservationsMs, auditMs, auditObservationsMs],
    'by key, another request, by address',
  )
})

t.test('each request is recorded, except reads (v3 11.3)', async t => {
  const world = await start(t)
  const sent = v3Routes
    .filter(({ method, path }) => method !== 'GET' && path.includes(':workspace'))
    .map(({ method, path }) => ({ method, path: `/api/v3${path.replace(':workspace', 'w1').replace(/:\w+/, 'x')}` }))
  for (const { method, path } of sent) await world.call(method, path, { token: world.owner })
  const rows = await kept(world, sent.length)
  t.strictSame(
    new Set(rows.map(({ method, path }) => `${method} ${path}`)),
    new Set(sent.map(one => `${one.method} ${one.path}`)),
  )
})

t.test('only an owner with a full key reads the audit, and this read is not recorded (v3 11.5)', async t => {
  const world = await start(t)
  const [editor, viewer] = [await world.person('edda', 'editor'), await world.person('vera', 'viewer')]
  const rows: [token: string | null, status: number, details: object][] = [
    [world.owner, 200, {}],
    [editor, 403, { role: 'owner' }],
    [viewer, 403, { role: 'owner' }],
    [await world.scopedKey(), 403, { scope: 'full' }],
    [await world.person('sam', null), 404, {}],
    [null, 401, {}],
  ]
  for (const [token, status, details] of rows) {
    const { json, ...answer } = await world.call('GET', auditPath, { token })
    t.equal(answer.status, status, JSON.stringify(details))
    t.strictSame(json.error?.details ?? {}, details)
  }
  await world.call('DELETE', templates, { token: editor })
  t.equal((await kept(world, 1)).length, 1)
})

t.test('row is returned with all its fields (v3 11.5)', async t => {
  const world = await start(t)
  await world.call('POST', templates, { token: world.owner, body: manifest })
  const [row] = await kept(world, 1)
  const { json } = await world.call('GET', auditPath, { token: world.owner })
  t.strictSame(json, {
    result: [
      {
        at: new Date(row?.at ?? 0).toISOString(),
        person: { id: 'user-olga', name: 'olga' },
        key: { id: 'key-olga', prefix: tokenPrefix(world.owner) },
        address: null,
        destination: null,
        workspace: 'w1',
        method: 'POST',
        path: templates,
        status: 201,
        user_agent: 'node',
        made: { kind: 'template', id: 'heartbeat@1', name: 'Heartbeat' },
      },
    ],
    error: null,
    meta: { next_cursor: null },
  })
})

t.test('pages and filters accept values up to their bounds, and refuse values above them (v3 11.5)', async t => {
  const world = await start(t)
  const editor = await world.person('edda', 'editor')
  const instants: string[] = []
  for (const [token, path] of [
    [world.owner, '/templates'],
    [editor, '/templates'],
    [editor, '/resources'],
  ] as const) {
    instants.push(new Date(world.clock.now()).toISOString())
    await world.call('DELETE', `/api/v3/workspaces/w1${path}`, { token })
    world.clock.advance(10)
  }
  await kept(world, 3)
  const list = async (query: string) => (await world.call('GET', `${auditPath}${query}`, { token: world.owner })).json
  const instantsOf = (json: { result: { at: string }[] }) => json.result.map(({ at }) => instants.indexOf(at))
  const filters: [query: string, found: number[]][] = [
    ['', [2, 1, 0]],
    ['?person=user-edda', [2, 1]],
    ['?person=nobody', []],
    ['?path=/templates', [1, 0]],
    ['?path=/temp&person=user-edda', [1]],
    [`?since=${instants[1]}`, [2, 1]],
    [`?until=${instants[1]}`, [0]],
    [`?since=${instants[1]?.replace('Z', '001Z')}`, [2]],
    [`?until=${instants[1]?.replace('Z', '001Z')}`, [1, 0]],
    ['?limit=200', [2, 1, 0]],
  ]
  for (const [query, found] of filters) t.strictSame(instantsOf(await list(query)), found, query)

  const first = await list('?limit=1&path=/templates')
  t.strictSame(instantsOf(first), [1])
  const cursor = first.meta.next_cursor
  const second = await list(`?limit=2&path=/templates&cursor=${cursor}`)
  t.strictSame(instantsOf(second), [0], 'a page of another size')
  t.equal(second.meta.next_cursor, null)
  const refused: [query: string, field: string][] = [
    [`?cursor=${cursor}`, 'cursor'],
    [`?path=/resources&cursor=${cursor}`, 'cursor'],
    [`?path=/templates&cursor=${cursor.slice(1)}`, 'cursor'],
    ['?cursor=', 'cursor'],
    ['?cursor=x', 'cursor'],
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?since=2026-01-02T03:04:05', 'since'],
    ['?since=', 'since'],
    ['?until=yesterday', 'until'],
    ['?person=', 'person'],
    ['?person=a%20b', 'person'],
    ['?path=', 'path'],
    [`?path=/${'x'.repeat(500)}`, 'path'],
    ['?user=x', 'user'],
    ['?limit=1&limit=2', 'limit'],
  ]
  for (const [query, field] of refused) t.match((await list(query)).error, { code: 1422, details: { field } }, query)
  t.strictSame(instantsOf(await list(`?path=/${'x'.repeat(499)}`)), [])
})

t.test('stopping gateway writes the remaining rows (v3 11.4)', async t => {
  const world = await startApiWorld()
  const { token } = await world.addPerson('olga', { w1: 'owner' })
  await world.call('DELETE', templates, { token })
  t.equal(await world.store.count('server_api_audit', {}), 0, 'no time has passed')
  await world.stop()
  t.equal(await world.store.count('server_api_audit', {}), 1)
})

t.test('gateway without an audit records nothing', async t => {
  const world = await startApiWorld({ audit: false })
  const { token } = await world.addPerson('olga', { w1: 'owner' })
  t.equal((await world.call('POST', templates, { token, body: manifest })).status, 201)
  await world.call('POST', '/api/v3/%E0', { token })
  await world.stop()
  t.equal(await world.store.count('server_api_audit', {}), 0)
})
