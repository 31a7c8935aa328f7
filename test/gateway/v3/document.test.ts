// OpenAPI document of generation 3: it has every registered route, real responses fit it, and its examples succeed as sent.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fastify as createFastify, type RouteOptions } from 'fastify'
import t from 'tap'
import { Type } from 'typebox'
import { createAudit } from '../../../services/gateway/audit/audit.ts'
import type { GatewayContext } from '../../../services/gateway/context.ts'
import type { Route } from '../../../services/gateway/http/route.ts'
import { v3Document } from '../../../services/gateway/openapi/v3-document.ts'
import { v3Family } from '../../../services/gateway/v3/family.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { type ApiWorld, incidentSalt, startApiWorld, version } from '../../support/worlds/api-world.ts'
import { startFakeNotifier } from '../../support/worlds/fake-notifier.ts'
import { addIncident } from '../../support/worlds/stored-incident.ts'

interface Operation {
  operationId: string
  security?: unknown[]
  requestBody?: { content: { 'application/json': { example?: unknown; examples?: Record<string, { value: unknown }> } } }
  responses: Record<string, { content: { 'application/json': { example?: unknown } } }>
}

const document = v3Document(version)
const { paths } = document as unknown as { paths: Record<string, Record<string, Operation>> }
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'v3')
const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
const judge = (method: string, path: string, status: number | string) =>
  ajv.compile({
    $ref: `v3#/paths/${pointer(path)}/${method.toLowerCase()}/responses/${status}/content/${pointer('application/json')}/schema`,
  })
const operations = Object.entries(paths).flatMap(([path, { parameters: _, ...methods }]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

const addressPath = '/in/{token}'
const fromRoot = (path: string): string => (path.startsWith('/in/') ? path : `/api${path}`)

let world: ApiWorld
let owner: string
let viewer: string
t.before(async () => {
  world = await startApiWorld()
  await startFakeNotifier(world.hub.connect())
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
})
t.teardown(() => world.stop())

t.test('document of v3 is OpenAPI 3.1 without internal marks', async t => {
  t.strictSame(await new Validator().validate(structuredClone(document)), { valid: true })
  t.notMatch(
    JSON.stringify(document),
    /"(documented|refusal|missing|anyType|apart|emptyIsMissing|emptyIsUnset|\$id|\$defs|trimmed|plain)"/,
  )
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, v3Routes.length + 1)
})

t.test('document of v3 describes exactly the registered routes', async t => {
  const found: string[] = []
  const fastify = createFastify()
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    for (const one of [method].flat()) if (one !== 'HEAD') found.push(`${one} /v3${url.replaceAll(/:(\w+)/g, '{$1}')}`)
  })
  const context = { audit: createAudit(createHandClock(), null) } as unknown as GatewayContext
  await fastify.register(v3Family.routes(context, (_request, _reply, done) => done(), { version, incidentSalt }))
  await fastify.close()
  t.strictSame([...found, `POST ${addressPath}`].toSorted(), operations.map(({ method, path }) => `${method} ${path}`).toSorted())
})

t.test(
  'document of v3 has the Observation address at the root, with the header X-Observation-Key and no API key (v3 8.1, 8.3)',
  t => {
    const item = paths[addressPath] as unknown as { parameters: object[]; post: Operation & { servers: object[] } }
    t.strictSame(item.post.servers, [{ url: '/' }])
    t.match(item.parameters, [
      { name: 'token', in: 'path', required: true },
      { name: 'X-Observation-Key', in: 'header', required: false },
    ])
    t.strictSame(item.post.security, [])
    t.strictSame(Object.keys(item.post.responses), ['202', '400', '401', '404', '413', '422', '429', '500'])
    t.end()
  },
)

t.test('every response of v3 to an example of its document fits the document', async t => {
  /** Ids of created objects, by the path at which each was created. */
  const made = new Map([['/v3/workspaces/{workspace}/incidents', await addIncident(world, 'w1')]])
  let token = 'nothing'
  const turns = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']
  // Archiving runs last, because an archived Resource refuses every write.
  const turnOf = ({ method, path }: (typeof operations)[number]) =>
    path.endsWith('/archive') ? turns.length : path === addressPath ? 0.5 : turns.indexOf(method)
  const story = operations.toSorted((a, b) => turnOf(a) - turnOf(b) || a.path.length - b.path.length)
  for (const { path, method, operation } of story) {
    const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {}
    const bodies = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)]
    if (operation.requestBody !== undefined) t.ok(bodies.length > 0, `${method} ${path}: a body has an example`)
    const [, all = ''] = /^(.*?)[/][{](?!workspace)/.exec(path) ?? []
    const place = path.replace(/[{](?!workspace)\w+[}]/, made.get(all) ?? token).replace('{workspace}', 'w1')
    for (const body of bodies.length === 0 ? [undefined] : bodies) {
      const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll('WORKSPACE_ID', 'w1'))
      const { status, json } = await world.call(method, fromRoot(place), {
        token: path === addressPath ? null : owner,
        body: sent,
      })
      t.ok(status < 300, `${method} ${path}: ${JSON.stringify(json)}`)
      t.equal(json.result?.rejected ?? 0, 0, `${method} ${path}: no item of a batch is refused`)
      const fits = judge(method, path, status)
      t.ok(fits(json), `${method} ${path}: ${JSON.stringify(fits.errors)}`)
      if (method === 'POST' && status === 201) made.set(path, json.result.id)
      token = json.result?.token ?? token
    }
  }
})

t.test('every refusal of v3 has a status and a shape that the document describes', async t => {
  const faults = [{ token: null }, { token: viewer }, { raw: '{' }, { raw: '{"x":1}' }, { raw: 'x'.repeat(300_000) }, {}]
  for (const { path, method } of operations) {
    for (const [i, fault] of faults.entries()) {
      const query = i === faults.length - 1 ? '?unknown=1' : ''
      const at = path.replace('{workspace}', i % 2 === 0 ? 'w1' : 'w9')
      for (const place of [at, path.replace('{workspace}', 'w1')]) {
        if (method === 'GET' && 'raw' in fault) continue
        const { status, json } = await world.call(method, `${fromRoot(place)}${query}`, { token: owner, ...fault })
        const fits = paths[path]?.[method.toLowerCase()]?.responses[status] === undefined ? null : judge(method, path, status)
        t.ok(fits?.(json), `${method} ${place}${query}: ${status} ${JSON.stringify(fits?.errors)}`)
      }
    }
  }
})

t.test('every response that the document of v3 shows fits its schema', async t => {
  for (const { path, method, operation } of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const { example } = content['application/json']
      t.equal(example !== undefined, status < '300', `${method} ${path} ${status}`)
      if (example === undefined) continue
      const fits = judge(method, path, status)
      t.ok(fits(example), `${method} ${path}: ${JSON.stringify(fits.errors)}`)
    }
  }
})

t.test('list with a cursor is described with the next cursor in meta', t => {
  const cursor = { schema: Type.String(), meaning: 'The `meta.next_cursor` of the page before.' }
  const planted = { ...v3Routes[0], path: '/planted', query: { cursor } } as Route
  const planned = v3Document(version, [planted])
  ajv.addSchema(planned, 'planted')
  const fits = ajv.compile({
    $ref: `planted#/paths/${pointer('/v3/planted')}/get/responses/200/content/${pointer('application/json')}/schema`,
  })
  const page = (meta: unknown) => ({ result: { version, api: 'v3' }, error: null, meta })
  t.ok(fits(page({ next_cursor: 'abc' })))
  t.ok(fits(page({ next_cursor: null })))
  t.notOk(fits(page(null)))
  t.end()
})

t.test('document of v3 is served without a key, and the documentation page links it', async t => {
  const get = async (path: string) => (await fetch(`${world.address}/api/openapi/${path}`)).text()
  t.strictSame(JSON.parse(await get('v3.json')), JSON.parse(JSON.stringify(document)))
  t.match(await get(''), /href="v3\.json"/)
})
