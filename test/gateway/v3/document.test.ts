// OpenAPI document of generation 3: it has every registered route, real responses fit it, and its examples succeed as sent.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fastify as createFastify, type RouteOptions } from 'fastify'
import t from 'tap'
import { Type } from 'typebox'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { limits } from '#shared/limits/limits.ts'
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
const workspacePath = '/api/v3/workspaces/{workspace}'

let world: ApiWorld
let owner: string
let viewer: string
t.before(async () => {
  world = await startApiWorld()
  await startFakeNotifier(world.hub.connect())
  owner = (await world.addPerson('olga', { w1: 'owner' }, { admin: true })).token
  await world.addPerson('ada', {})
  await world.addPerson('hugo', {})
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
})
t.teardown(() => world.stop())

t.test('document of v3 is OpenAPI 3.1 without internal marks', async t => {
  t.strictSame(await new Validator().validate(structuredClone(document)), { valid: true })
  t.notMatch(
    JSON.stringify(document),
    /"(documented|refusal|missing|anyType|apart|emptyIsMissing|emptyIsUnset|\$id|\$defs|trimmed|plain)":/,
  )
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, v3Routes.length + 1)
})

t.test('document of v3 describes exactly the registered routes', async t => {
  const found: string[] = []
  const fastify = createFastify()
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    for (const one of [method].flat()) if (one !== 'HEAD') found.push(`${one} /api/v3${url.replaceAll(/:(\w+)/g, '{$1}')}`)
  })
  const context = { audit: createAudit(createHandClock(), null) } as unknown as GatewayContext
  await fastify.register(v3Family.routes(context, (_request, _reply, done) => done(), { version, incidentSalt }))
  await fastify.close()
  t.strictSame([...found, `POST ${addressPath}`].toSorted(), operations.map(({ method, path }) => `${method} ${path}`).toSorted())
})

t.test(
  'document of v3 has the Observation address at the root, with the header X-Observation-Key and no API key (v3 8.1, 8.3)',
  t => {
    const item = paths[addressPath] as unknown as { parameters: object[]; post: Operation }
    t.match(item.parameters, [
      { name: 'token', in: 'path', required: true },
      { name: 'X-Observation-Key', in: 'header', required: false },
    ])
    t.strictSame(item.post.security, [])
    t.strictSame(Object.keys(item.post.responses), ['202', '400', '401', '404', '413', '422', '429', '500'])
    t.end()
  },
)

t.test('clients that know only the server of the whole document call every operation of v3 at its address', async t => {
  const { servers } = document as unknown as { servers: object[] }
  t.strictSame(servers, [{ url: '/' }])
  t.notMatch(JSON.stringify(paths), /"servers"/)
  t.ok(operations.every(({ path }) => path.startsWith('/api/v3/') || path === addressPath))
})

t.test('filters of v3 are one object parameter for each prefix, whose members a client sends one by one', async t => {
  const { parameters } = (paths[`${workspacePath}/resources`]?.['get'] ?? {}) as unknown as {
    parameters: Filter[]
  }
  const filters = parameters.filter(({ style }) => style === 'form')
  t.match(
    filters.map(({ name, explode, schema: { type, maxProperties } }) => ({ name, explode, type, maxProperties })),
    ['meta', 'label'].map(name => ({
      name,
      explode: true,
      type: 'object',
      maxProperties: limits.v3[`${name as 'meta'}Filters`],
    })),
  )
  t.notMatch(JSON.stringify(paths), /"name":"\w+[.]"/)
  const members = { 'label.team': 'core', 'meta.method': 'GET' }
  const fits = filters.map(({ schema }) => new Ajv2020({ strict: false }).compile(schema))
  t.strictSame(
    fits.map(fits => Object.entries(members).map(([name, value]) => fits({ [name]: value }))),
    [
      [false, true],
      [true, false],
    ],
  )
  const query = new URLSearchParams({ template: 'website-check', ...members })
  const { status } = await world.call('GET', `/api/v3/workspaces/w1/resources?${query}`, { token: owner })
  t.equal(status, 200)
})

interface Filter {
  name: string
  style?: string
  explode?: boolean
  schema: { type: string; maxProperties?: number }
}

t.test('every part of the recursive decision of v3 has a name in the document, because generators of clients need one', t => {
  const { components } = document as unknown as { components: { schemas: Record<string, { anyOf: object[] }> } }
  const parts = components.schemas['DecisionNode']?.anyOf ?? []
  t.equal(parts.length, 9)
  t.ok(parts.every(part => '$ref' in part && Object.hasOwn(components.schemas, String(part.$ref).split('/').at(-1) ?? '')))
  t.end()
})

type Body = Record<string, unknown>
interface Described {
  schema?: Schema
  example?: Body
  examples?: Record<string, { value: Body }>
}
interface Schema {
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
}

/** Returns the body once for each optional member, of the body and of its items, each with this member null. */
function withNull({ properties = {}, required = [] }: Schema, body: Body): Body[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const [item] = Array.isArray(body[name]) ? (body[name] as Body[]) : []
    const inside = schema.items !== undefined && typeof item === 'object' ? withNull(schema.items, item) : []
    return [
      ...(required.includes(name) ? [] : [{ ...body, [name]: null }]),
      ...inside.map(changed => ({ ...body, [name]: [changed] })),
    ]
  })
}

t.test('every example of v3 fits the schema beside it', t => {
  let [examples, schemas] = [0, 0]
  const look = (value: unknown, place: string[]): void => {
    if (typeof value !== 'object' || value === null) return
    const described = value as { schema?: object; example?: unknown; examples?: Record<string, { value: unknown }> }
    if (described.schema !== undefined && ('example' in value || 'examples' in value)) {
      const fits = ajv.compile({ $ref: `v3#/${[...place, 'schema'].map(pointer).join('/')}` })
      const shown = [
        ...('example' in value ? [value.example] : []),
        ...Object.values(described.examples ?? {}).map(one => one.value),
      ]
      for (const example of shown) t.ok(fits(example), `${place.join(' ')}: ${JSON.stringify(fits.errors)}`)
      examples += shown.length
      schemas++
    }
    for (const [name, part] of Object.entries(value)) look(part, [...place, name])
  }
  look(document, [])
  t.ok(schemas > 80 && examples > schemas, `${examples} examples`)
  t.end()
})

t.test('every response of v3 to an example of its document fits the document', async t => {
  /** Ids of created objects, by the path at which each was created. */
  const made = new Map([[`${workspacePath}/incidents`, await addIncident(world, 'w1')]])
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  await ask('create-workspace', { id: 'doomed', name: 'Former shop', userId: 'user-olga' })
  await ask('create-location', { id: 'here', name: 'local', displayName: null })
  let token = 'nothing'
  /** Id of the Resource with a ping address. */
  let pinged: string | undefined
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
    if (all === '/api/v3/invitations') made.set(all, await invited('olga'))
    const place = path
      .replace(/[{](?!workspace)\w+[}]/, (path.includes('/ping-addresses') ? pinged : made.get(all)) ?? token)
      .replace('{signal}', 'run')
      .replace('{workspace}', path.endsWith('/deletion') ? 'doomed' : 'w1')
    for (const body of bodies.length === 0 ? [undefined] : bodies) {
      const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll('WORKSPACE_ID', 'w1'))
      const { status, json } = await world.call(method, place, {
        token: path === addressPath ? null : owner,
        body: sent,
      })
      t.ok(status < 300, `${method} ${path}: ${JSON.stringify(json)}`)
      t.equal(json.result?.rejected ?? 0, 0, `${method} ${path}: no item of a batch is refused`)
      const fits = judge(method, path, status)
      t.ok(fits(json), `${method} ${path}: ${JSON.stringify(fits.errors)}`)
      if (method === 'POST' && status === 201) made.set(path, json.result.id)
      if (json.result?.key === 'nightly-report') pinged = json.result.id
      token = json.result?.token ?? token
    }
  }
})

let invitations = 0

/** Invites the person to a new workspace of somebody else. Returns the id of the invitation. */
async function invited(username: string): Promise<string> {
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const workspaceId = `of-hugo-${++invitations}`
  await ask('create-workspace', { id: workspaceId, name: 'Of Hugo', userId: 'user-hugo' })
  const { id } = await ask('invite', { id: `${workspaceId}.1`, workspaceId, inviterId: 'user-hugo', username, role: 'viewer' })
  return id
}

t.test('optional member of a body of v3 may be null, and the document says so', async t => {
  const bodies = operations.flatMap(({ path, method, operation }) => {
    const { example, examples = {}, schema } = (operation.requestBody?.content['application/json'] ?? {}) as Described
    const body = example ?? Object.values(examples)[0]?.value
    if (body === undefined || schema === undefined) return []
    const fits = ajv.compile({
      $ref: `v3#/paths/${pointer(path)}/${method.toLowerCase()}/requestBody/content/${pointer('application/json')}/schema`,
    })
    return withNull(schema, body as Body).map(sent => ({ path, method, sent, fits }))
  })
  t.ok(bodies.length > 40, `${bodies.length} bodies`)
  for (const { path, method, sent, fits } of bodies) {
    t.ok(fits(sent), `${method} ${path} ${JSON.stringify(sent)}: ${JSON.stringify(fits.errors)}`)
    const place = path.replace('{workspace}', 'w1')
    if (place.includes('{')) continue
    const { status, json } = await world.call(method, place, { token: owner, body: sent })
    const isNeeded = otherwiseNeeded.has(json.error?.details.field)
    t.ok(status < 300 || status === 409 || isNeeded, `${method} ${path} ${JSON.stringify(sent)}: ${JSON.stringify(json.error)}`)
    t.equal(json.result?.rejected ?? 0, 0, `${method} ${path} ${JSON.stringify(sent)}`)
  }
})

/**
 * Optional members that the rest of the body of the example needs: the interval of a heartbeat, a Template to preview, files or the values
 * that they lack, and the address of a chat service.
 */
const otherwiseNeeded = new Set(['signals.0.every_seconds', 'manifest', 'files', 'url'])

t.test('every refusal of v3 has a status and a shape that the document describes', async t => {
  const faults = [{ token: null }, { token: viewer }, { raw: '{' }, { raw: '{"x":1}' }, { raw: 'x'.repeat(300_000) }, {}]
  for (const { path, method } of operations) {
    for (const [i, fault] of faults.entries()) {
      const query = i === faults.length - 1 ? '?unknown=1' : ''
      const at = path.replace('{workspace}', i % 2 === 0 ? 'w1' : 'w9')
      for (const place of [at, path.replace('{workspace}', 'w1')]) {
        if (method === 'GET' && 'raw' in fault) continue
        const { status, json } = await world.call(method, `${place}${query}`, { token: owner, ...fault })
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
    $ref: `planted#/paths/${pointer('/api/v3/planted')}/get/responses/200/content/${pointer('application/json')}/schema`,
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
