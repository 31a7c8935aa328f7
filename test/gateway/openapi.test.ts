// The OpenAPI documents agree with the registered routes and the tables of docs/reference, and are valid OpenAPI. The fuzz tests
// (test/fuzz) generate requests from the documents and check real responses against them.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fastify as createFastify, type RouteOptions } from 'fastify'
import t from 'tap'
import { formatDuration } from '#shared/time/durations.ts'
import type { GatewayContext } from '../../services/gateway/context.ts'
import { apiRoutes } from '../../services/gateway/http/api.ts'
import { openApiDocument, refusalsOf } from '../../services/gateway/openapi/document.ts'
import { generations } from '../../services/gateway/openapi/generations.ts'
import { readWebsite } from '../../services/gateway/v2/website-body.ts'
import { routes } from '../conformance/routes.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { type ApiWorld, startApiWorld, version } from '../support/worlds/api-world.ts'

/** Routes of reference/envelope 1.1 and 7, and of reference/website-monitors 1.1. */
const tableA = [
  'GET /version',
  ...['GET /v2/workspaces', 'GET /v1/workspaces', 'GET /v2/locations', 'GET /v1/regions', 'GET /v2/incidents'],
  ...['GET /v2/monitoring/websites', 'POST /v2/monitoring/websites', 'GET /v2/monitoring/websites/{id}'],
  ...['POST /v2/monitoring/websites/{id}', 'DELETE /v2/monitoring/websites/{id}'],
  ...['GET /v1/rules', 'POST /v1/rules', 'GET /v1/rules/{uid}', 'POST /v1/rules/{uid}', 'DELETE /v1/rules/{uid}'],
  'POST /v1/rules/{uid}/incidents/{incident}/acknowledge',
]

/** Routes of reference/custom-subjects, reference/incidents 5.2 and 6.1, and reference/messages. */
const tableB = [
  ...['GET /v2/subjects', 'POST /v2/subjects', 'GET /v2/subjects/{subject}'],
  ...['GET /v2/subjects/{subject}/signals', 'POST /v2/subjects/{subject}/signals'],
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/subjects/{subject}/signals/{signal}`),
  ...['GET /v2/subjects/{subject}/rules', 'POST /v2/subjects/{subject}/rules'],
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/subjects/{subject}/rules/{rule}`),
  'POST /v2/subjects/{subject}/signals/{signal}/observations',
  'GET /v2/subjects/{subject}/incidents',
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/subjects/{subject}/maintenance`),
  'POST /v2/subjects/{subject}/maintenance/ends_at',
  'POST /v2/subjects/{subject}/incidents/{incident}/acknowledge',
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/subjects/{subject}/delivery`),
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/monitoring/websites/{id}/delivery`),
  ...['GET /v2/notifications/destinations', 'POST /v2/notifications/destinations'],
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/notifications/destinations/{id}`),
  ...['enabled', 'default', 'test'].map(word => `POST /v2/notifications/destinations/{id}/${word}`),
  ...['GET /v2/notifications/transformations', 'POST /v2/notifications/transformations'],
  ...['GET /v2/notifications/transformations/samples', 'POST /v2/notifications/transformations/preview'],
  ...['GET', 'POST', 'DELETE'].map(method => `${method} /v2/notifications/transformations/{id}`),
  'GET /v2/notifications/deliveries',
]

const described = [...new Set(Object.values(generations).flatMap(({ routes }) => Object.keys(routes)))]
const nameless = (routes: string[]) => routes.map(route => route.replaceAll(/[{]\w+[}]|:\w+/g, '{}')).toSorted()

/** Routes that the gateway registers under /api except generation 3, written as `GET /v2/workspaces`. */
async function registeredRoutes(): Promise<string[]> {
  const found: string[] = []
  const fastify = createFastify()
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    for (const one of [method].flat()) if (one !== 'HEAD') found.push(`${one} ${url}`)
  })
  const context = { clock: createHandClock(), version } as unknown as GatewayContext
  await fastify.register(apiRoutes(context, (_request, _reply, done) => done()))
  await fastify.close()
  return found.filter(route => !route.includes(' /v3'))
}

t.test('described routes equal the registered routes', async t => {
  t.strictSame(nameless(await registeredRoutes()), nameless(described))
})

t.test('OpenAPI describes exactly the routes of the reference', async t => {
  t.strictSame(described.toSorted(), [...tableA, ...tableB].toSorted())
})

t.test('every described route has a line in the conformance table', async t => {
  const listed = routes.map(({ method, path }) => `${method} ${path.replace(/[?].*/, '')}`)
  // Route that needs a notifier and a receiver. The tests in test/conformance/notifications-v2/ cover the route and its rights.
  const apart = 'POST /v2/notifications/destinations/{id}/test'
  t.strictSame(nameless([...new Set(listed), apart]), nameless(described))
})

t.test('each generation has its own routes and the shared routes', async t => {
  t.strictSame(
    Object.keys(generations.v1.routes).filter(route => !/ \/(v1\/|version$)/.test(route)),
    [],
  )
  t.strictSame(
    Object.keys(generations.v2.routes).filter(route => !/ \/(v2\/|version$)/.test(route)),
    [],
  )
})

for (const [name, generation] of Object.entries(generations)) {
  t.test(`document of ${name} is OpenAPI 3.1`, async t => {
    const validator = new Validator()
    const document = openApiDocument(generation, version)
    t.strictSame(await validator.validate(structuredClone(document)), { valid: true })
    t.equal(validator.version, '3.1')
    const ids = JSON.stringify(document['paths']).match(/"operationId":"[^"]+"/g) ?? []
    t.equal(new Set(ids).size, Object.keys(generation.routes).length, 'every operation has an id of its own')
    t.notMatch(JSON.stringify(document), /"(needed|documented|\$id)"/, 'no mark of ours is left')
  })
}

t.test('body with required fields is required on every route', t => {
  interface Documented {
    paths: Record<string, Record<string, { requestBody?: { required: boolean; content: Record<string, { schema: Schema }> } }>>
    components: { schemas: Record<string, Schema> }
  }
  type Schema = { $ref?: string; required?: string[] }
  for (const [name, generation] of Object.entries(generations)) {
    const { paths, components } = openApiDocument(generation, version) as never as Documented
    for (const [route, { body }] of Object.entries(generation.routes)) {
      if (body === undefined) continue
      const [method = '', path = ''] = route.split(' ')
      const { required, content } = paths[path]?.[method.toLowerCase()]?.requestBody ?? {}
      const schema = content?.['application/json']?.schema ?? {}
      const meant = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
      t.equal(required, (meant?.required ?? []).length > 0, `${name}: ${route}`)
    }
  }
  const { paths } = openApiDocument(generations.v2, version) as never as Documented
  t.equal(paths['/v2/monitoring/websites']?.['post']?.requestBody?.required, true)
  t.equal(paths['/v2/notifications/destinations/{id}/test']?.['post']?.requestBody?.required, false)
  t.end()
})

t.test('documented bounds of a body equal the bounds of its reader', async t => {
  const { components } = openApiDocument(generations.v2, version) as never as { components: { schemas: Record<string, object> } }
  t.match(components.schemas['CreateWebsiteMonitor'], {
    required: ['name', 'interval', 'request', 'response', 'workspace_id'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 100 },
      interval: { type: 'integer', minimum: 60, maximum: 86_400, multipleOf: 60 },
      response: {
        required: ['statuses'],
        properties: { statuses: { minItems: 1, maxItems: 10, items: { type: 'integer', minimum: 100 } } },
      },
      locations: { anyOf: [{ type: 'array', maxItems: 64 }, { type: 'null' }] },
      agreement: { anyOf: [{ enum: ['any', 'majority', 'all'] }, { type: 'null' }] },
    },
  })
})

t.test('Access denied is documented exactly for routes that can deny access', async t => {
  const described = { ...generations.v1.routes, ...generations.v2.routes }
  for (const { method, path, needs, outsider } of routes) {
    const [name = ''] = nameless([`${method} ${path.replace(/[?].*/, '')}`])
    const [, route] = Object.entries(described).find(([key]) => nameless([key])[0] === name) ?? []
    if (route === undefined) return t.fail(`${name} is not described`)
    const isPossible = needs === 'editor' || outsider?.code === 2005 || 'workspace_id' in (route.query ?? {})
    t.equal(refusalsOf(route).includes('2005 Access denied'), isPossible, name)
  }
})

t.test('every duration that the API returns fits the pattern of the document', async t => {
  const { components } = openApiDocument(generations.v2, version) as never as Components
  const pattern = new RegExp(components.schemas['Policy']?.properties?.wait?.properties?.confirm_after?.pattern ?? 'none')
  for (const ms of [0, 1, 250, 999, 1_000, 1_500, 59_999, 60_000, 90_001, 3_600_000, 3_600_250, 8_760 * 3_600_000]) {
    t.match(formatDuration(ms), pattern, `${ms} ms`)
  }
  for (const other of ['', '5', 'ms', '1m250ms', '1d', '-1s']) t.notMatch(other, pattern)
})

t.test('accepted address of a website fits the document', async t => {
  const document = openApiDocument(generations.v2, version)
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'v2')
  const fits = ajv.compile({ $ref: 'v2#/components/schemas/UpdateWebsiteMonitor' })
  for (const url of [
    'https://a.example/',
    'HTTP://münchen.example/straße',
    'https://a.example/{x}?q=a|b^c',
    'http://[::1]:8080',
  ]) {
    const body = { name: 'Shop', interval: 60, request: { url, method: 'GET' as const }, response: { statuses: [200] } }
    t.equal(readWebsite(body).check.url, url)
    t.ok(fits(body), `${url}: ${ajv.errorsText(fits.errors)}`)
  }
})

interface Components {
  components: { schemas: Record<string, Properties> }
}
interface Properties {
  pattern?: string
  properties?: Record<string, Properties>
}

t.test('gateway serves the documents and their page without a key', async t => {
  const world: ApiWorld = await startApiWorld()
  t.teardown(() => world.stop())
  const get = (path: string, method = 'GET') => fetch(`${world.address}${path}`, { method, redirect: 'manual' })

  for (const [name, generation] of Object.entries(generations)) {
    const answer = await get(`/api/openapi/${name}.json`)
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), /^application\/json/)
    t.strictSame(await answer.json(), openApiDocument(generation, version), `${name} needs no key`)
  }

  const page = await get('/api/openapi/')
  const html = await page.text()
  t.match(page.headers.get('content-type'), /^text\/html/)
  t.match(page.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self';/)
  t.notMatch(page.headers.get('content-security-policy'), /https?:|\*|unsafe-eval/, 'nothing of another host')
  t.notMatch(html, /https?:|\/\//, 'the page names no other host')
  const parts = [...html.matchAll(/(?:src|href)="([^"?]+)"/g)].map(([, part]) => part as string)
  t.ok(parts.length >= 6)
  t.ok(parts.includes('icon.svg'))
  for (const path of ['/favicon.ico', '/api/openapi/icon.svg']) {
    const icon = await get(path)
    t.equal(icon.status, 200, path)
    t.equal(icon.headers.get('content-type'), 'image/svg+xml')
    t.match(await icon.text(), /^<svg .*<\/svg>\n$/s)
  }
  for (const part of parts) {
    const answer = await get(`/api/openapi/${part}`)
    t.equal(answer.status, 200, part)
    t.ok((await answer.text()).length > 100)
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
  const start = await (await get('/api/openapi/start.js')).text()
  t.match(start, `'v3') + '.json'`, 'the page opens with the document of generation 3')
  t.match(html, /document=v3.*document=v2.*document=v1.*document=session/s)
  const redirected = await get('/api/openapi')
  t.equal(new URL(redirected.headers.get('location') as string, `${world.address}/api/openapi`).pathname, '/api/openapi/')

  for (const [method, path] of [
    ['GET', '/api/openapi/nothing'],
    ['GET', '/api/openapi/../../package.json'],
    ['GET', '/api/openapi/%2e%2e%2fpackage.json'],
    ['POST', '/api/openapi/v2.json'],
    ['GET', '/api/v2/openapi'],
  ] as const) {
    const answer = await get(path, method)
    const text = await answer.text()
    if (path.includes('..')) t.notMatch(text, /devDependencies/)
    else t.equal(JSON.parse(text).error.code, 1001, `${method} ${path} is as any path under /api`)
  }
})
