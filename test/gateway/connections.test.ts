// Connections over real sockets. Without a key, each client has a bounded number of them. If the server is full, the key or network that
// holds most gives way, so that everybody else can always connect. The same holds for the bytes of unfinished bodies.
import { once } from 'node:events'
import { request, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { clientNetwork } from '#shared/net/client-network.ts'
import type { ConnectionBounds } from '../../services/gateway/http/connections.ts'
import { proxyCheck } from '../../services/gateway/http/trusted-proxies.ts'
import { type ApiWorld, startApiWorld } from '../support/worlds/api-world.ts'
import { startSessionWorld } from '../support/worlds/session-world.ts'

const bounds: ConnectionBounds = {
  connections: 200,
  connectionsPerClient: 20,
  connectionsPerHolder: 50,
  youngMs: 1_000,
  lateMs: 1_000,
}
/** Two addresses of this machine. The server counts each address as a separate client. */
const [attacker, neighbour] = ['127.0.0.1', '127.0.0.2']
const halfAHead = 'GET /api/version HTTP/1.1\r\nHost: x\r\n'
const halfABody =
  'POST /session/sign-in HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'

interface Given extends Pick<ApiWorld, 'clock' | 'address'> {
  token: string
}

async function start(t: Test, trustProxy?: string[]): Promise<ApiWorld & Given> {
  const world = await startApiWorld({ connections: bounds, ...(trustProxy ? { trustProxy } : {}) })
  t.teardown(() => world.stop())
  const { token } = await world.addPerson('owner', { home000000: 'owner' })
  return { ...world, token }
}

/** Opens a connection and sends the text. Resolves also when the connection is refused. */
async function open(t: Test, { address }: Pick<Given, 'address'>, from: string, sent = ''): Promise<Socket> {
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', localAddress: from })
  socket.on('error', () => undefined).resume()
  t.teardown(() => socket.destroy())
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  if (sent !== '' && !socket.destroyed) socket.write(sent)
  return socket
}

const openMany = (t: Test, world: Pick<Given, 'address'>, count: number, from: string, sent: readonly string[] = ['']) =>
  Promise.all(Array.from({ length: count }, (_, i) => open(t, world, from, sent[i % sent.length])))

/** A request for a preview, which every reader may send, whose body ends too early. */
const halfAPreview = (token: string, body: string) =>
  `POST /api/v3/workspaces/home000000/templates/preview HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000000\r\n\r\n${body}`
const withKey = (token: string) => `GET /api/version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** Opens a connection on which a key has been accepted. */
async function openWithKey(t: Test, world: Given, from: string): Promise<Socket> {
  const socket = await open(t, world, from)
  socket.write(withKey(world.token))
  await once(socket, 'data')
  return socket
}

/** Sends one request with the key on a new connection; returns its status or its error. */
const ask = ({ address, token }: Given, from: string): Promise<number | string> =>
  new Promise(resolve => {
    const headers = { authorization: `Bearer ${token}` }
    const asked = request(`${address}/api/version`, { agent: false, localAddress: from, headers }, response => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end()
  })

/** Waits for the condition: real sockets close within some turns of the event loop. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`did not come about: ${what}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

const openOf = (sockets: readonly Socket[]) => sockets.filter(socket => !socket.destroyed).length
const connectionsOf = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

/**
 * Resolves when the server has the expected number of connections. A client may see its own connection open or closed earlier than the
 * server.
 */
async function counted(server: Server, fits: (count: number) => boolean): Promise<void> {
  while (!fits(await connectionsOf(server))) await new Promise(resolve => setImmediate(resolve))
}

const arrived = (server: Server, wanted: number) => counted(server, count => count === wanted)

t.test('client with a key gets each response while connections that are idle or sent half a request fill the server', async t => {
  const world = await start(t)
  const kept = await openWithKey(t, world, attacker)
  for (let wave = 1; wave <= 8; wave++) {
    const filling = openMany(t, world, bounds.connections, attacker, ['', halfAHead, halfABody])
    const during = await Promise.all([ask(world, neighbour), ask(world, attacker)])
    await filling
    const began = performance.now()
    const after = await Promise.all([ask(world, neighbour), ask(world, attacker)])
    t.strictSame([...during, ...after], [200, 200, 200, 200], `wave ${wave}`)
    t.ok(performance.now() - began < 5_000, 'long before the server gives up waiting for their headers')
    if (wave % 3 === 0) world.clock.advance(bounds.lateMs)
    await counted(world.fastify.server, count => count <= bounds.connections)
  }
  t.notOk(kept.destroyed, 'a connection with an accepted key is kept')
  kept.write(withKey(world.token))
  await once(kept, 'data')
  t.match(await world.metrics.metrics(), /watchkeeper_gateway_closed_connections_total\{reason="server"\} 1\d{3}\n/)
})

t.test('client above its bound keeps its newest connections without a key, and all connections with a key', async t => {
  const world = await start(t)
  const known = await Promise.all(Array.from({ length: 30 }, () => openWithKey(t, world, attacker)))
  const strangers: Socket[] = []
  for (let i = 0; i < 60; i++) strangers.push(await open(t, world, attacker, ['', halfAHead, halfABody][i % 3]))
  const others = await openMany(t, world, bounds.connectionsPerClient, neighbour)
  await arrived(world.fastify.server, 30 + 60 + bounds.connectionsPerClient)
  world.clock.advance(bounds.lateMs - 1)
  t.equal(openOf(strangers), 60, 'their requests may be on their way')
  world.clock.advance(1)
  await until(() => openOf(strangers) === bounds.connectionsPerClient, 'only as many as one client may have')
  t.equal(openOf(strangers.slice(-bounds.connectionsPerClient)), bounds.connectionsPerClient, 'the oldest went')
  t.equal(openOf(known) + openOf(others), 30 + bounds.connectionsPerClient, 'nobody else did')
  const more = await openMany(t, world, 5, attacker)
  await arrived(world.fastify.server, 30 + 2 * bounds.connectionsPerClient + 5)
  world.clock.advance(bounds.lateMs)
  await until(() => openOf([...strangers, ...more]) === bounds.connectionsPerClient, 'again')
  t.match(await world.metrics.metrics(), 'watchkeeper_gateway_closed_connections_total{reason="client"} 45')
})

t.test('connections without a key through a trusted proxy are bounded only by the server', async t => {
  const world = await start(t, ['127.0.0.0/31'])
  const proxied = await openMany(t, world, 60, attacker)
  const direct = await openMany(t, world, 60, neighbour)
  await arrived(world.fastify.server, 120)
  world.clock.advance(bounds.youngMs + bounds.lateMs)
  await until(() => openOf(direct) === bounds.connectionsPerClient, 'those that come by themselves')
  t.equal(openOf(proxied), 60)
  t.equal(await ask(world, attacker), 200)
})

t.test('key with idle connections in all places gives way to every other client, its longest idle connection first', async t => {
  const world = await start(t)
  const reader = await world.addPerson('reader', { home000000: 'viewer' })
  const kept = await openWithKey(t, world, attacker)
  const greedy: Socket[] = []
  while (greedy.length < bounds.connections - 1) {
    world.clock.advance(1)
    greedy.push(await openWithKey(t, { ...world, token: reader.token }, attacker))
  }
  world.clock.advance(1)
  greedy[0]?.write(withKey(reader.token))
  await once(greedy[0] as Socket, 'data')
  for (const from of [attacker, neighbour]) t.equal(await ask(world, from), 200, from)
  const page = await fetch(`${world.address}/session/sign-in`)
  t.equal(page.status, 200, 'and to a person who signs in')
  await until(() => openOf(greedy) <= bounds.connections - 2, 'it gave way')
  t.notOk(greedy[0]?.destroyed, 'a connection that was just used is kept')
  t.ok(greedy[1]?.destroyed, 'the one longest idle is closed')
  t.notOk(kept.destroyed, 'another key keeps its connection')
  const more = await Promise.all(
    Array.from({ length: 40 }, () => openWithKey(t, { ...world, token: reader.token }, attacker).catch(() => null)),
  )
  t.ok(more.some(one => one !== null))
  t.notOk(kept.destroyed, 'also while the greedy one opens more')
  t.match(await world.metrics.metrics(), /closed_connections_total\{reason="holder"\} \d+\n/)
})

t.test('many keys of one network give way together, and unfinished requests give way when no connection is idle', async t => {
  const world = await start(t)
  const keys = await Promise.all(Array.from({ length: 10 }, (_, i) => world.addPerson(`reader${i}`, { home000000: 'viewer' })))
  const others = await Promise.all(Array.from({ length: 30 }, () => openWithKey(t, world, neighbour)))
  const busy = await Promise.all(
    Array.from({ length: bounds.connections - others.length }, async (_, i) => {
      const socket = await open(t, world, attacker)
      socket.write(halfAPreview(keys[i % keys.length]?.token ?? '', 'x'))
      return socket
    }),
  )
  await counted(world.fastify.server, count => count === bounds.connections)
  t.equal(await ask(world, neighbour), 200)
  await until(() => openOf(busy) < busy.length, 'the network with most connections gives way')
  t.equal(openOf(others), others.length, 'though each of its keys has fewer than the neighbour')
})

t.test(
  'unfinished bodies share one budget: who holds most is refused in the words of the dialect, others are served',
  async t => {
    const bodiesBytes = 1024 ** 2
    const world = await startApiWorld({ connections: bounds, bodiesBytes })
    t.teardown(() => world.stop())
    const { token } = await world.addPerson('owner', { home000000: 'owner' })
    const reader = await world.addPerson('reader', { home000000: 'viewer' })
    const part = ' '.repeat(100_000)
    const asked = async (text: string) => {
      const socket = await open(t, world, attacker)
      const answer = once(socket, 'data').then(([data]) => String(data))
      socket.write(text)
      return { socket, answer }
    }
    const first = await asked(halfAPreview(reader.token, part))
    const more = []
    for (let i = 0; i < 10; i++) more.push(await asked(halfAPreview(reader.token, part)))
    t.match(
      await first.answer,
      /^HTTP\/1.1 429 .*rate_limited.*too many request bodies at once/s,
      'the oldest body of the largest holder',
    )
    t.match(await first.answer, /retry-after: 1/)
    const body = { name: 'x', pad: part.repeat(2) }
    const served = await world.call('POST', '/api/v3/workspaces', { token, body })
    t.equal(served.status, 400, 'another key’s body is read to its end: an unknown member')
    t.match(await more[0]?.answer, /^HTTP\/1.1 429 /, 'because the next body gave way')
    const classic = await asked(
      `POST /api/v2/subjects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000000\r\n\r\n${part.repeat(9)}`,
    )
    t.match(
      await classic.answer,
      /^HTTP\/1.1 200 .*"code":500,"error_type":"internal_error"/s,
      'generation 2 says it in its envelope',
    )
    for (const { socket } of more) socket.destroy()
    const again = await world.call('POST', '/api/v3/workspaces', { token, body: { name: 'x', pad: ' '.repeat(250_000) } })
    t.equal(again.status, 400, 'what was dropped is free again')
  },
)

t.test('connection with an accepted session stays open among too many connections without a session', async t => {
  const world = await startSessionWorld(t, { connections: bounds })
  const address = world.addresses[0] as string
  const owner = await world.signedIn('owner')
  const cookie = [...owner.cookies()].map(([name, value]) => `${name}=${value}`).join('; ')
  const socket = await open(t, { address }, attacker)
  socket.write(`GET /session HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`)
  t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200 /)
  const strangers = await openMany(t, { address }, 60, attacker)
  await arrived(world.servers[0] as Server, 61)
  world.clock.advance(bounds.youngMs + bounds.lateMs)
  await until(() => openOf(strangers) === bounds.connectionsPerClient, 'the strangers go')
  t.notOk(socket.destroyed)
})

t.test('client is one IPv4 address or the first 64 bits of an IPv6 address', async t => {
  const rows: [address: string, network: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001::1:2:3:4:192.0.2.7', '2001:0:1:2::/64'],
    ['::192.0.2.7', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ]
  for (const [address, network] of rows) t.equal(clientNetwork(address), network, address)
  const isProxy = proxyCheck(['10.0.0.5', '10.1.0.0/16', 'fd00::/8'])
  for (const address of ['10.0.0.5', '::ffff:10.0.0.5', '10.1.2.3', 'fd12::1']) t.equal(isProxy(address), true, address)
  for (const address of ['10.0.0.6', '10.2.0.1', 'fe80::1', '']) t.equal(isProxy(address), false, address)
})
