// Checks of a workspace's own Template in a real installation, against servers of the test: the same rules read them beside what senders
// report, a secret reaches the server and nobody else, and an Incident is told with its cause.
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import t from 'tap'
import { eventually } from '../infra/run-program.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const { workspace, api, program } = await startPreloaded(t, [])
const [{ id: location, name: locationName }] = (await api('GET', '/v3/locations')).result
const root = `/v3/workspaces/${workspace}`

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

const token = 'open-sesame-please'
let status = 200
const asked: IncomingMessage['headers'][] = []
const site = createHttpServer((request, response) => {
  asked.push(request.headers)
  response.writeHead(status).end('hello')
})
const sitePort = await listen(site)
const door = createTcpServer(socket => socket.on('error', () => undefined).end())
const doorPort = await listen(door)

const shop = {
  ...{ key: 'shop', version: 1, name: 'Shop' },
  fields: [
    { key: 'url', type: 'url', required: true },
    { key: 'token', type: 'secret' },
    { key: 'port', type: 'integer', required: true },
    { key: 'places', type: 'location_list', required: true },
  ],
  signals: [
    {
      ...{ key: 'page', kind: 'check', every_seconds: 10, locations: { meta: 'places' } },
      check: { type: 'http', url: { meta: 'url' }, bearer: { meta: 'token' }, timeout_seconds: 5 },
    },
    {
      ...{ key: 'door', kind: 'check', every_seconds: 10, locations: { meta: 'places' }, agreement: 'all' },
      check: { type: 'tcp', host: '127.0.0.1', port: { meta: 'port' }, timeout_seconds: 5 },
    },
    { key: 'till', kind: 'event' },
  ],
  rules: [
    {
      ...{ key: 'down', action: 'Look at the shop.', wait: { confirm_after: 0, recover_after: 0 }, unknown: 'no_data' },
      decision: {
        any: [
          { signal: 'page', field: 'status', operator: 'eq', operand: 'problem' },
          { signal: 'door', field: 'status', operator: 'eq', operand: 'problem' },
        ],
      },
    },
    {
      ...{ key: 'idle', action: 'Ring the shop.', wait: { confirm_after: 0, recover_after: 0 } },
      decision: {
        all: [
          { signal: 'page', field: 'status', operator: 'eq', operand: 'ok' },
          { signal: 'till', field: 'status', operator: 'eq', operand: 'problem' },
        ],
      },
    },
  ],
}
await api('POST', `${root}/templates`, shop)
const meta = { url: `http://127.0.0.1:${sitePort}/`, token, port: doorPort, places: [location] }
const made = await api('POST', `${root}/resources`, { template: 'shop', key: 'one', name: 'One', meta })

const ruleOf = async (key: string) =>
  (await api('GET', `${root}/resources/one`)).result.rules.find((rule: { key: string }) => rule.key === key)

t.test('both checks are made, and one decision reads checks and senders', async t => {
  t.equal(made.status, 201, made.text)
  await eventually('both are checked', async () => (await ruleOf('down')).status === 'ok')
  t.match(await ruleOf('down'), { explanation: 'page ok, door ok' })
  t.match((await api('GET', `${root}/resources/one`)).result, {
    meta: { token: '[redacted]' },
    checks: [
      { signal: 'page', type: 'http', locations: [{ id: location, name: locationName, state: 'ok', cannot: null }] },
      { signal: 'door', type: 'tcp', agreement: 'all', locations: [{ state: 'ok' }] },
    ],
  })
  const observation = { signal: 'till', state: 'problem', reason: 'no sales' }
  t.match(await api('POST', `${root}/resources/one/observations`, observation), { status: 202 })
  t.match(await ruleOf('idle'), { status: 'problem', explanation: 'page ok, till problem' })
})

t.test('a secret reaches the server that it was given for, and nobody else', async t => {
  t.equal(asked[0]?.authorization, `Bearer ${token}`)
  const { text } = await api('GET', `${root}/resources/one`)
  t.notMatch(text + program.output(), token)
  const elsewhere = await api('PATCH', `${root}/resources/one`, { meta: { url: 'http://elsewhere.example/' } })
  t.match(elsewhere, { status: 422, error: { details: { field: 'token' } } })
})

t.test('failing check opens an Incident with its reason and Location, and a passing one closes it', async t => {
  status = 503
  await eventually('it fails', async () => (await ruleOf('down')).status === 'problem')
  const incidents = async (filter: string) => (await api('GET', `${root}/incidents?rule=down&${filter}`)).result
  t.match(await incidents('lifecycle=open'), [{ cause: `status 503, expected 200-299 (${locationName})` }])
  status = 200
  await eventually('it passes', async () => (await ruleOf('down')).status === 'ok')
  t.match(await incidents('lifecycle=closed'), [{ closed_reason: 'recovered' }])
})

t.test('changed answer is checked at once, and an archived Resource no longer', async t => {
  const [closed] = [createTcpServer()]
  const port = await listen(closed as Server)
  closed?.close()
  t.match(await api('PATCH', `${root}/resources/one`, { meta: { port } }), { status: 200 })
  await eventually('the door is shut', async () => (await ruleOf('down')).status === 'problem')
  t.match(await ruleOf('down'), { explanation: 'page ok, door problem' })
  t.match(await api('POST', `${root}/resources/one/archive`), { status: 200 })
  t.match((await api('GET', `${root}/resources/one`)).result.checks, [
    { signal: 'page' },
    { locations: [{ reason: 'connection refused' }] },
  ])
})
