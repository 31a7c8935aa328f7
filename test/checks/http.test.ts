// A monitor of the Template `http-check` in a real installation: it follows a redirect with its secrets, is told of when an answer is wrong and
// when it is right again, and no file, message or log of the installation holds a secret.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const { api, workspace, folder, program } = await startPreloaded(t, [])
const [{ id: location }] = (await api('GET', '/v3/locations')).result
const resources = `/v3/workspaces/${workspace}/resources`

let status = 'down'
/** Whether each request for the health had every secret. */
const complete: boolean[] = []
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  if (request.url === '/message') {
    response.end()
    server.emit('message', body)
  } else if (request.url === '/start') response.writeHead(307, { location: '/health' }).end()
  else {
    const { 'x-key': key, authorization } = request.headers
    complete.push(key === 'sesame-key-1' && authorization === 'Bearer sesame-token-2' && body === '{"word": "sesame-body-3"}')
    response.end(JSON.stringify({ status: `${status} ${key} ${authorization} ${body}`, n: status }))
  }
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
/** Resolves with the body of the next message; rejects after 60 s without one. */
const nextMessage = async (): Promise<string> => (await once(server, 'message', { signal: AbortSignal.timeout(60_000) }))[0]

const secrets = { secret_headers: 'X-Key: sesame-key-1', bearer: 'sesame-token-2', body: '{"word": "sesame-body-3"}' }
const meta = {
  ...{ url: `${at}/start`, method: 'POST', json_path: '$.status', json_value: 'up', max_ms: 20_000 },
  ...{ locations: [location], interval_seconds: 10, confirm_after: 0, recover_after: 0 },
}

t.test('wrong answer is told of without the secrets that it repeats, and a right one closes the incident', async t => {
  await api('POST', `/v3/workspaces/${workspace}/destinations`, { name: 'Far end', type: 'webhook', url: `${at}/message` })
  const down = nextMessage()
  const made = await api('POST', resources, {
    template: 'http-check',
    key: 'api',
    name: 'The API',
    meta: { ...meta, ...secrets },
  })
  const hidden = { secret_headers: '[redacted]', bearer: '[redacted]', body: '[redacted]' }
  t.match(made, { status: 201, result: { template: 'http-check@1', meta: { ...meta, ...hidden, redirects: 5 } } })
  const told = await down
  t.match(told, 'The API is down')
  t.match(JSON.stringify(JSON.parse(told)), 'down [redacted] [redacted] [redacted]')
  const up = nextMessage()
  status = 'up'
  const changed = await api('PATCH', `${resources}/api`, { meta: { json_path: '$.n' } })
  t.match(changed, { status: 200, result: { meta: { ...meta, ...hidden, json_path: '$.n' } } })
  const toldAgain = await up
  t.match(toldAgain, 'The API is back up')
  t.ok(complete.length >= 2 && complete.every(Boolean), 'each request had every secret')
  const { result } = await api('GET', `${resources}/api/observations`)
  t.match(result[0], { state: 'ok', value: Number, labels: { status: '200' } })
  t.match(result.at(-1), { state: 'problem', value: null, labels: { status: '200' } }, 'an outage has no value')
  for (const text of [told, toldAgain, made.text, changed.text, program.output()]) t.notMatch(text, /sesame/)
})

t.test('it is refused with the field at fault, and its secrets stay with its origin', async t => {
  const body = { template: 'http-check', name: 'Refused' }
  const refused = await api('POST', resources, { ...body, meta: { ...meta, ...secrets, headers: ['Authorization: sesame-4'] } })
  t.match(refused, { status: 422, error: { details: { field: 'headers' }, message: /put it into secret_headers/ } })
  const elsewhere = await api('PATCH', `${resources}/api`, { meta: { url: 'https://elsewhere.example/' } })
  t.match(elsewhere, { status: 422, error: { details: { field: 'secret_headers' }, message: /must be sent again/ } })
  t.match(await api('PATCH', `${resources}/api`, { meta: { bearer: 'sesame\n5' } }), {
    status: 422,
    error: { details: { field: 'bearer' } },
  })
  t.match(await api('PATCH', `${resources}/api`, { meta: { username: 'a' } }), {
    status: 422,
    error: { details: { field: 'bearer' } },
  })
})

t.test('no file of the installation holds a secret', async t => {
  await program.stop()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
  const holding = files.filter(file => readFileSync(join(file.parentPath, file.name)).includes('sesame'))
  t.strictSame(
    holding.map(({ name }) => name),
    [],
  )
  t.ok(files.length > 3)
})
