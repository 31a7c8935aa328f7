// The client of generation 3 of the API. A plain HTTP server sends it the responses of each test case.
import { createServer, type RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { createApiClient } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable } from '#shared/api-v3/errors.ts'

const key = 'wk_secret_of_the_test'

async function clientOf(t: Test, listener: RequestListener, prefix = '') {
  const server = createServer(listener)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return createApiClient({ url: `http://127.0.0.1:${port}${prefix}`, key, userAgent: 'client-test/1' })
}

const envelope = (result: unknown, cursor: string | null = null) =>
  JSON.stringify({ result, error: null, meta: cursor === null ? null : { next_cursor: cursor } })

t.test('client sends key, agent, query and body of a call, and returns its result', async t => {
  const seen: Record<string, unknown>[] = []
  const client = await clientOf(
    t,
    (request, response) => {
      let body = ''
      request.on('data', part => {
        body += part
      })
      request.on('end', () => {
        const { authorization, 'user-agent': agent } = request.headers
        seen.push({ method: request.method, url: request.url, authorization, agent, body })
        response.end(envelope({ id: 'r1' }))
      })
    },
    '/monitor/',
  )
  const path = apiPath`/workspaces/${'w1'}/resources/${'a/b c'}`
  const reply = await client.call({ method: 'PATCH', path, query: { limit: 1, cursor: undefined }, body: { name: 'x' } })
  t.strictSame(reply, { result: { id: 'r1' }, nextCursor: null })
  t.strictSame(seen, [
    {
      method: 'PATCH',
      url: '/monitor/api/v3/workspaces/w1/resources/a%2Fb%20c?limit=1',
      authorization: `Bearer ${key}`,
      agent: 'client-test/1',
      body: '{"name":"x"}',
    },
  ])
})

t.test('client requests the next page of a list only when the caller needs that page', async t => {
  const asked: (string | null)[] = []
  const client = await clientOf(t, (request, response) => {
    const cursor = new URL(request.url ?? '', 'http://x').searchParams.get('cursor')
    asked.push(cursor)
    response.end(cursor === null ? envelope([{ id: 1 }, { id: 2 }], 'two') : envelope([{ id: 3 }]))
  })
  const items = client.items({ method: 'GET', path: '/workspaces' })
  t.strictSame((await items.next()).value, { id: 1 })
  t.strictSame(asked, [null])
  const others: unknown[] = []
  for await (const item of items) others.push(item)
  t.strictSame(others, [{ id: 2 }, { id: 3 }])
  t.strictSame(asked, [null, 'two'])
})

t.test('client throws the status and the error object when the API refuses a call', async t => {
  const body = { code: 1422, error_type: 'validation', message: 'No such unit.', details: { field: 'unit' } }
  const client = await clientOf(t, (_request, response) => {
    response.statusCode = 422
    response.end(JSON.stringify({ result: null, error: body, meta: null }))
  })
  const refusal = await client.call({ method: 'GET', path: '/key' }).catch(error => error)
  t.ok(refusal instanceof ApiRefusal)
  t.match(refusal, { status: 422, message: 'No such unit.' })
  t.strictSame(refusal.body, body)
})

t.test('client throws an error that does not contain the key when a response is not of generation 3', async t => {
  const cases: [name: string, listener: RequestListener, reason: RegExp][] = [
    ['a page of something else', (_, response) => response.end('<html>'), /status 200 and nothing that generation 3/],
    [
      'a server without the route',
      (_, response) => {
        response.statusCode = 404
        response.end('{"message":"Route not found"}')
      },
      /not served there: the server is older/,
    ],
    [
      'a redirect',
      (_, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' })
        response.end()
      },
      /status 302/,
    ],
    ...[null, 7, 'x', [null], [[]], [{}, 7]].map((result): [string, RequestListener, RegExp] => [
      `the result ${JSON.stringify(result)}`,
      (_, response) => response.end(envelope(result)),
      /status 200 and nothing that generation 3/,
    ]),
    ['JSON of another shape', (_, response) => response.end('{"result":[],"error":"no"}'), /status 200/],
    ['a connection that ends', (_, response) => response.destroy(), /closed|socket|terminated/],
    [
      'a response without an end',
      (_, response) => {
        const part = Buffer.alloc(1024 * 1024, 32)
        const write = () => {
          while (response.write(part));
        }
        response.on('drain', write)
        write()
      },
      /too large/,
    ],
  ]
  for (const [name, listener, reason] of cases) {
    const client = await clientOf(t, listener)
    const error = await client.call({ method: 'GET', path: '/key' }).catch(error => error)
    t.ok(error instanceof ApiUnreachable, name)
    t.match(error.message, reason, name)
    t.notMatch(`${error.message}${error.base}${error.stack}`, key, name)
  }
})

t.test('call ends at once when it is aborted', async t => {
  const client = await clientOf(t, () => undefined)
  const ending = new AbortController()
  const call = client.call({ method: 'GET', path: '/key' }, ending.signal)
  ending.abort()
  await t.rejects(call, { base: /^http:/, message: /abort/ })
})

t.test('client sends no request when its key has characters that no HTTP header can carry', async t => {
  for (const bad of ['', `${key}\nx`, `${key} x`, `${key}ä`]) {
    const error = t.throws(() => createApiClient({ url: 'http://127.0.0.1:1', key: bad, userAgent: 'client-test/1' }), {
      base: null,
      message: /^the API key is empty or has characters/,
    })
    t.notMatch(String(error), key)
  }
})

t.test('client sends no request when its URL is invalid', async t => {
  for (const url of ['localhost:2517', 'ftp://example.org', '', 'http://name:word@example.org'])
    t.throws(() => createApiClient({ url, key, userAgent: 'client-test/1' }), { base: null, message: /^the URL must/ }, url)
})
