// What a server answered to a failed check in a real installation: kept with the incident and shown by a try, without secrets, and not at all
// with CHECK_ANSWERS=off.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { eventually } from '../infra/run-program.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const server = createServer((request, response) => {
  if (request.url === '/moved') {
    response.writeHead(302, { location: '/?token=of-somebody' }).end()
    return
  }
  response.writeHead(503, { 'set-cookie': 'a=1', via: 'proxy-1' }).end(`down for ${request.headers.authorization}`)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => void server.close().closeAllConnections())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

for (const isOn of [true, false]) {
  t.test(`answers are ${isOn ? 'kept and tried' : 'neither kept nor tried with CHECK_ANSWERS=off'} (v3 5.10)`, async t => {
    const { workspace, api } = await startPreloaded(t, [], isOn ? {} : { CHECK_ANSWERS: 'off' })
    const [{ id: location }] = (await api('GET', '/v3/locations')).result
    const meta = { url, bearer: 'token-of-the-check', locations: [location] }
    const ofWorkspace = `/v3/workspaces/${workspace}`
    await api('POST', `${ofWorkspace}/resources`, { template: 'http-check', key: 'down', name: 'Down', meta })
    const incidents = async () => (await api('GET', `${ofWorkspace}/incidents`)).result
    await eventually('an incident is open', async () => (await incidents()).length === 1)
    const [{ id }] = await incidents()
    const kept = { status_line: 'HTTP/1.1 503 Service Unavailable', body: 'down for [redacted]', truncated: false }
    const { result: responses } = await api('GET', `${ofWorkspace}/incidents/${id}/responses`)
    t.match(responses, isOn ? [{ ...kept, location, error: 'status 503, expected 200-299' }] : [])
    t.equal(responses.length, isOn ? 1 : 0)
    if (isOn) t.ok(responses[0].headers.includes('set-cookie: [redacted]') && responses[0].headers.includes('via: proxy-1'))
    const { result: tried } = await api('POST', `${ofWorkspace}/checks/try`, { template: 'http-check', meta })
    t.match(tried, [{ outcome: 'failed', status: 503 }])
    const from = await api('POST', `${ofWorkspace}/checks/try`, { template: 'http-check', meta: { ...meta, url: `${url}moved` } })
    t.match(from.result, [
      { hops: [{ status: 302, location: '/?token=redacted' }], certificate: null, records: null, status: 503 },
    ])
    if (isOn) t.match(tried[0].response, kept)
    else t.equal(tried[0].response, null)
    t.notMatch(JSON.stringify([responses, tried]), /token-of-the-check/)
  })
}
