// The document of the session API has every registered route. Its examples succeed when a signed-in browser sends them unchanged to a whole
// installation, and the responses fit the document.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fastify as createFastify, type RouteOptions } from 'fastify'
import t from 'tap'
import { createAudit } from '../../services/gateway/audit/audit.ts'
import type { GatewayContext } from '../../services/gateway/context.ts'
import { sessionDescriptions, sessionDocument } from '../../services/gateway/openapi/session-document.ts'
import { sessionFamily } from '../../services/gateway/session/family.ts'
import { startInstallation } from '../fuzz/installation.ts'
import { openBrowser, type Shown } from '../support/clients/browser.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { incidentSalt, version } from '../support/worlds/api-world.ts'

interface Operation {
  requestBody?: { content: { 'application/json': { example: unknown } } }
  responses: Record<string, { content?: { 'application/json': { example?: unknown } } }>
}
type Documented = { paths: Record<string, Record<string, Operation>> }

const document = sessionDocument(version)
const { paths } = document as unknown as Documented
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'session')
const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
const judge = (method: string, path: string, status: number) =>
  ajv.compile({
    $ref: `session#/paths/${pointer(path)}/${method.toLowerCase()}/responses/${status}/content/${pointer('application/json')}/schema`,
  })

const subject = '/session/subjects/{subjectId}'
/** An example that creates an object is sent before the examples that use the object. */
const story = [
  ...['GET /session/sign-in', 'POST /session/sign-in', 'GET /session'],
  'GET /session/workspaces/{workspaceId}/template-uses',
  'PUT /session/users/{userId}/password',
  ...['GET', 'POST'].map(method => `${method} /session/keys`),
  'DELETE /session/keys/{keyId}',
  ...['POST', 'PATCH', 'DELETE'].map(method => `${method} ${subject}/maintenance`),
  ...[`POST ${subject}/signals`, `POST ${subject}/rules`, `POST ${subject}/rules/trial`, `DELETE ${subject}`],
  ...['PUT /session/password', 'POST /session/sign-out'],
]
/**
 * Routes without an example here. Routes with an OIDC provider are tested in test/gateway/oidc.test.ts, routes with a monitor or incident in
 * test/gateway/session.
 */
const apart = [
  ...['POST', 'DELETE'].map(method => `${method} /session/workspaces/{workspaceId}/destinations/{destinationId}/secret`),
  'GET /session/monitors/{monitorId}/observations',
  'GET /session/monitors/{monitorId}',
  ...['GET /session/oidc/start', 'GET /session/oidc/callback'],
  ...['records', 'inspection'].map(part => `GET /session/incidents/{incidentId}/${part}`),
  'GET /session/machines/{machine}/{form}',
]

t.test('document of the session API is OpenAPI 3.1', async t => {
  t.strictSame(await new Validator().validate(structuredClone(document)), { valid: true })
  t.notMatch(JSON.stringify(document), /"(needed|documented|\$id)"/, 'no mark of ours is left')
})

t.test('document of the session API describes exactly the registered routes', async t => {
  const found: string[] = []
  const fastify = createFastify()
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    for (const one of [method].flat()) if (one !== 'HEAD') found.push(`${one} ${url.replace(/\/$/, '')}`)
  })
  const clock = createHandClock()
  const context = { clock, version, audit: createAudit(clock, null) } as unknown as GatewayContext
  const { prefix, routes } = sessionFamily
  await fastify.register(
    routes(context, (_request, _reply, done) => done(), { version, incidentSalt }),
    { prefix },
  )
  await fastify.close()
  const described = Object.keys(sessionDescriptions)
  t.strictSame([...new Set(found)].map(route => route.replaceAll(/:(\w+)/g, '{$1}')).toSorted(), described.toSorted())
  t.strictSame([...new Set([...story, ...apart])].toSorted(), described.toSorted(), 'and each is told')
})

t.test('every example of the session API succeeds when it is sent', async t => {
  const installation = await startInstallation(version)
  t.teardown(() => installation.stop())
  const browser = openBrowser(installation.url, { [new URL(installation.url).host]: installation.url })
  const owner = await installation.ask('find-user', { username: 'owner' })
  const [workspace] = await installation.ask('list-workspaces', { userId: owner?.id ?? '' })
  const ids: Record<string, string> = {
    ...{ OWNER_PASSWORD: 'a good password', WORKSPACE_ID: workspace?.id ?? '', SUBJECT_ID: await makeMonitor() },
    USER_ID: 'user-lin',
  }
  await installation.ask('create-user', { id: 'user-lin', username: 'lin', displayName: '', password: null, admin: false })
  await installation.ask('set-password', { userId: owner?.id ?? '', password: ids['OWNER_PASSWORD'] ?? '' })
  const put = (text: string) => Object.entries(ids).reduce((done, [word, id]) => done.replaceAll(word, id), text)
  for (const route of story) {
    const [method = '', path = ''] = route.split(' ')
    const { status = 200, body } = sessionDescriptions[route] ?? {}
    const example = paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'].example
    t.equal(example !== undefined, body !== undefined, `${route}: a body has an example`)
    const at = put(path.replaceAll(/[{](\w+)Id[}]/g, (_, noun: string) => `${noun.toUpperCase()}_ID`))
    const sent = example === undefined ? {} : { body: JSON.parse(put(JSON.stringify(example))) }
    const shown = await browser.send(method, at, sent)
    t.equal(shown.status, status, `${route}: ${shown.text}`)
    t.ok(isAllowed(method, path, shown), `${route}: the answer is as documented: ${shown.text}`)
    if (route === 'POST /session/keys') ids['KEY_ID'] = shown.json.id
  }

  async function makeMonitor(): Promise<string> {
    const headers = { authorization: `Bearer ${installation.key}`, 'content-type': 'application/json' }
    const send = async (path: string, options: RequestInit) => {
      const answer = await fetch(`${installation.url}/api/v2${path}`, { headers, ...options })
      return (await answer.json()) as { result: { id: string } & { id: string }[] }
    }
    const [workspace] = (await send('/workspaces', {})).result
    const monitor = {
      workspace_id: workspace?.id,
      name: 'Shop',
      interval: 60,
      request: { url: 'https://shop.example/', method: 'GET' },
      response: { statuses: [200] },
    }
    return (await send('/monitoring/websites', { method: 'POST', body: JSON.stringify(monitor) })).result.id
  }
})

t.test('refusal of the session API fits its document', async t => {
  const installation = await startInstallation(version)
  t.teardown(() => installation.stop())
  const browser = openBrowser(installation.url, { [new URL(installation.url).host]: installation.url })
  for (const route of [...story, ...apart]) {
    const [method = '', path = ''] = route.split(' ')
    const shown = await browser.send(method, path.replaceAll(/[{]\w+[}]/g, 'unknown000'), method === 'GET' ? {} : { raw: '{' })
    t.ok(isAllowed(method, path, shown), `${route}: ${shown.status} ${shown.text}`)
  }
})

t.test('every response that the document of the session API shows fits its schema', async t => {
  for (const [route, { status = 200, result }] of Object.entries(sessionDescriptions)) {
    const [method = '', path = ''] = route.split(' ')
    const example = paths[path]?.[method.toLowerCase()]?.responses[status]?.content?.['application/json'].example
    t.equal(example !== undefined, result !== undefined, route)
    if (example !== undefined) t.ok(judge(method, path, status)(example), `${route}: ${JSON.stringify(example)}`)
  }
})

/** Returns whether the route has the status and the body fits the schema of this status. */
function isAllowed(method: string, path: string, { status, json, text }: Shown): boolean {
  const described = paths[path]?.[method.toLowerCase()]?.responses[status]
  if (described === undefined) return false
  return described.content === undefined ? text === '' : judge(method, path, status)(json)
}
