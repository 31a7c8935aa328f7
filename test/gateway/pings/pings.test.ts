// Pings over HTTP: answers, methods, bodies, and what reaches the keeper. Reference: docs/reference/v3.md, section 17.
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { exchange, type PingWorld, startPings } from './ping-world.ts'

const unknown = '/ping/00000000-0000-4000-8000-000000000000'
const mebibyte = 1024 * 1024

/** Advances the clock until `work` has settled. */
async function passing<T>({ clock }: PingWorld, work: Promise<T>, stepMs = 100): Promise<T> {
  let isOver = false
  const noted = work.finally(() => (isOver = true))
  while (!isOver) {
    clock.advance(stepMs)
    await new Promise(setImmediate)
  }
  return noted
}

/** Resolves when a fact holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

t.test('every answer is one of the table, and the first that fits (v3 17.4)', async t => {
  const world = await startPings(t)
  const { keeper } = world
  await world.resource('nightly')
  await world.resource('both', { template: 'jobs' })
  await world.resource('beat', { template: 'beat' })
  await world.resource('gone')
  const [path, gone] = [await world.pathOf('nightly'), await world.pathOf('gone')]
  t.equal((await world.call('POST', '/resources/gone/archive')).status, 200)
  const { key } = await world.pingKey()
  const slug = `/ping/${key}/nightly`
  const rows: [title: string, path: string, status: number, text: string][] = [
    ['a known address', path, 200, 'OK'],
    ['a slash at its end', `${path}/`, 200, 'OK'],
    ['a tail', `${path}/start`, 200, 'OK'],
    ['an exit status', `${path}/3`, 200, 'OK'],
    ['a percent-encoded tail', `${path}%2Ffail`, 200, 'OK'],
    ['an unknown address', unknown, 404, 'not found'],
    ['an unknown address with faults', `${unknown}/256?rid=x`, 404, 'not found'],
    ['an unknown tail', `${path}/other`, 404, 'not found'],
    ['an archived Resource', gone, 404, 'not found'],
    ['an exit status over 255', `${path}/256`, 400, 'invalid url format'],
    ['an exit status over 255 and a bad rid', `${path}/256?rid=x`, 400, 'invalid url format'],
    ['a bad rid', `${path}?rid=x`, 400, 'invalid uuid format'],
    ['a key and a slug', slug, 200, 'OK'],
    ['a bad slug', `/ping/${key}/Nightly`, 400, 'invalid url format'],
    ['a bad slug of an unknown key', '/ping/none/Nightly', 400, 'invalid url format'],
    ['an unknown key', `/ping/${'x'.repeat(22)}/nightly`, 404, 'not found'],
    ['an unknown slug', `/ping/${key}/other`, 404, 'not found'],
    ['an unknown slug with faults', `/ping/${key}/other/256?rid=x`, 404, 'not found'],
    ['the slug of an archived Resource', `/ping/${key}/gone?create=1`, 404, 'not found'],
    ['a slug with several scheduled signals', `/ping/${key}/both`, 409, 'ambiguous slug'],
    ['a slug without scheduled signal', `/ping/${key}/beat?create=1`, 409, 'ambiguous slug'],
    ['an ambiguous slug with faults', `/ping/${key}/both/256?rid=x`, 409, 'ambiguous slug'],
    ['no address', '/ping', 404, 'not found'],
    ['an empty address', '/ping/', 404, 'not found'],
    ['a path that cannot be decoded', '/ping/%zz', 404, 'not found'],
  ]
  for (const [title, path, status, text] of rows) {
    const answer = await world.ping(path)
    t.strictSame([answer.status, answer.text], [status, text], title)
    t.match(Object.fromEntries(answer.headers), common, title)
  }
  keeper.takesPing = () => 'refused'
  const refused = await world.ping(path)
  t.strictSame([refused.status, refused.text], [429, 'rate limited'])
  t.match(Object.fromEntries(refused.headers), { ...common, 'retry-after': '60' })
  for (const taken of ['counted', 'ignored'] as const) {
    keeper.takesPing = () => taken
    t.match(await world.ping(path), { status: 200, text: 'OK' }, taken)
  }
  for (const [code, why] of [
    ['not_found', 'the keeper knows no such signal'],
    ['invalid_state', 'the Resource was archived meanwhile'],
  ] as const) {
    keeper.takesPing = () => ({ refused: code })
    t.match(await world.ping(path), { status: 404, text: 'not found' }, why)
  }
})

const common = {
  'content-type': 'text/plain; charset=utf-8',
  'access-control-allow-origin': '*',
  'ping-body-limit': '10000',
  'cache-control': 'no-store',
}

t.test('ping that nobody stores within 4 s is 503 with Retry-After, and keeps its id on the bus (v3 17.4)', async t => {
  const world = await startPings(t)
  const { keeper } = world
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  keeper.takesPing = () => 'silence'
  const at = world.clock.monotonic()
  const answer = await passing(world, world.ping(path))
  t.strictSame([answer.status, answer.text], [503, 'unavailable'])
  t.match(Object.fromEntries(answer.headers), { ...common, 'retry-after': '2' })
  t.ok(world.clock.monotonic() - at <= 4_200, `${world.clock.monotonic() - at} ms`)
  const tries = keeper.commands.flatMap(({ command }) => (command.kind === 'ping' ? [command] : []))
  t.ok(tries.length > 1, `${tries.length} tries on the bus`)
  t.equal(new Set(tries.map(({ id }) => id)).size, 1)
  let isFirst = true
  keeper.takesPing = () => {
    if (!isFirst) return 'stored'
    isFirst = false
    return 'silence'
  }
  t.match(await passing(world, world.ping(path)), { status: 200 }, 'a later try on the bus is in time')
  keeper.takesPing = () => ({ refused: 'internal' })
  t.match(await world.ping(path), { status: 503, text: 'unavailable' })
})

t.test('time that the look-up of an address takes counts for the 4 s (v3 17.4)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  world.keeper.takesPing = () => 'silence'
  world.hub.cut(world.directoryBus)
  const at = world.clock.monotonic()
  world.clock.schedule(3_000, () => world.hub.restore(world.directoryBus))
  t.match(await passing(world, world.ping(path)), { status: 503, text: 'unavailable' })
  t.ok(world.keeper.commands.some(({ command }) => command.kind === 'ping'))
  const took = world.clock.monotonic() - at
  t.ok(took >= 4_000 && took <= 4_500, `${took} ms`)
})

t.test('gateway with too many waiting pings refuses the next at once (v3 17.8)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  let waiting = 0
  world.keeper.takesPing = () => {
    waiting++
    return 'silence'
  }
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  t.teardown(() => socket.destroy())
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(limits.pings.waiting))
  await until(() => waiting === limits.pings.waiting)
  const answer = await world.ping(path)
  t.strictSame([answer.status, answer.text, answer.headers.get('retry-after')], [503, 'unavailable', '2'])
  t.equal(waiting, limits.pings.waiting, 'the keeper is not asked')
  socket.destroy()
  for (let i = 0; i < 60; i++) {
    world.clock.advance(100)
    await new Promise(setImmediate)
  }
  world.keeper.takesPing = () => 'stored'
  t.equal((await world.ping(path)).status, 200, 'later there is room again')
})

t.test('GET, HEAD, POST and PUT ping, OPTIONS is 204 and no ping, any other method is 404 (v3 17.2)', async t => {
  const world = await startPings(t)
  const { taken } = world
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  for (const method of ['GET', 'HEAD', 'POST', 'PUT']) {
    const answer = await world.ping(path, { method })
    t.strictSame([answer.status, answer.text], [200, method === 'HEAD' ? '' : 'OK'], method)
    t.match(Object.fromEntries(answer.headers), common, method)
  }
  t.strictSame(
    taken.map(({ method }) => method),
    ['GET', 'HEAD', 'POST', 'PUT'],
  )
  const options = await world.ping(path, { method: 'OPTIONS' })
  t.strictSame([options.status, options.text], [204, ''])
  t.match(Object.fromEntries(options.headers), common)
  for (const method of ['DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
    const answer = await exchange(world.address, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 404 .*not found$/s, method)
    t.match(answer, /access-control-allow-origin: \*/i, method)
  }
  t.equal(taken.length, 4)
  const old = await exchange(world.address, `GET ${path} HTTP/1.0\r\n\r\n`)
  t.match(old, /^HTTP\/1\.1 200 .*\r\n\r\nOK$/s, 'HTTP/1.0 without Host')
  t.match(await exchange(world.address, `HEAD ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 .*\r\n\r\n$/s)
  t.equal(taken.length, 6)
})

t.test('keeper gets what a ping says of the run and its sender (v3 17.1, 17.3)', async t => {
  const world = await startPings(t, { trustProxy: ['127.0.0.1'] })
  const { taken } = world
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  const run = '0F000000-0000-4000-8000-00000000000A'
  const headers = { 'user-agent': `curl/${'8'.repeat(300)}`, 'x-forwarded-for': '192.0.2.7' }
  await world.ping(`${path.toUpperCase().replace('/PING', '/ping')}/3?rid=${run}`, { method: 'POST', raw: 'a\nb', headers })
  t.match(taken[0], {
    ...{ kind: 'ping', signal: 'run', action: 'fail', exitStatus: 3, run: run.toLowerCase(), method: 'POST' },
    ...{
      agent: headers['user-agent'].slice(0, 200),
      from: '192.0.2.7',
      body: { text: 'a\nb', bytes: 3 },
      value: null,
      reason: '',
    },
  })
  await world.ping(`${path}/log`, { headers: { 'user-agent': '' } })
  t.match(taken[1], { action: 'log', exitStatus: null, run: null, agent: '', body: null })
  t.not(taken[0]?.id, taken[1]?.id)
})

t.test('body of any content type is kept up to the limit and dropped beyond it (v3 17.3)', async t => {
  const world = await startPings(t, { pings: { host: null, bodyLimit: 10, kumaPush: false } })
  const { taken } = world
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  const sent = async (raw: string | Uint8Array, headers: Record<string, string> = {}, method = 'POST') => {
    const answer = await world.ping(path, { method, raw, headers })
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('ping-body-limit'), '10')
    return taken.at(-1)?.body
  }
  for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'])
    t.strictSame(await sent('{"a":', { 'content-type': type }), { text: '{"a":', bytes: 5 }, type)
  t.strictSame(await sent('0123456789'), { text: '0123456789', bytes: 10 })
  t.strictSame(await sent('0123456789a'), { text: '0123456789', bytes: 11 })
  t.strictSame(await sent('a€€€€'), { text: 'a€€€', bytes: 13 })
  t.strictSame(await sent('aa€€€€'), { text: 'aa€€', bytes: 14 }, 'no half character')
  t.strictSame(await sent('x'.repeat(30_000)), { text: 'x'.repeat(10), bytes: 30_000 })
  t.strictSame(await sent('put', {}, 'PUT'), { text: 'put', bytes: 3 })
  const zipped = gzipSync('hello')
  t.strictSame(await sent(zipped, { 'content-encoding': 'gzip' }), { text: '', bytes: zipped.length })
  t.strictSame(await sent('plain', { 'content-encoding': 'Identity' }), { text: 'plain', bytes: 5 })
  const chunked = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`
  t.match(await exchange(world.address, chunked), /^HTTP\/1\.1 200 /)
  t.strictSame(taken.at(-1)?.body, { text: 'hello', bytes: 5 })
  const withGet = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc`
  t.match(await exchange(world.address, withGet), /^HTTP\/1\.1 200 /)
  t.strictSame(taken.at(-1)?.body, { text: 'abc', bytes: 3 })
  const before = taken.length
  t.match(await world.ping(path, { method: 'POST', raw: new Uint8Array(16 * mebibyte) }), { status: 200 })
  t.match(taken.at(-1)?.body, { bytes: 16 * mebibyte })
  const large = await tooLarge(world, path)
  t.match(large, /^HTTP\/1\.1 413 .*\r\n\r\ntoo large$/s)
  t.equal(taken.length, before + 1, 'a refused body is no ping')
})

/** Sends a body of more than 16 MiB. Its sender reads the answer although the body is not read to its end. */
function tooLarge({ address }: PingWorld, path: string): Promise<string> {
  return new Promise(resolve => {
    let received = ''
    const socket: Socket = connect(Number(new URL(address).port), '127.0.0.1', () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${17 * mebibyte}\r\n\r\n`)
      socket.write(Buffer.alloc(16 * mebibyte + 1))
    })
    socket.on('data', chunk => (received += chunk.toString()))
    socket.on('close', () => resolve(received)).on('error', () => undefined)
  })
}

t.test('body that breaks off is no ping (v3 17.3)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  const isClosed = new Promise<void>(resolve => {
    world.fastify.server.once('request', request => request.once('close', () => resolve()))
  })
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1', () => {
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello`, () => socket.destroy())
  })
  await isClosed
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
  t.equal(world.taken.length, 0)
  t.notOk(
    world.logged.some(line => line.includes('request failed')),
    'and no failure of the installation',
  )
})

t.test('ping that is refused for its address or its form is refused before its body (v3 17.4)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  for (const [refused, status] of [
    [unknown, 404],
    [`${path}/256`, 400],
    [`${path}?rid=x`, 400],
  ] as const) {
    const head = `POST ${refused} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n`
    const socket = connect(Number(new URL(world.address).port), '127.0.0.1', () => socket.write(head))
    const received = await new Promise<string>(resolve => socket.once('data', chunk => resolve(chunk.toString())))
    t.match(received, new RegExp(`^HTTP/1.1 ${status} `), refused)
    socket.destroy()
  }
})

t.test('address that is rotated while a body arrives takes no ping (v3 17.5)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhello`
  const isRead = new Promise<void>(resolve => {
    world.fastify.server.once('request', request => {
      request.on('newListener', (name: string) => name === 'data' && resolve())
    })
  })
  let received = ''
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1', () => socket.write(head))
  socket.on('data', chunk => (received += chunk.toString()))
  await isRead
  t.equal((await world.call('POST', '/resources/nightly/ping-addresses/run/rotate')).status, 200)
  socket.write('world')
  await new Promise(resolve => socket.once('close', resolve))
  t.match(received, /^HTTP\/1\.1 404 .*not found$/s)
  t.equal(world.taken.length, 0)
})

t.test('create=1 makes the Resource of an unknown slug, and two at once make one (v3 17.7)', async t => {
  const world = await startPings(t)
  const { key } = await world.pingKey()
  const path = `/ping/${key}/nightly`
  t.match(await world.ping(path), { status: 404 })
  t.match(await world.ping(`${path}?create=1&rid=x`), { status: 400, text: 'invalid uuid format' })
  t.match(await world.ping(`${path}/256?create=1`), { status: 400, text: 'invalid url format' })
  t.equal((await world.call('GET', '/resources/nightly')).status, 404, 'a refused ping makes nothing')
  // In one piece, so that both are read before the first is answered.
  const both = `GET ${path}/start?create=1 HTTP/1.1\r\nHost: a\r\n`
  const answers = await exchange(world.address, `${both}\r\n${both}Connection: close\r\n\r\n`)
  t.strictSame(answers.match(/HTTP\/1\.1 \d+/g)?.toSorted(), ['HTTP/1.1 200', 'HTTP/1.1 201'])
  t.match(answers, /\r\n\r\nCreated/)
  t.match((await world.call('GET', '/resources/nightly')).json.result, {
    ...{ key: 'nightly', name: 'nightly', template: 'heartbeat-check@1', labels: {} },
  })
  t.equal((await world.call('GET', '/resources')).json.result.length, 1)
  t.match(world.taken, [
    { action: 'start', signal: 'run' },
    { action: 'start', signal: 'run' },
  ])
  t.match(await world.ping(`${path}?create=1`), { status: 200, text: 'OK' })
  t.match(await world.ping(path), { status: 200, text: 'OK' })
})

t.test('pings with one ping key make at most 1,000 Resources a day, and within the bound of the workspace (v3 17.7)', async t => {
  const world = await startPings(t)
  const { id, key } = await world.pingKey()
  const { store, clock } = world
  const setMade = async (count: number) => {
    const [stored] = await store.get('pingKeys', [id])
    const today = Math.floor(clock.now() / day)
    await store.upsert('pingKeys', [{ ...(stored as NonNullable<typeof stored>), made: { day: today, count } }])
  }
  await setMade(limits.address.resourcesPerDay - 1)
  t.match(await world.ping(`/ping/${key}/a?create=1`), { status: 201 })
  t.match(await world.ping(`/ping/${key}/b?create=1`), { status: 404, text: 'not found' })
  t.match(await world.ping(`/ping/${key}/a?create=1`), { status: 200 }, 'what is there still pings')
  const another = await world.pingKey()
  t.match(await world.ping(`/ping/${another.key}/b?create=1`), { status: 201 }, 'the bound is one of the ping key')
  clock.advance(day)
  t.match(await world.ping(`/ping/${key}/c?create=1`), { status: 201 })
})

t.test('ping key names the Resources of its own workspace alone, and no more once it is deleted (v3 17.2, 17.6)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const { id, key } = await world.pingKey()
  const foreign = await world.ping(`/ping/${key}/nightly`)
  t.equal(foreign.status, 200)
  const other = await world.ping('/api/v3/workspaces/w2/ping-keys', { method: 'POST', token: world.owner, body: {} })
  t.match(await world.ping(`/ping/${other.json.result.key}/nightly`), { status: 404 })
  const { json } = await world.call('GET', '/resources/nightly')
  t.match(await world.ping(`/ping/${key}/${json.result.id.toLowerCase()}`), { status: 404 }, 'an id is no key')
  t.equal((await world.call('DELETE', `/ping-keys/${id}`)).status, 200)
  t.match(await world.ping(`/ping/${key}/nightly`), { status: 404, text: 'not found' })
})

t.test('ping finds the Resource that has a key now, also if another had it a moment ago (v3 17.2)', async t => {
  const world = await startPings(t)
  const { key } = await world.pingKey()
  const first = await world.resource('nightly')
  t.match(await world.ping(`/ping/${key}/nightly`), { status: 200 })
  const [subject] = await world.store.get('subjects', [first])
  await world.store.upsert('subjects', [{ ...(subject as NonNullable<typeof subject>), deletedAt: world.clock.now() }])
  const second = await world.resource('nightly')
  world.keeper.takesPing = () => (world.keeper.commands.at(-1)?.subjectId === first ? { refused: 'not_found' } : 'stored')
  t.match(await world.ping(`/ping/${key}/nightly`), { status: 200 })
  t.equal(world.keeper.commands.at(-1)?.subjectId, second)
})

for (const legacy of ['serve', 'gone'] as const)
  t.test(`push of Uptime Kuma is a ping with KUMA_PUSH=on, also with API_LEGACY=${legacy} (v3 17.9)`, async t => {
    const world = await startPings(t, { legacy, pings: { host: null, bodyLimit: 10_000, kumaPush: true } })
    await world.resource('nightly')
    const [address] = await world.addresses('nightly')
    const { pathname } = new URL(address?.push_url ?? '')
    t.match(pathname, /^\/api\/push\/[A-Za-z0-9]{32}$/)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, json } = await world.ping(`${pathname}?status=up&msg=OK&ping=1500`, { method })
      t.strictSame([status, json], [200, { ok: true }], method)
      t.match(world.taken.at(-1), { action: 'success', value: 1.5, reason: 'OK', method, body: null, signal: 'run' })
    }
    await world.ping(`${pathname}?status=down&msg=disk%20full`, { method: 'POST', raw: 'dropped' })
    t.match(world.taken.at(-1), { action: 'fail', reason: 'disk full', value: null, body: null })
    for (const path of [`/api/push/${'x'.repeat(32)}`, '/api/push/short', '/api/push', `${pathname}/more`]) {
      const { status, json } = await world.ping(path)
      t.strictSame([status, json], [404, { ok: false, msg: 'Monitor not found or not active.' }], path)
    }
    world.keeper.takesPing = () => 'refused'
    const refused = await world.ping(pathname)
    t.strictSame([refused.status, refused.json], [429, { ok: false, msg: 'rate limited' }])
    t.equal((await world.call('POST', '/resources/nightly/ping-addresses/run/rotate')).status, 200)
    t.equal((await world.ping(pathname)).status, 404, 'a rotation ends the token too')
  })

t.test('path of a push is as unknown as any other without KUMA_PUSH (v3 17.9)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  t.match(await world.addresses('nightly'), [{ push_url: null }])
  const [ping] = await world.store.find('pings', { limit: 1 })
  const push = await world.ping(`/api/push/${ping?.pushToken}`, { token: world.owner })
  const other = await world.ping('/api/nothing', { token: world.owner })
  t.strictSame([push.status, push.json], [other.status, other.json])
  t.equal(push.json.error.code, 2002)
})

t.test('address at the root of PING_HOST pings (v3 17.1)', async t => {
  const world = await startPings(t, { pings: { host: 'ping.example.com', bodyLimit: 0, kumaPush: false } })
  await world.resource('nightly')
  const path = (await world.pathOf('nightly')).replace('/ping', '')
  const send = (host: string) =>
    exchange(world.address, `GET ${path}/start HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  t.match(await send('ping.example.com'), /^HTTP\/1\.1 200 .*ping-body-limit: 0\r\n.*\r\n\r\nOK$/is)
  t.match(await send('watch.example.com'), /^HTTP\/1\.1 404 /)
  t.match(world.taken, [{ action: 'start', body: null }])
})

t.test(
  'ping addresses, ping keys and push tokens stand in no log, metric or audit row, and pings are not audited (v3 17.8)',
  async t => {
    const world = await startPings(t, { pings: { host: null, bodyLimit: 10_000, kumaPush: true } })
    await world.resource('nightly')
    const { key } = await world.pingKey()
    const [first] = await world.store.find('pings', { limit: 1 })
    t.equal(first, undefined, 'no address is made before somebody reads it')
    const path = await world.pathOf('nightly')
    const [stored] = await world.store.find('pings', { limit: 1 })
    const secrets = [key, stored?.id ?? '', stored?.pushToken ?? '']
    const paths = [path, `/ping/${key}/nightly`, `/ping/${key}/made?create=1`, `/api/push/${stored?.pushToken}`, `${path}/256`]
    for (const one of paths) await world.ping(one, { headers: { 'user-agent': 'curl' } })
    world.keeper.takesPing = () => ({ refused: 'internal' })
    for (const one of paths) await world.ping(one)
    await world.call('POST', '/resources/nightly/ping-addresses/run/rotate')
    await world.call('POST', '/ping-keys', { body: { key } })
    await world.call('POST', '/resources', {
      body: { template: 'job', name: 'x', ping_id: stored?.id, push_token: stored?.pushToken },
    })
    const rows = await audited(world, 9)
    t.strictSame(
      rows.map(({ method, path }) => `${method} ${path.replace('/api/v3/workspaces/w1', '')}`).toSorted(),
      [
        ...['POST /templates', 'POST /templates', 'POST /templates', 'POST /resources', 'POST /resources'],
        ...['GET /resources/nightly/ping-addresses', 'POST /resources/nightly/ping-addresses/run/rotate'],
        ...['POST /ping-keys', 'POST /ping-keys'],
      ].toSorted(),
    )
    const shown = { logs: world.logged.join('\n'), metrics: await world.metrics.metrics(), rows: JSON.stringify(rows) }
    for (const [where, text] of Object.entries(shown))
      for (const secret of secrets) t.notOk(text.includes(secret), `${where}: ${secrets.indexOf(secret)}`)
    t.match(shown.metrics, /\/ping\/\*/)
  },
)

/** Audit rows of `w1` as soon as `count` rows are written. */
async function audited({ clock, hub }: PingWorld, count: number) {
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const all = { workspaceId: 'w1', personId: null, path: null, since: null, until: null, limit: 200, after: null }
  for (let tries = 0; tries < 1_000; tries++) {
    clock.advance(limits.audit.flushMs)
    const { items } = await ask('list-audit', all)
    if (items.length >= count) return items
    await new Promise(setImmediate)
  }
  throw new Error(`There are no ${count} rows`)
}
