// A check with the options of the kind `http` against real servers on loopback: the request, redirects, what the answer is judged by and in which
// order, bounds of time, and secrets, which reach neither another origin nor a sentence.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { createEgress } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { CheckOutcome } from '../../services/prober/checks/checker.ts'
import { matchApart } from '../../services/prober/checks/http/pattern-thread.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'
import { httpCheckEntry } from '../support/checks.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { certificates } from './certificates.ts'
import { type CheckOptions, runCheck } from './run-check.ts'

const clock = createSystemClock()
const trust = createTrust(certificates.authority)
const mebibyte = 1024 * 1024
const run = promisify(execFile)

/** Every name but `gone.example` is this machine. */
const resolve: Resolve = (name, done) =>
  name === 'gone.example' ? done(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []) : done(null, ['127.0.0.1'])

interface Seen {
  server: string
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** Requests in the order in which they came, each over a connection of its own. */
let seen: Seen[] = []
let connections = 0
/** Answers to paths; a request for any other path is answered with `all is well`. */
const routes = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
const servers: { server: Server; sockets: Set<Socket> }[] = []

async function listen(
  name: string,
  make: (listener: RequestListener) => Server,
  scheme: string,
  host = '127.0.0.1',
): Promise<string> {
  const server = make(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url: path = '' } = request
    const headers = Object.fromEntries(
      Array.from({ length: request.rawHeaders.length / 2 }, (_, i) => request.rawHeaders.slice(2 * i, 2 * i + 2)),
    )
    seen.push({ server: name, method, path, headers, body: Buffer.concat(chunks).toString() })
    const answer = routes.get(path)
    if (answer === undefined) response.end('all is well')
    else answer(request, response)
  })
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  servers.push({ server, sockets })
  return `${scheme}://${host}:${(server.address() as AddressInfo).port}`
}

const keyOf = (cert: string) => ({ key: certificates.key, cert })
const plain = await listen('plain', createHttpServer, 'http')
const other = await listen('other', createHttpServer, 'http', 'other.example')
const secure = await listen('secure', listener => createHttpsServer(keyOf(certificates.good), listener), 'https')
const selfSigned = await listen('self', listener => createHttpsServer(keyOf(certificates.selfSigned), listener), 'https')

t.beforeEach(() => {
  seen = []
  connections = 0
  routes.clear()
})
t.teardown(() => clock.stop())

const check = (url: string, options: Record<string, unknown> = {}, given: Partial<CheckOptions> = {}): Promise<CheckOutcome> =>
  runCheck(httpCheckEntry(url, options), { clock, resolve, trust, userAgent: 'watchkeeper/2 (+http://us)', ...given })

const errorOf = async (url: string, options: Record<string, unknown> = {}, given: Partial<CheckOptions> = {}) =>
  (await check(url, options, given)).error

const answers =
  (body: string | Buffer, head: Record<string, string> = {}, status = 200) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, head).end(body)
const leads = (location: string, status = 302) => answers('gone', { location }, status)

t.test('request has the headers, credentials and body of the options', async t => {
  const host = new URL(plain).host
  const usual = { host, 'user-agent': 'watchkeeper/2 (+http://us)', accept: '*/*', connection: 'close' }
  const basic = `Basic ${Buffer.from('me:p:ss wörd').toString('base64')}`
  const posted = { method: 'POST', body: '{"a": "ü"}' }
  const cases: [name: string, options: Record<string, unknown>, request: Partial<Seen>][] = [
    ['nothing', {}, { method: 'GET', path: '/a?b', headers: usual, body: '' }],
    ['HEAD', { method: 'HEAD' }, { method: 'HEAD', headers: usual }],
    ['headers', { headers: ['X-A: b', 'x-b:c'] }, { headers: { ...usual, 'X-A': 'b', 'x-b': 'c' } }],
    [
      'usual headers that are replaced',
      { headers: ['Host: shop.example', 'User-Agent: me', 'ACCEPT: text/html'] },
      { headers: { Host: 'shop.example', 'User-Agent': 'me', ACCEPT: 'text/html', connection: 'close' } },
    ],
    [
      'secret headers',
      { secret_headers: 'X-Key: a b\r\n\r\nCookie: c=d\n' },
      { headers: { ...usual, 'X-Key': 'a b', Cookie: 'c=d' } },
    ],
    ['basic', { username: 'me', password: 'p:ss wörd' }, { headers: { ...usual, authorization: basic } }],
    ['bearer', { bearer: 'abc.def' }, { headers: { ...usual, authorization: 'Bearer abc.def' } }],
    [
      'a body',
      posted,
      { method: 'POST', body: '{"a": "ü"}', headers: { ...usual, 'content-type': 'application/json', 'content-length': '11' } },
    ],
    ['a body without a type', { ...posted, content_type: '' }, { headers: { ...usual, 'content-length': '11' } }],
    [
      'a type among the headers',
      { ...posted, headers: ['Content-Type: text/plain'] },
      { headers: { ...usual, 'Content-Type': 'text/plain', 'content-length': '11' } },
    ],
    ['POST without a body', { method: 'POST' }, { method: 'POST', headers: { ...usual, 'content-length': '0' } }],
    ['GET with a body', { body: 'x' }, { method: 'GET', body: 'x' }],
  ]
  for (const [name, options, request] of cases) {
    seen = []
    t.equal(await errorOf(`${plain}/a?b#c`, options), null, name)
    t.match(seen, [request], name)
    if (request.headers !== undefined) t.strictSame(seen[0]?.headers, request.headers, name)
  }
})

t.test('redirects are followed one by one, each over a fresh connection, and the last answer is judged', async t => {
  for (let i = 0; i < 6; i++) routes.set(`/${i}`, leads(`/${i + 1}`))
  t.equal(await errorOf(`${plain}/1`, { contains: 'all is well' }), null)
  t.strictSame(
    seen.map(({ path }) => path),
    ['/1', '/2', '/3', '/4', '/5', '/6'],
  )
  t.equal(connections, 6)
  t.match(await check(`${plain}/0`), { ok: false, error: 'more than 5 redirects', statusCode: 302, value: null })
  t.match(await check(`${plain}/3`, { redirects: 2 }), { error: 'more than 2 redirects' })
  t.match(await check(`${plain}/3`, { redirects: 3 }), { error: null, statusCode: 200 })
  t.match(await check(`${plain}/3`, { redirects: 0 }), { error: 'status 302, expected 200-299', statusCode: 302 })
  t.match(await check(`${plain}/3`, { redirects: 0, statuses: ['300-399'] }), { error: null, statusCode: 302 })
  t.match(await check(`${plain}/3`, { statuses: ['302'] }), { error: 'status 200, expected 302', statusCode: 200 })
  routes.set('/loop', leads('/loop'))
  t.equal(await errorOf(`${plain}/loop`, { redirects: 10 }), 'more than 10 redirects')
  routes.set('/nowhere', answers('', {}, 302))
  t.equal(await errorOf(`${plain}/nowhere`), 'redirect without a usable address')
  const twice = 'HTTP/1.1 302 Go\r\nLocation: /1\r\nLocation: /x\r\nLocation: \r\nContent-Length: 0\r\n\r\n'
  routes.set('/twice', (_, response) => void response.socket?.end(twice))
  t.equal(await errorOf(`${plain}/twice`, { redirects: 1 }), null, 'the last address that is not empty counts')
  routes.set('/choice', leads('/x', 300))
  t.equal(await errorOf(`${plain}/choice`), 'status 300, expected 200-299', 'a choice is no redirect')
  routes.set('/fails', leads('/503'))
  routes.set('/503', answers('sorry', {}, 503))
  t.match(await check(`${plain}/fails`), { error: 'status 503, expected 200-299', statusCode: 503 })
  routes.set('/head', leads('/x', 303))
  seen = []
  t.equal(await errorOf(`${plain}/head`, { method: 'HEAD' }), null)
  t.strictSame(
    seen.map(({ method, path }) => `${method} ${path}`),
    ['HEAD /head', 'HEAD /x'],
  )
})

t.test('each connection of a redirect passes the guard, and its faults are those of the check', async t => {
  routes.set('/gone', leads('http://gone.example/'))
  t.match(await check(`${plain}/gone`), { error: 'host name "gone.example" not found', statusCode: null, value: null })
  routes.set('/metadata', leads('http://169.254.169.254/latest/meta-data/'))
  t.equal(
    await errorOf(`${plain}/metadata`),
    'Not checked: EGRESS rules close this address. It is the address of a cloud metadata service.',
  )
  const port = Number(new URL(other).port)
  const egress = createEgress({ own: { has: (_, each) => each === port } })
  routes.set('/other', leads(other))
  t.equal(
    await errorOf(`${plain}/other`, {}, { egress }),
    'Not checked: EGRESS rules close this address. It is a port of Watchkeeper itself.',
  )
  t.notOk(seen.some(({ server }) => server === 'other'))
  routes.set('/refused', leads('http://127.0.0.1:1/'))
  t.match(await check(`${plain}/refused`), {
    error: 'connection refused',
    phases: { dnsMs: Number, connectMs: Number, tlsMs: null },
  })
  routes.set('/self', leads(selfSigned))
  t.equal(await errorOf(`${plain}/self`), 'certificate is self-signed')
  t.equal(await errorOf(`${plain}/self`, { verify: false }), null)
})

const secret = {
  secret_headers: 'X-Key: sesame-header\nCookie: a=sesame-cookie',
  headers: ['Host: own.example', 'X-Open: b'],
}

t.test('nothing secret goes to another origin, nor to the own one after it', async t => {
  const credentials: Record<string, unknown>[] = [
    { username: 'sesame-name', password: 'sesame-word' },
    { bearer: 'sesame-token' },
    { secret_headers: 'Authorization: Bearer sesame-token' },
  ]
  routes.set('/out', leads(`${other}/back`))
  routes.set('/back', leads(`${plain}/end`))
  for (const options of credentials) {
    seen = []
    t.equal(await errorOf(`${plain}/out`, { ...secret, ...options }), null)
    const [first, second, third] = seen
    t.strictSame(
      seen.map(({ server }) => server),
      ['plain', 'other', 'plain'],
    )
    t.match(first?.headers, { Host: 'own.example', 'X-Open': 'b' })
    t.match(JSON.stringify(first), /sesame|c2VzYW1l/)
    for (const later of [second, third]) {
      t.notMatch(JSON.stringify(later), /sesame|c2VzYW1l|own\.example/i)
      t.match(later?.headers, { 'X-Open': 'b' }, 'what is no secret is sent')
    }
  }
  routes.set('/same', leads('/end'))
  seen = []
  t.equal(await errorOf(`${plain}/same`, { ...secret, bearer: 'sesame-token' }), null)
  t.strictSame(seen[1]?.headers, seen[0]?.headers, 'all of it goes to the same origin')
  routes.set('/user', leads(`${plain.replace('//', '//eve:pw@')}/end`))
  seen = []
  t.equal(await errorOf(`${plain}/user`), null)
  t.notOk(seen[1]?.headers['authorization'], 'user information of a redirect is dropped')
})

t.test('a body goes on by 307 and 308 to its own origin alone', async t => {
  const posted = { method: 'POST', body: 'sesame-body' }
  for (const status of [307, 308]) {
    routes.set('/same', leads('/end', status))
    routes.set('/out', leads(`${other}/end`, status))
    seen = []
    t.equal(await errorOf(`${plain}/same`, posted), null)
    t.match(seen[1], { method: 'POST', path: '/end', body: 'sesame-body', headers: { 'content-type': 'application/json' } })
    t.equal(await errorOf(`${plain}/out`, posted), 'redirected to another origin, which must not get the body')
  }
  for (const status of [301, 302, 303]) {
    routes.set('/out', leads(`${other}/end`, status))
    seen = []
    t.equal(await errorOf(`${plain}/out`, posted), null)
    t.match(seen[1], { method: 'GET', body: '' })
    t.notOk(seen[1]?.headers['content-type'])
  }
  t.notOk(seen.some(({ server, body }) => server === 'other' && body !== ''))
})

t.test('https leads to http only if the certificate is not verified', async t => {
  routes.set('/down', leads(`${plain}/end`))
  t.equal(await errorOf(`${secure}/down`, { bearer: 'sesame-token' }), 'redirected from https to http')
  t.equal(await errorOf(`${secure}/down`, { bearer: 'sesame-token', verify: false }), null)
  t.notOk(seen.find(({ path }) => path === '/end')?.headers['authorization'])
  routes.set('/up', leads(`${secure}/end`))
  const up = await check(`${plain}/up`)
  t.match(
    up,
    { error: null, phases: { connectMs: Number, tlsMs: null, firstByteMs: Number } },
    'phases are those of the first connection',
  )
})

t.test('certificate is verified by the usual authorities and those of the check', async t => {
  t.equal(await errorOf(secure), null)
  t.equal(await errorOf(secure, {}, { trust: createTrust() }), 'certificate is signed by an unknown authority')
  t.equal(await errorOf(secure, { authority: certificates.authority }, { trust: createTrust() }), null)
  t.equal(await errorOf(selfSigned), 'certificate is self-signed')
  t.equal(await errorOf(selfSigned, { verify: false }), null)
  t.equal(
    await errorOf(plain.replace('127.0.0.1', 'six.example'), { ip_family: '6' }),
    'host name "six.example" has no IPv6 address',
  )
})

t.test('first fault counts: redirects, status, texts, JSON, time (v3 3.20)', async t => {
  routes.set('/json', answers('{"status": "down"}', { 'content-type': 'application/json' }, 500))
  const all = {
    statuses: ['200'],
    contains: 'up',
    lacks: 'down',
    json_path: '$.status',
    json_value: 'up',
    max_ms: 1,
  }
  const { statuses: _, ...allButStatus } = { ...all, statuses: ['500'] }
  routes.set('/slow', (request, response) => void setTimeout(() => routes.get('/json')?.(request, response), 20))
  const cases: [options: Record<string, unknown>, error: string | null][] = [
    [all, 'status 500, expected 200'],
    [{ ...all, statuses: ['500'] }, 'body does not contain "up"'],
    [{ ...all, statuses: ['500-599'], contains: 'status' }, 'body contains "down"'],
    [{ ...all, statuses: ['500'], contains: '', lacks: 'up' }, '$.status is "down", expected eq up'],
    [{ ...allButStatus, statuses: ['500'], contains: '', lacks: '', json_value: 'down' }, 'answer took <n> ms, more than 1'],
    [{ ...allButStatus, statuses: ['500'], contains: '', lacks: '', json_value: 'down', max_ms: 60_000 }, null],
  ]
  for (const [options, error] of cases) {
    const found = await check(`${plain}/slow`, options)
    t.equal(found.error?.replace(/took \d+/, 'took <n>') ?? null, error)
    t.equal(found.ok, error === null)
    const isTimed = error === null || error.startsWith('answer took')
    t.equal(found.value, isTimed ? found.phases.totalMs : null, 'an outage has no value, slowness has one')
  }
})

t.test('pattern is looked for in the first 64 KiB, decoded, in the charset of the page or in UTF-8 (v3 3.20)', async t => {
  const pad = 'x'.repeat(64 * 1024 - 6)
  routes.set('/patterns/last', answers(`${pad}needle`))
  routes.set('/patterns/late', answers(`${pad}x needle`))
  routes.set('/patterns/gzip', answers(gzipSync(`${pad}needle`), { 'content-encoding': 'gzip' }))
  routes.set('/patterns/lines', answers('first\nup since 3 days\nlast'))
  routes.set('/patterns/latin1', answers(Buffer.from('schöne Grüße', 'latin1'), { 'content-type': 'text/plain; charset=latin1' }))
  routes.set('/patterns/mislabelled', answers('schöne Grüße', { 'content-type': 'text/plain; charset=latin1' }))
  routes.set('/patterns/json', answers('{"status": "up", "load": 0.42}'))
  const none = (pattern: string) => `body does not match ${pattern}`
  const cases: [path: string, options: Record<string, unknown>, error: string | null][] = [
    ['/last', { matches: 'need.e' }, null],
    ['/late', { matches: 'need.e' }, none('need.e')],
    ['/gzip', { matches: 'x{9}needle$' }, null],
    ['/lines', { matches: 'up since \\d+ days' }, null],
    ['/lines', { matches: '^up' }, none('^up')],
    ['/lines', { matches: '(?m)^up' }, null],
    ['/lines', { matches: '(?i)FIRST.up' }, none('(?i)FIRST.up')],
    ['/lines', { matches: '(?is)FIRST.up' }, null],
    ['/latin1', { matches: 'Gr\\pL+e' }, null],
    ['/mislabelled', { matches: '^schöne Grüße$' }, null],
    ['/json', { matches: '"load": 0\\.[0-8]', json_path: '$.status', json_value: 'up', lacks: 'down' }, null],
    ['/json', { matches: 'down', json_path: '$.status', json_value: 'down' }, '$.status is "up", expected eq down'],
    ['/json', { matches: 'down', max_ms: 1 }, none('down')],
    ['/json', { matches: 'a'.repeat(512) }, none(`${'a'.repeat(100)}…`)],
  ]
  for (const [path, options, error] of cases)
    t.equal(await errorOf(`${plain}/patterns${path}`, options), error, `${path} ${JSON.stringify(options).slice(0, 60)}`)
})

t.test('text is looked for in the first MiB, decoded and in the charset of the page', async t => {
  const pad = 'x'.repeat(mebibyte - 6)
  routes.set('/last', answers(`${pad}needle`))
  routes.set('/late', answers(`${pad}x needle`))
  routes.set('/gzip', answers(gzipSync(`${pad}needle`), { 'content-encoding': 'gzip' }))
  routes.set('/chunked', (_, response) => {
    response.write('the need')
    setImmediate(() => setImmediate(() => response.end('le in the hay')))
  })
  routes.set('/latin1', answers(Buffer.from('schöne Grüße', 'latin1'), { 'content-type': 'text/plain; charset=latin1' }))
  const cases: [path: string, options: Record<string, unknown>, error: string | null][] = [
    ['/last', { contains: 'needle' }, null],
    ['/last', { lacks: 'needle' }, 'body contains "needle"'],
    ['/last', { contains: 'needle', lacks: 'needle' }, 'body contains "needle"'],
    ['/late', { contains: 'needle' }, 'body does not contain "needle"'],
    ['/late', { lacks: 'needle' }, null],
    ['/gzip', { contains: 'needle', lacks: 'hay' }, null],
    ['/gzip', { lacks: 'needle' }, 'body contains "needle"'],
    ['/chunked', { contains: 'needle', lacks: 'straw' }, null],
    ['/chunked', { lacks: 'needle' }, 'body contains "needle"'],
    ['/latin1', { contains: 'Grüße', lacks: 'häßlich' }, null],
    ['/latin1', { lacks: 'Grüße' }, 'body contains "Grüße"'],
    ['/x', { lacks: 'y'.repeat(4_096), contains: 'all' }, null],
  ]
  for (const [path, options, error] of cases)
    t.equal(await errorOf(plain + path, options), error, `${path} ${Object.keys(options)}`)
})

t.test('JSON is read up to 256 KiB, decoded, in the charset that the answer states', async t => {
  const long = (bytes: number) => `{"a": 1, "b": "${'x'.repeat(bytes - 17)}"}`
  routes.set('/long', answers(long(262_144)))
  routes.set('/longer', answers(long(262_145)))
  routes.set('/gzip', answers(gzipSync(long(262_144)), { 'content-encoding': 'gzip' }))
  routes.set('/bomb', answers(gzipSync(long(4 * mebibyte)), { 'content-encoding': 'gzip' }))
  routes.set('/cut', answers('{"a": 1'))
  routes.set('/html', answers('<html>'))
  routes.set('/empty', answers(''))
  routes.set('/mark', answers('\ufeff{"a": 1}'))
  routes.set('/utf16', answers(Buffer.from('\ufeff{"a": 1}', 'utf16le')))
  routes.set('/latin1', answers(Buffer.from('{"a": "ö"}', 'latin1'), { 'content-type': 'application/json; charset=iso-8859-1' }))
  routes.set('/meta', answers('{"a": "ö", "b": "<meta charset=latin1>"}'))
  routes.set('/not-gzip', answers('{"a": 1}', { 'content-encoding': 'gzip' }))
  const cases: [path: string, value: string, error: string | null][] = [
    ['/long', '1', null],
    ['/longer', '1', 'answer is too long to read as JSON'],
    ['/gzip', '1', null],
    ['/bomb', '1', 'answer is too long to read as JSON'],
    ['/cut', '1', 'answer is not JSON'],
    ['/html', '1', 'answer is not JSON'],
    ['/empty', '1', 'answer is not JSON'],
    ['/mark', '1', null],
    ['/utf16', '1', null],
    ['/latin1', 'ö', null],
    ['/meta', 'ö', null],
    ['/not-gzip', '1', 'body cannot be decoded'],
    ['/long', '2', '$.a is 1, expected eq 2'],
  ]
  for (const [path, value, error] of cases) {
    t.equal(await errorOf(plain + path, { json_path: '$.a', json_value: value }), error, path)
  }
})

t.test('judgement is that of a plain evaluator, whatever the options and the answer are', async t => {
  const word = fc.constantFrom('', 'up', 'down', '"', 'status')
  const given = fc.record({
    status: fc.constantFrom(200, 204, 301, 404, 500),
    body: fc.constantFrom('{"status": "up"}', '{"status": "down", "n": 2}', '["up"]', 'up or down', ''),
    isZipped: fc.boolean(),
    statuses: fc.subarray(['200', '200-299', '300-399', '404-500'], { minLength: 1 }),
    contains: word,
    lacks: word,
    json_path: fc.constantFrom('', '$', '$.status', '$.n', '$[-1]'),
    json_operator: fc.constantFrom('eq', 'neq', 'exists', 'missing'),
  })
  await fc.assert(
    fc.asyncProperty(given, async ({ status, body, isZipped, ...options }) => {
      const bytes = isZipped ? gzipSync(body) : body
      routes.set('/any', answers(bytes, isZipped ? { 'content-encoding': 'gzip' } : {}, status))
      const sent = { ...options, redirects: 0, json_value: options.json_path === '' ? '' : 'up' }
      const error = await errorOf(`${plain}/any`, sent)
      const wanted = naive(status, status === 204 ? '' : body, sent)
      if (error?.split(' ')[0] !== wanted?.split(' ')[0] || (wanted !== null && !error?.startsWith(wanted))) {
        throw new Error(`${error} instead of ${wanted}`)
      }
    }),
    { numRuns: 200 },
  )
  t.ok(seen.length > 100)
})

interface Judged {
  statuses: string[]
  contains: string
  lacks: string
  json_path: string
  json_operator: string
  json_value: string
}

/** Returns the beginning of the sentence of the first fault; null: there is none. */
function naive(status: number, body: string, options: Judged): string | null {
  const accepted = options.statuses.flatMap(text => {
    const [from = 0, to = from] = text.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
  if (!accepted.includes(status)) return `status ${status}`
  if (options.contains !== '' && body.split(options.contains).length === 1) return 'body does not contain'
  if (options.lacks !== '' && body.split(options.lacks).length > 1) return 'body contains'
  if (options.json_path === '') return null
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return 'answer is not JSON'
  }
  const reads: Record<string, (value: unknown) => unknown> = {
    $: value => value,
    '$.status': value => (Array.isArray(value) ? undefined : (value as Record<string, unknown>)['status']),
    '$.n': value => (Array.isArray(value) ? undefined : (value as Record<string, unknown>)['n']),
    '$[-1]': value => (Array.isArray(value) ? value.at(-1) : undefined),
  }
  const value = reads[options.json_path]?.(json)
  if (options.json_operator === 'missing') return value === undefined ? null : `${options.json_path} is there`
  if (value === undefined) return `${options.json_path} is missing`
  if (options.json_operator === 'exists') return null
  return (value === 'up') === (options.json_operator === 'eq') ? null : `${options.json_path} is `
}

t.test('body is read only if an option wants it', async t => {
  let closed: Promise<unknown> = Promise.resolve()
  routes.set('/endless', (_, response) => {
    closed = once(response, 'close')
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  })
  t.equal(await errorOf(`${plain}/endless`, { max_ms: 60_000 }), null)
  await closed
  t.equal(await errorOf(`${plain}/endless`, { lacks: 'y' }), null, 'and then 1 MiB of it')
  await closed
  t.equal(await errorOf(`${plain}/endless`, { json_path: '$' }), 'answer is too long to read as JSON')
  await closed
})

t.test('check ends at its timeout or its interval, the smaller one, all redirects included', async t => {
  const within = (intervalMs: number, url: string, options: Record<string, unknown> = {}, given: Partial<CheckOptions> = {}) =>
    runCheck({ ...httpCheckEntry(url, options), intervalMs }, { clock, resolve, trust, userAgent: 'x', ...given })
  routes.set('/mute', () => undefined)
  routes.set('/to-mute', leads('/mute'))
  routes.set('/trickle', (_, response) => {
    response.write('x')
    const drip = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(drip))
  })
  routes.set('/lag', (_, response) => void setTimeout(() => leads('/lag')(_, response), 100))
  t.match(await within(300, `${plain}/mute`), { error: 'no answer in 0.3 s', value: null })
  t.match(await within(60_000, `${plain}/mute`, { timeout_seconds: 1 }), { error: 'no answer in 1 s' })
  t.match(await within(300, `${plain}/to-mute`), { error: 'no answer in 0.3 s', statusCode: null })
  t.match(await within(300, `${plain}/trickle`, { contains: 'y' }), { error: 'no answer in 0.3 s', statusCode: 200 })
  const lagging = await within(350, `${plain}/lag`, { redirects: 10 })
  t.match(lagging, { error: 'no answer in 0.35 s' }, 'also between redirects')
  t.ok(lagging.phases.totalMs < 600)
  const never: Resolve = (name, done) => (name === 'never.example' ? undefined : resolve(name, done))
  routes.set('/never', leads('http://never.example/'))
  const bounds = { connectMs: 100, tlsMs: 100, totalMs: 1 }
  t.equal(
    (await within(400, `${plain}/never`, {}, { resolve: never, bounds })).error,
    'no connection in 0.1 s',
    'each connection has its own',
  )
  const rest = { resolve: never, bounds: { ...bounds, connectMs: 10_000 } }
  t.equal((await within(400, `${plain}/never`, {}, rest)).error, 'no answer in 0.4 s')
  const early = { ...clock, schedule: (delayMs: number, run: () => void) => clock.schedule(Math.max(0, delayMs - 20), run) }
  t.equal((await within(400, `${plain}/never`, {}, { ...rest, clock: early })).error, 'no answer in 0.4 s', 'timers fire early')
})

t.test('check whose answer came in time does not fail because patterns of others take long', async t => {
  const closed = new Promise<void>(resolve => {
    routes.set('/letters', (request, response) => {
      request.socket.once('close', () => resolve())
      response.end('aa')
    })
  })
  const others = Array.from({ length: 40 }, () =>
    matchApart({ pattern: '(?i)[a-z]{0,480}[0-9]', texts: ['a'.repeat(65_536)] }, clock),
  )
  // Nothing else keeps the process while the thread works.
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  const own = createVirtualClock()
  const checked = runCheck(
    { ...httpCheckEntry(`${plain}/letters`, { matches: '^aa' }), intervalMs: 200 },
    { clock: own, resolve, trust, userAgent: 'x' },
  )
  await closed
  await own.advance(300)
  t.match(await checked, { ok: true, error: null, phases: { totalMs: 0 } }, 'its time ends with its answer')
  t.strictSame(new Set(await Promise.all(others)), new Set([false]))
})

t.test('secret of a check that a server repeats is in no sentence', async t => {
  const options = {
    secret_headers: 'X-Key: sesame-header\nX-Other: Token sesame-other',
    username: 'me',
    password: 'sesame "word"',
    method: 'POST',
    body: '{\n  "name": "sesame-body"\n}',
    json_value: 'x',
  }
  routes.set('/echo', (request, response) => {
    const { headers } = request
    const basic = String(headers['authorization'])
    const password = Buffer.from(basic.slice(6), 'base64').toString().slice(3)
    const [body = ''] = seen.slice(-1).map(each => each.body)
    response.end(
      JSON.stringify({
        ...{ key: headers['x-key'], other: String(headers['x-other']).slice(6), basic, password, text: `it is ${password}!` },
        ...{ url: encodeURIComponent(password), body, name: JSON.parse(body).name, far: `${'x'.repeat(50)}${headers['x-key']}` },
      }),
    )
  })
  const cases: [member: string, shown: string][] = [
    ['key', '"[redacted]"'],
    ['other', '"[redacted]"'],
    ['basic', '"[redacted]"'],
    ['password', '"[redacted]"'],
    ['text', '"it is [redacted]!"'],
    ['url', '"[redacted]"'],
    ['name', '"[redacted]"'],
    ['far', `"${'x'.repeat(50)}[redacte…`],
  ]
  for (const [member, shown] of cases) {
    t.equal(await errorOf(`${plain}/echo`, { ...options, json_path: `$.${member}` }), `$.${member} is ${shown}, expected eq x`)
  }
  for (const path of ['$.body', '$']) t.notMatch(await errorOf(`${plain}/echo`, { ...options, json_path: path }), /sesame/)
  routes.set('/host', (request, response) => leads(`http://${request.headers['x-key']}.gone.example/`)(request, response))
  const nothing: Resolve = (name, done) =>
    done(name.endsWith('gone.example') ? Object.assign(new Error('none'), { code: 'ENOTFOUND' }) : null, ['127.0.0.1'])
  t.equal(
    await errorOf(`${plain}/host`, { secret_headers: 'X-Key: Sesame-Header' }, { resolve: nothing }),
    'host name "[redacted].gone.example" not found',
  )
})

const version = await run('curl', ['--version']).then(
  ({ stdout }) => /^curl (\S+)/.exec(stdout)?.[1],
  () => undefined,
)
const skip = version !== '7.88.1' && 'no curl 7.88.1'

t.test('redirects lead where they lead curl', { skip }, async t => {
  const locations = [
    ...['/x', 'x', '?x', '../x', './x', '//127.0.0.1/x', '/x y', '/a/./b/../c', '/sch\xc3\xb6n', '/sch\xf6n', '/%7e%zz', ''],
    ...[`${plain}/x`, `${plain}`, `${plain.toUpperCase()}/x`, '  /x  ', '/x?a=b&c=d#e', 'mailto:me@example.org', 'x:y'],
  ]
  const posts: [method: string, ...words: string[]][] = [['GET'], ['HEAD', '-I'], ['POST', '--data', 'x=1']]
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of status === 302 ? locations : ['/x']) {
      for (const [method, ...words] of location === '/x' ? posts : posts.slice(0, 1)) {
        const name = `${status} ${method} ${JSON.stringify(location)}`
        routes.set('/a/from', (_, response) => {
          response.socket?.end(
            `HTTP/1.1 ${status} Go\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
            'latin1',
          )
        })
        seen = []
        const url = `${plain}/a/from`
        const isTaken = await run('curl', ['-sS', '-L', '--max-redirs', '5', '--max-time', '5', ...words, url]).then(
          () => true,
          () => false,
        )
        const byCurl = seen.map(asked)
        seen = []
        const { error } = await check(url, { method, ...(method === 'POST' ? { body: 'x=1' } : {}) })
        // An empty Location is none for curl, which then takes the redirect itself.
        if (location === '') t.equal(error, 'redirect without a usable address', name)
        else t.equal(error === null, isTaken, `${name}: ${error}`)
        t.strictSame(seen.map(asked), byCurl, name)
      }
    }
  }
})

/** What a request asked for. curl writes the digits of bytes in small letters. */
const asked = ({ method, path, body }: Seen) => `${method} ${path.replace(/%[\da-f]{2}/gi, byte => byte.toUpperCase())} ${body}`

t.test('no connection is left', async t => {
  await Promise.all(
    servers.flatMap(({ sockets }) => [...sockets].map(socket => (socket.destroyed ? undefined : once(socket, 'close')))),
  )
  t.pass('each check closes its connections')
})
