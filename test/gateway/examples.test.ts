// The examples of the API's documents, sent unchanged to a whole installation. Each example succeeds, and its response fits the document.
// Messages that the installation sends fit the document, too.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runInNewContext } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t, { type Test } from 'tap'
import { openApiDocument } from '../../services/gateway/openapi/document.ts'
import { generations } from '../../services/gateway/openapi/generations.ts'
import { type DocumentName, startScript } from '../../services/gateway/openapi/page.ts'
import { sampleToken } from '../../services/gateway/openapi/v3-document.ts'
import { type FuzzedInstallation, startInstallation } from '../fuzz/installation.ts'
import { version } from '../support/worlds/api-world.ts'
import { fakeProberIssuer } from '../support/worlds/fake-prober-issuer.ts'

type Name = keyof typeof generations

interface Documented {
  paths: Record<string, { parameters?: Parameter[] } & Operations>
}
type Operations = { [method in 'get' | 'post' | 'delete']?: DocumentedOperation }
interface DocumentedOperation {
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { example?: unknown } } }
  responses: { 200: { content: { 'application/json': { example: unknown } } } }
}
interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  example?: string
}

/** Examples in the order of their use: an object is created before the examples that use it. */
const stories: Record<Name, string[]> = {
  v1: [
    ...['GET /version', 'GET /v1/workspaces', 'GET /v1/regions', 'POST /v1/rules', 'GET /v1/rules', 'GET /v1/rules/{uid}'],
    ...['POST /v1/rules/{uid}', 'POST /v1/rules/{uid}/incidents/{incident}/acknowledge', 'DELETE /v1/rules/{uid}'],
  ],
  v2: [
    ...['GET /version', 'GET /v2/workspaces', 'GET /v2/locations'],
    ...['POST /v2/notifications/transformations/preview', 'POST /v2/notifications/transformations'],
    ...['GET /v2/notifications/transformations', 'GET /v2/notifications/transformations/samples'],
    ...['GET', 'POST'].map(method => `${method} /v2/notifications/transformations/{id}`),
    ...['POST /v2/notifications/destinations', 'GET /v2/notifications/destinations'],
    'POST /v2/notifications/destinations/{id}/test',
    ...['GET', 'POST'].map(method => `${method} /v2/notifications/destinations/{id}`),
    ...['enabled', 'default'].map(word => `POST /v2/notifications/destinations/{id}/${word}`),
    ...['POST', 'GET'].map(method => `${method} /v2/monitoring/websites`),
    ...['GET', 'POST'].map(method => `${method} /v2/monitoring/websites/{id}`),
    ...['POST', 'GET', 'DELETE'].map(method => `${method} /v2/monitoring/websites/{id}/delivery`),
    'GET /v2/incidents',
    ...['POST', 'GET'].map(method => `${method} /v2/subjects`),
    'GET /v2/subjects/{subject}',
    ...['POST', 'GET'].map(method => `${method} /v2/subjects/{subject}/signals`),
    ...['GET', 'POST'].map(method => `${method} /v2/subjects/{subject}/signals/{signal}`),
    ...['POST', 'GET'].map(method => `${method} /v2/subjects/{subject}/rules`),
    'GET /v2/subjects/{subject}/rules/{rule}',
    'POST /v2/subjects/{subject}/signals/{signal}/observations',
    'GET /v2/subjects/{subject}/incidents',
    'POST /v2/subjects/{subject}/incidents/{incident}/acknowledge',
    'POST /v2/subjects/{subject}/rules/{rule}',
    'POST /v2/subjects/{subject}/maintenance',
    'GET /v2/subjects/{subject}/maintenance',
    'POST /v2/subjects/{subject}/maintenance/ends_at',
    'DELETE /v2/subjects/{subject}/maintenance',
    ...['POST', 'GET', 'DELETE'].map(method => `${method} /v2/subjects/{subject}/delivery`),
    'GET /v2/notifications/deliveries',
    ...['rules/{rule}', 'signals/{signal}'].map(part => `DELETE /v2/subjects/{subject}/${part}`),
    'DELETE /v2/monitoring/websites/{id}',
    ...['destinations', 'transformations'].map(noun => `DELETE /v2/notifications/${noun}/{id}`),
  ],
}

const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
const documentOf = (name: Name) => openApiDocument(generations[name], version) as unknown as Documented & object

function judgeOf(name: Name) {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(documentOf(name), name)
  return (place: string) => ajv.compile({ $ref: `${name}#/${place}` })
}

const answerPlace = (method: string, path: string) =>
  `paths/${pointer(path)}/${method.toLowerCase()}/responses/200/content/${pointer('application/json')}/schema`

/** Starts a receiver that stores the bodies of messages. */
async function startReceiver(t: Test) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString())
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies }
}

async function call({ url, key }: FuzzedInstallation, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return answer.json() as Promise<{ result: never; error: unknown }>
}

/** Returns the id of the first open incident at a path. A failing check opens the incident within seconds. */
async function incidentAt(installation: FuzzedInstallation, path: string): Promise<string> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const { result } = await call(installation, 'GET', path)
    const [incident] = result as { id: string }[]
    if (incident) return incident.id
    if (performance.now() > deadline) throw new Error(`no incident opened at ${path}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

for (const name of ['v1', 'v2'] as const) {
  t.test(`every example of ${name} succeeds when it is sent unchanged`, async t => {
    const installation = await startInstallation(version)
    t.teardown(() => installation.stop())
    const receiver = await startReceiver(t)
    const [workspace] = (await call(installation, 'GET', '/v2/workspaces')).result as { id: string }[]
    const ids: Record<string, string> = { WORKSPACE_ID: workspace?.id ?? '', 'https://hooks.example.com/': receiver.url }
    const put = (text: string) => Object.entries(ids).reduce((put, [word, id]) => put.replaceAll(word, id), text)
    const { paths } = documentOf(name)
    const judge = judgeOf(name)
    t.strictSame(stories[name].toSorted(), Object.keys(generations[name].routes).toSorted(), 'the story has every route once')
    for (const route of stories[name]) {
      const [method = '', path = ''] = route.split(' ')
      const operation = paths[path]?.[method.toLowerCase() as 'get'] as DocumentedOperation
      const at = await placeOf(route, path, [...(paths[path]?.parameters ?? []), ...(operation.parameters ?? [])])
      const example = operation.requestBody?.content['application/json'].example
      t.equal(example !== undefined, operation.requestBody !== undefined, `${route}: a body has an example`)
      const answer = await call(
        installation,
        method,
        at,
        example === undefined ? undefined : JSON.parse(put(JSON.stringify(example))),
      )
      t.equal(answer.error, null, `${route}: ${JSON.stringify(answer.error)}`)
      const fits = judge(answerPlace(method, path))
      t.ok(fits(answer), `${route}: the answer is as documented ${JSON.stringify(fits.errors)}`)
      const { id } = (answer.result ?? {}) as { id?: string }
      if (route === 'POST /v1/rules' || route === 'POST /v2/monitoring/websites') ids['MONITOR_ID'] = id ?? ''
    }
    if (name === 'v2') {
      const isMessage = judge('components/schemas/SlackMessage')
      t.ok(receiver.bodies.length >= 1 && receiver.bodies.every(body => isMessage(JSON.parse(body))), 'a test came as documented')
    }

    async function placeOf(route: string, path: string, parameters: Parameter[]): Promise<string> {
      if (route.includes('{incident}')) {
        const incidents = name === 'v1' ? `/v2/incidents?workspace_id=${ids['WORKSPACE_ID']}` : '/v2/subjects/queue-api/incidents'
        ids['INCIDENT_ID'] = await incidentAt(installation, incidents)
      }
      const query = new URLSearchParams()
      let at = path
      for (const { name, in: where, required, example } of parameters) {
        t.equal(example !== undefined, required, `${route}: ${name} has an example if it is required`)
        if (where === 'path') at = at.replace(`{${name}}`, encodeURIComponent(put(example ?? '')))
        else if (example !== undefined) query.set(name, put(example))
      }
      return query.size === 0 ? at : `${at}?${query}`
    }
  })

  t.test(`every response that the document of ${name} shows fits its schema`, async t => {
    const judge = judgeOf(name)
    for (const [path, { parameters: _, ...operations }] of Object.entries(documentOf(name).paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const { example } = operation.responses[200].content['application/json']
        const fits = judge(answerPlace(method, path))
        t.ok(fits(example), `${method} ${path} ${JSON.stringify(fits.errors)}`)
        t.notMatch(
          JSON.stringify([example, operation.requestBody?.content['application/json'].example]),
          '"string"',
          'no word of a generator is left',
        )
      }
    }
  })
}

interface V3Operation {
  tags: string[]
  parameters?: Parameter[]
  security?: unknown[]
  requestBody?: { content: { 'application/json': { example?: unknown; examples?: Record<string, { value: unknown }> } } }
}

t.test('examples of v3 succeed unchanged in the order in which the page shows them', async t => {
  const installation = await startInstallation(version, fakeProberIssuer)
  t.teardown(() => installation.stop())
  const receiver = await startReceiver(t)
  const document = (await (await fetch(`${installation.url}/api/openapi/v3.json`)).json()) as {
    servers: [{ url: string }]
    paths: Record<string, { parameters?: Parameter[] } & Record<string, V3Operation>>
  }
  const operations = Object.entries(document.paths).flatMap(([path, { parameters = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, parameters, method: method.toUpperCase(), operation })),
  )
  // The page shows the operations by tag, in the order of the first operation of each tag.
  const shown = Object.values(Object.groupBy(operations, ({ operation }) => operation.tags[0] ?? '')).flatMap(
    those => those ?? [],
  )
  const [workspace] = (await call(installation, 'GET', '/v2/workspaces')).result as { id: string }[]
  // The Observations of the examples open an incident, which later examples acknowledge.
  const ids: Record<string, string> = { WORKSPACE_ID: workspace?.id ?? '', 'https://hooks.example.com/': receiver.url }
  ids['https://pager.example.com/'] = receiver.url
  const put = (text: string) => Object.entries(ids).reduce((put, [word, id]) => put.replaceAll(word, id), text)
  const { ask } = installation
  await ask('create-user', { id: 'user-ada', username: 'ada', displayName: 'Ada', password: null, admin: false })
  /** Prepares what an example is about and no earlier example makes; returns ids that hold for this example. */
  const prepared: Record<string, () => Promise<Record<string, string>>> = {
    'POST /workspaces/{workspace}/deletion': async () => {
      const { result } = await call(installation, 'POST', '/v3/workspaces', { name: 'Former shop' })
      return { WORKSPACE_ID: (result as { id: string }).id }
    },
    'POST /invitations/{invitation}/accept': invited,
    'DELETE /invitations/{invitation}': invited,
  }
  const [me] = (await call(installation, 'GET', `/v3/workspaces/${workspace?.id}/members`)).result as { username: string }[]
  let inviting = 0
  async function invited(): Promise<Record<string, string>> {
    const workspaceId = `inviting0${++inviting}`
    await ask('create-workspace', { id: workspaceId, name: 'Inviting', userId: 'user-ada' })
    const sent = {
      id: `${workspaceId}.1`,
      workspaceId,
      inviterId: 'user-ada',
      username: me?.username ?? '',
      role: 'viewer' as const,
    }
    return { INVITATION_ID: (await ask('invite', sent)).id }
  }
  for (const { path, parameters, method, operation } of shown) {
    const own = await prepared[`${method} ${path.replace(/^\/api\/v3/, '')}`]?.()
    const { example, examples = {} } = operation.requestBody?.content['application/json'] ?? {}
    const bodies = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)]
    let at = path
    for (const parameter of parameters.filter(one => one.in === 'path')) {
      const example = parameter.example ?? ''
      const given = { ...ids, ...own }[example]
      // An id itself may be letters only, so what is looked at is the word of the example that stands for one.
      t.notOk(given === undefined && /^[A-Z_]+$/.test(example), `${method} ${path}: an earlier answer gave ${parameter.name}`)
      const value = given ?? example
      at = at.replace(`{${parameter.name}}`, encodeURIComponent(value))
    }
    for (const body of bodies.length === 0 ? [undefined] : bodies) {
      const answer = await fetch(new URL(at, new URL(document.servers[0].url, installation.url)), {
        method,
        headers: {
          ...(operation.security?.length === 0 ? {} : { authorization: `Bearer ${installation.key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: put(JSON.stringify(body)) }),
      })
      const { result, error } = (await answer.json()) as {
        result: { id?: string; token?: string; rejected?: number }
        error: unknown
      }
      t.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(error)}`)
      t.equal(result?.rejected ?? 0, 0, `${method} ${path}: no item of a batch is refused`)
      learn(path, method, Array.isArray(result) ? (result[0] ?? {}) : (result ?? {}))
    }
  }

  /** Remembers the id of a created object, and that of the first listed incident, by the word that stands for it. */
  function learn(path: string, method: string, { id, token }: { id?: string; token?: string }): void {
    const nouns = /(incident|destination|address|ping-key|invitation|member|user|location|credential)(?:es|s)$/
    const [, noun = ''] = path.endsWith('/ping-addresses') ? [] : (nouns.exec(path) ?? [])
    const word = noun === 'member' ? 'USER_ID' : `${noun.toUpperCase().replace('-', '_')}_ID`
    if (id !== undefined && noun !== '' && (method === 'POST' || noun === 'incident')) ids[word] = id
    if (token !== undefined) ids[sampleToken] = token
  }
})

t.test('message that the document shows fits its schema', async t => {
  const place = `webhooks/message/post/requestBody/content/${pointer('application/json')}`
  const { webhooks } = documentOf('v2') as never as Record<'webhooks', Record<'message', { post: DocumentedOperation }>>
  const fits = judgeOf('v2')(`${place}/schema`)
  t.ok(fits(webhooks.message.post.requestBody?.content['application/json'].example), JSON.stringify(fits.errors))
})

t.test('page replaces WORKSPACE_ID by the first workspace of its reader', async t => {
  interface Request {
    url: string
    headers: Record<string, string>
    body?: string
  }
  type Bundle = { url: string; requestInterceptor: (request: Request) => Promise<Request> }
  const asked: unknown[] = []
  const open = (search: string, names: DocumentName[] = ['v2', 'v1', 'v3', 'session']): Bundle => {
    let given: Bundle | undefined
    runInNewContext(startScript(names), {
      URLSearchParams,
      location: { search },
      fetch: async (...sent: unknown[]) => {
        asked.push(sent)
        return { json: async () => ({ result: [{ id: 'w1' }, { id: 'w2' }] }) }
      },
      SwaggerUIBundle: (bundle: Bundle) => (given = bundle),
    })
    return given as Bundle
  }
  t.equal(open('').url, 'v2.json')
  t.equal(open('?document=v1').url, 'v1.json')
  t.equal(open('?document=session').url, 'session.json')
  t.equal(open('?document=v3').url, 'v3.json')
  t.equal(open('?document=https://evil.example/x').url, 'v2.json')
  t.equal(open('?document=v2', ['v3', 'session']).url, 'v3.json', 'one that is not served')
  const { requestInterceptor } = open('')
  const headers = { Authorization: 'Bearer key' }
  const sent = await requestInterceptor({
    url: '/api/v2/subjects?workspace_id=WORKSPACE_ID',
    headers,
    body: '{"a":"WORKSPACE_ID"}',
  })
  t.strictSame(sent, { url: '/api/v2/subjects?workspace_id=w1', headers, body: '{"a":"w1"}' })
  t.strictSame(JSON.parse(JSON.stringify(asked)), [['/api/v3/workspaces', { headers }]])
  const other = { url: '/api/v2/subjects?workspace_id=WORKSPACE_ID', headers: {} }
  t.strictSame(await requestInterceptor({ ...other }), other, 'without a key nothing is asked')
  t.strictSame(await requestInterceptor({ url: 'v2.json', headers }), { url: 'v2.json', headers })
  t.equal(asked.length, 1)
})
