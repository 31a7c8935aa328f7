// Responses that show what only their receiver may see: no cache keeps them, whatever part of the gateway wrote them. Generations 1 and 2
// keep their headers.
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { startApiWorld } from '../support/worlds/api-world.ts'

const world = await startApiWorld()
t.teardown(() => world.stop())
const { token } = await world.addPerson('owner', { home000000: 'owner' })

/** Sends a request as it stands and returns the response's status line and headers. */
async function headOf(sent: string): Promise<string> {
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1').on('error', () => undefined)
  socket.end(sent)
  const parts: Buffer[] = []
  socket.on('data', part => parts.push(part))
  await once(socket, 'close')
  return Buffer.concat(parts).toString().split('\r\n\r\n', 1)[0] as string
}

const key = `Authorization: Bearer ${token}\r\n`
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`

t.test('response of generation 3, of an Observation address and of the session API is stored by no cache (v3 1.13)', async t => {
  const cases: [what: string, sent: string, status: number][] = [
    ['a result', get('/api/v3/key', key), 200],
    ['no key', get('/api/v3/key'), 401],
    ['an unknown route', get('/api/v3/nothing', key), 404],
    ['a path that cannot be decoded', get('/api/v3/%ff', key), 404],
    ['an unknown parameter', get('/api/v3/workspaces?x=1', key), 422],
    ['an expectation', get('/api/v3/key', `${key}Expect: nothing\r\n`), 400],
    ['too large headers', get('/api/v3/key', `X: ${'x'.repeat(17_000)}\r\n`), 400],
    ['an unknown address', get('/in/nothing'), 404],
    ['an unknown token', 'POST /in/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', 404],
    ['no session', get('/session'), 401],
    ['a page’s path that cannot be decoded', get('/session/%ff'), 404],
    ['a page’s request with an ended session', get('/api/v3/key', `Cookie: watchkeeper-session=${'x'.repeat(43)}\r\n`), 401],
    ['a page’s request of generation 2', get('/session/v2/incidents'), 401],
    ['a page’s path of generation 2 that cannot be decoded', get('/session/v2/%ff'), 200],
    ['too large headers of a page', get('/session', `X: ${'x'.repeat(17_000)}\r\n`), 431],
  ]
  for (const [what, sent, status] of cases) {
    const head = await headOf(sent)
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `), what)
    t.equal(head.match(/^cache-control: no-store\r?$/gim)?.length, 1, `${what}: ${head}`)
  }
})

t.test('response of generations 1 and 2 has no header about caches', async t => {
  for (const path of ['/api/version', '/api/v2/incidents', '/api/%ff', '/api/nothing']) {
    const head = await headOf(get(path, key))
    t.match(head, /^HTTP\/1.1 200 /, path)
    t.notMatch(head, /cache-control/i, path)
  }
})
