// API_LEGACY=gone: generations 1 and 2 respond 410, and all other routes are unchanged. Reference: docs/reference/v3.md, section 12.
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import { makeToken } from '#shared/tokens/api-token.ts'
import { classicRoutes } from '../../../services/gateway/http/api.ts'
import { type ApiWorld, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let token: string
t.before(async () => {
  world = await startApiWorld({ legacy: 'gone' })
  token = (await world.addPerson('olga', { w1: 'owner' })).token
})
t.teardown(() => world.stop())

const envelope = {
  result: null,
  error: {
    code: 1410,
    error_type: 'gone',
    message: 'Generations 1 and 2 of the API are not served here; use /api/v3',
    details: {},
  },
  meta: null,
}

t.test('every route of generations 1 and 2 responds 410 with any key or none (v3 12.1)', async t => {
  const routes = Object.entries(classicRoutes).flatMap(([prefix, all]) =>
    all.map(({ method, path }) => [method, `/api${prefix}${path.replaceAll(/:\w+/g, 'x')}`] as const),
  )
  t.ok(routes.length > 40)
  for (const [method, path] of routes) {
    for (const key of [token, makeToken(), null]) {
      const { status, json } = await world.call(method, path, { token: key })
      t.strictSame([status, json], [410, envelope], `${method} ${path}`)
    }
  }
})

t.test('every other request below /api gets 410 with any method, body and encoding (v3 12.1)', async t => {
  const paths = [
    '/api',
    '/api/',
    '/api/v1',
    '/api/v2/',
    '/api/v4/x',
    '/api/nothing',
    '/api/v30',
    '/api/v2/%zz',
    '/api/version?x=1',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']) {
      const { status, json } = await world.call(method, path, { token })
      t.strictSame([status, json], [410, envelope], `${method} ${path}`)
    }
    t.equal((await world.call('HEAD', path, { token })).status, 410, `HEAD ${path}`)
  }
  t.equal(await statusOf('TRACE', '/api/v2/incidents'), 410)
  for (const raw of ['{', 'x'.repeat(2 * 1024 * 1024)]) {
    t.match(await world.call('POST', '/api/v2/monitoring/websites', { raw }), { status: 410, json: envelope })
  }
  const expecting = await raw('GET /api/v2/incidents HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n')
  t.match(expecting, /^HTTP\/1.1 410 /)
})

t.test('key of a request that gets 410 is not looked up (v3 12.1)', async t => {
  const alone = await startApiWorld({ legacy: 'gone', withDirectory: false })
  t.teardown(() => alone.stop())
  const asked: string[] = []
  await alone.hub.connect().subscribe(subjects.allAsks, message => {
    asked.push(message.subject)
    message.respond({ ok: true, result: null })
  })
  for (const path of ['/api/v2/incidents', '/api/v2/%zz', '/api/version']) {
    t.equal(await statusOf('GET', path, { authorization: `Bearer ${token}` }, alone), 410, path)
  }
  t.notOk(asked.includes(subjects.ask('authenticate')), asked.join())
  t.equal(await statusOf('GET', '/api/v3/key', { authorization: `Bearer ${makeToken()}` }, alone), 401)
  t.ok(asked.includes(subjects.ask('authenticate')), 'generation 3 asks')
})

const statusOf = (method: string, path: string, headers = {}, { address } = world) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(address)
    httpRequest({ hostname, port, method, path, headers }, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

const raw = (sent: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(world.address)
    let answer = ''
    const socket = connect(Number(port), hostname, () => void socket.write(sent))
    socket
      .on('data', data => (answer += data))
      .on('end', () => resolve(answer))
      .on('error', reject)
  })

t.test('generation 3, its document, its pages and the session API are still served (v3 12.1)', async t => {
  const stays: [path: string, status: number][] = [
    ['/api/v3/version', 200],
    ['/api/v3/key', 200],
    ['/api/v3/workspaces/w1/resources', 200],
    ['/api/v3/nowhere', 404],
    ['/api/openapi', 200],
    ['/api/openapi/', 200],
    ['/api/openapi/v3.json', 200],
    ['/api/openapi/session.json', 200],
    ['/api/openapi/start.js', 200],
    ['/api/openapi/swagger-ui.css', 200],
    ['/session', 401],
    ['/nowhere', 404],
  ]
  for (const [path, status] of stays) t.equal((await world.call('GET', path, { token })).status, status, path)
  t.equal((await world.call('GET', '/api/v3/key')).status, 401)
  for (const path of ['/api/openapi/v1.json', '/api/openapi/v2.json', '/api/openapi/nothing']) {
    t.strictSame((await world.call('GET', path)).json, envelope, path)
  }
  const { text } = await world.call('GET', '/api/openapi/')
  t.notMatch(text, /v1\.json|v2\.json|Generation [12]/)
  t.match(text, /v3\.json/)
  t.notMatch((await world.call('GET', '/api/openapi/start.js')).text, /v2/)
})

t.test('generations 1 and 2 are served unless the installation has ended them (v3 12.1)', async t => {
  const serving = await startApiWorld()
  t.teardown(() => serving.stop())
  const { token } = await serving.addPerson('olga', { w1: 'owner' })
  t.match(await serving.call('GET', '/api/version', { token }), { status: 200, json: { error: null } })
  for (const name of ['v1', 'v2', 'v3']) t.equal((await serving.call('GET', `/api/openapi/${name}.json`)).status, 200, name)
  const document = async (at: ApiWorld) => (await at.call('GET', '/api/openapi/v3.json')).text
  t.equal(await document(serving), await document(world), 'the document of generation 3 is the same in both')
})
