// One check against real servers on loopback: every error message, every bound, and no timer is left after a check.
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { before, test } from 'tap'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createResolve, type Resolve } from '#shared/net/resolve.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'
import type { CheckContext } from '../../services/prober/checks/checker.ts'
import { Check } from '../../services/prober/checks/http/check.ts'
import type { Target } from '../../services/prober/checks/http/target.ts'
import { websiteTarget } from '../../services/prober/checks/http/website-target.ts'
import { bodySentence, clean } from '../../services/prober/checks/sentences.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'
import { checkEntry } from '../support/checks.ts'
import { certificates } from './certificates.ts'
import { type CheckOptions, runCheck } from './run-check.ts'

const system = createSystemClock()
/** Number of running timers, which must be 0 after a check. */
let timers = 0
const clock: Clock = {
  now: () => Date.parse('2021-01-04T12:00:00Z'),
  monotonic: system.monotonic,
  schedule: (delayMs, run) => {
    timers++
    const cancel = system.schedule(delayMs, () => {
      timers--
      forgotten = true
      run()
    })
    let forgotten = false
    return () => {
      if (!forgotten) timers--
      forgotten = true
      cancel()
    }
  },
}
const trust = createTrust(certificates.authority)
const resolve: Resolve = createResolve({ clock: system })
const short = { connectMs: 300, tlsMs: 250, totalMs: 400 }

const servers: { server: Server; sockets: Set<Socket> }[] = []
let written = 0
const urls: Record<string, string> = {}

async function listen(name: string, server: Server, scheme = 'http'): Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The servers do not keep the process alive, so the process ends after the last test.
  server.unref()
  servers.push({ server, sockets })
  urls[name] = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts a server that sends `bytes` to every client after its request, and then calls `then`. */
const speaks = (name: string, bytes: string | Buffer, then: (socket: Socket) => void = () => undefined) =>
  listen(
    name,
    createTcpServer(socket => {
      socket.once('data', () => socket.write(bytes, () => then(socket)))
    }),
  )

/** Writes `piece` again and again while the client reads. */
function flood(socket: Socket, piece: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece)) written += piece.length
  }
  socket.on('drain', more)
  more()
}

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/ok': (_request, response) => response.end('all is well'),
  '/503': (_request, response) => response.writeHead(503).end('sorry'),
  '/301': (_request, response) => response.writeHead(301, { location: '/ok' }).end(),
  '/103': (_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end('after a hint')
  },
  '/cut-text': (_request, response) => {
    response.write('the need')
    setImmediate(() => setImmediate(() => response.end('le in the hay')))
  },
  '/late-text': (_request, response) => response.end(`${'x'.repeat(limits.check.bodyBytes)}needle`),
  '/last-text': (_request, response) => response.end(`${'x'.repeat(limits.check.bodyBytes - 6)}needle`),
  '/gzip': (_request, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('a needle inside')),
  '/deflate': (_request, response) => response.setHeader('content-encoding', 'deflate').end(deflateSync('a needle inside')),
  '/raw-deflate': (_request, response) =>
    response.setHeader('content-encoding', 'deflate').end(deflateRawSync('a needle inside')),
  '/br': (_request, response) => response.setHeader('content-encoding', 'br').end(brotliCompressSync('a needle inside')),
  '/zstd': (_request, response) => response.setHeader('content-encoding', 'zstd').end(zstdCompressSync('a needle inside')),
  '/twice': (_request, response) =>
    response.setHeader('content-encoding', 'gzip, br').end(brotliCompressSync(gzipSync('a needle inside'))),
  '/wrapped-twice': (_request, response) =>
    response.setHeader('content-encoding', 'deflate, gzip').end(gzipSync(deflateSync('a needle inside'))),
  '/long-gzip': (_request, response) => response.setHeader('content-encoding', 'gzip').end(longGzip),
  '/not-gzip': (_request, response) => response.setHeader('content-encoding', 'gzip').end('this is no gzip'),
  '/bomb': (_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb),
  '/latin-header': (_request, response) =>
    response.setHeader('content-type', 'text/html; charset=ISO-8859-1').end(Buffer.from('schöne Grüße', 'latin1')),
  '/latin-meta': (_request, response) => response.end(page('<meta charset="windows-1252">', 'latin1')),
  '/latin-http-equiv': (_request, response) =>
    response.end(page('<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1">', 'latin1')),
  '/latin-xml': (_request, response) =>
    response.end(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>schöne Grüße</a>', 'latin1')),
  '/late-meta': (_request, response) => {
    response.write('<html><head>')
    setImmediate(() => setImmediate(() => response.end(page('<meta charset=latin1>', 'latin1'))))
  },
  '/meta-beyond': (_request, response) => response.end(`${' '.repeat(1_024)}${page('<meta charset=latin1>', 'latin1')}`),
  '/utf16-mark': (_request, response) => response.end(Buffer.from('\ufeffschöne Grüße', 'utf16le')),
  '/utf16-header': (_request, response) =>
    response.setHeader('content-type', 'text/plain;charset="utf-16le"').end(Buffer.from('schöne Grüße', 'utf16le')),
  '/shift-jis': (_request, response) =>
    response.setHeader('content-type', 'text/html; charset=Shift_JIS').end(Buffer.from('90b38fed82c593ae8dec', 'hex')),
  '/wrong-charset': (_request, response) =>
    response.setHeader('content-type', 'text/html; charset=iso-8859-1').end('schöne Grüße'),
  '/unknown-charset': (_request, response) =>
    response.setHeader('content-type', 'text/html; charset=nonsense').end('schöne Grüße'),
  '/latin-gzip': (_request, response) =>
    response.setHeader('content-encoding', 'gzip').end(gzipSync(page('<meta charset=latin1>', 'latin1'))),
  '/echo': (request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () =>
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body })),
    )
  },
}
const page = (head: string, encoding: BufferEncoding): Buffer =>
  Buffer.from(`<html><head>${head}</head><body>schöne Grüße</body></html>`, encoding)
/** Body of the largest size that a check searches. It is incompressible, so that the decoder is slower than the network. */
const longGzip = gzipSync(Buffer.concat([randomBytes(limits.check.bodyBytes - 6), Buffer.from('needle')]))
/** 512 MiB of zeros, compressed to half a megabyte. */
const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024), { level: 9 })

before(async () => {
  await listen(
    'http',
    createHttpServer((request, response) => routes[new URL(request.url ?? '/', 'http://x').pathname]?.(request, response)),
  )
  for (const name of ['good', 'expired', 'notYet', 'elsewhere', 'stranger', 'selfSigned'] as const) {
    const server = createHttpsServer({ key: certificates.key, cert: certificates[name] }, (request, response) => {
      const route = routes[request.url ?? '/']
      if (route === undefined) response.end('secret')
      else route(request, response)
    })
    server.on('tlsClientError', () => undefined)
    await listen(name, server, 'https')
  }
  await speaks('reset', 'HTTP/1.1 200 OK\r\n', socket => socket.resetAndDestroy())
  await speaks('silentClose', '', socket => socket.end())
  await speaks('notHttp', 'SSH-2.0-OpenSSH_9.9\r\n')
  await speaks('truncated', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this', socket => socket.end())
  await speaks('truncatedChunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nonly this\r\n', socket =>
    socket.end(),
  )
  await speaks(
    'truncatedLast',
    'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n9\r\nonly this',
    socket => socket.end(),
  )
  await speaks('untilClose', 'HTTP/1.0 200 OK\r\n\r\na needle inside', socket => socket.end())
  await speaks('endlessHeaders', 'HTTP/1.1 200 OK\r\n', socket => flood(socket, Buffer.from(`x-more: ${'y'.repeat(1_000)}\r\n`)))
  await speaks('endlessLines', '', socket => flood(socket, Buffer.from('\r\n'.repeat(500))))
  await speaks('endlessBlanks', 'HTTP/1.1 200 OK\r\nx:', socket => flood(socket, Buffer.alloc(1_000, ' ')))
  await speaks('endlessExtension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', socket =>
    flood(socket, Buffer.alloc(1_000, 'y')),
  )
  await speaks('endlessReason', 'HTTP/1.1 200 ', socket => flood(socket, Buffer.alloc(1_000, 'y')))
  await speaks('upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  await speaks('goOn', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  await speaks('onlyHint', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', socket => socket.end())
  await speaks('resetWithin', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this', socket => socket.resetAndDestroy())
  await speaks('brokenChunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nneedle\r\n')
  await speaks('more', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nneedle')
  await speaks('endlessInterim', '', socket => flood(socket, Buffer.from('HTTP/1.1 102 Processing\r\n\r\n')))
  await speaks('huge', 'HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n', socket =>
    flood(socket, Buffer.alloc(65_536, 'x')),
  )
  await speaks('slow', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', socket => {
    const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('x')), 20)
    socket.on('close', () => clearInterval(drip))
  })
  await listen(
    'mute',
    createTcpServer(socket => socket.resume()),
  )
  urls['muteTls'] = (urls['mute'] as string).replace('http', 'https')
  urls['plainAsTls'] = (urls['http'] as string).replace('http', 'https')
  // Port 1, on which no other test listens. A port that was free a moment ago would not do, because another test may listen on it now.
  urls['refused'] = 'http://127.0.0.1:1'
})

const entry = (at: string, changes: Partial<WebsiteEntry> = {}): WebsiteEntry => {
  const [server = '', ...path] = at.split('/')
  return checkEntry({
    url: at.includes('://') ? at : `${urls[server]}/${path.join('/')}`,
    ...changes,
  })
}
const check = (at: string, changes: Partial<WebsiteEntry> = {}, options: Partial<CheckOptions> = {}) =>
  runCheck(entry(at, changes), { clock, resolve, trust, userAgent: 'watchkeeper/2.0.0 (+http://us)', ...options })

const needle = { expectedText: 'needle' }
const notHttp = 'answer is not HTTP (it does not begin with "HTTP/")'
const cases: {
  name: string
  at: string
  entry?: Partial<WebsiteEntry>
  options?: Partial<CheckOptions>
  error: string | null
  status: number | null
}[] = [
  { name: 'a listed status passes', at: 'http/ok', error: null, status: 200 },
  { name: 'another status fails', at: 'http/503', error: 'status 503, expected 200', status: 503 },
  {
    name: 'several expected statuses are all named',
    at: 'http/503',
    entry: { statuses: [200, 204, 200] },
    error: 'status 503, expected 200 or 204',
    status: 503,
  },
  { name: 'a redirect is judged and not followed', at: 'http/301', error: 'status 301, expected 200', status: 301 },
  { name: 'a redirect may be what is expected', at: 'http/301', entry: { statuses: [301] }, error: null, status: 301 },
  { name: 'an early hint is not the answer', at: 'http/103', error: null, status: 200 },
  { name: 'HEAD has no body to wait for', at: 'http/ok', entry: { method: 'HEAD' }, error: null, status: 200 },
  {
    name: 'HEAD finds no text',
    at: 'http/ok',
    entry: { method: 'HEAD', expectedText: 'well' },
    error: 'body does not contain "well"',
    status: 200,
  },
  { name: 'the expected text passes', at: 'http/ok', entry: { expectedText: 'is well' }, error: null, status: 200 },
  {
    name: 'a text that is not there fails',
    at: 'http/ok',
    entry: { expectedText: 'IS WELL' },
    error: 'body does not contain "IS WELL"',
    status: 200,
  },
  {
    name: 'the status speaks before the text',
    at: 'http/503',
    entry: { expectedText: 'nothing' },
    error: 'status 503, expected 200',
    status: 503,
  },
  {
    name: 'a long expected text is cut',
    at: 'http/ok',
    entry: { expectedText: 'z'.repeat(4_000) },
    error: `body does not contain "${'z'.repeat(100)}…"`,
    status: 200,
  },
  {
    name: 'control characters do not reach the sentence',
    at: 'http/ok',
    entry: { expectedText: 'a\r\nb\u0007' },
    error: 'body does not contain "a b "',
    status: 200,
  },
  { name: 'a text cut in two by the network is found', at: 'http/cut-text', entry: needle, error: null, status: 200 },
  { name: 'a text at the end of the first MiB is found', at: 'http/last-text', entry: needle, error: null, status: 200 },
  {
    name: 'a text beyond the first MiB does not count',
    at: 'http/late-text',
    entry: needle,
    error: 'body does not contain "needle"',
    status: 200,
  },
  { name: 'gzip is decoded', at: 'http/gzip', entry: needle, error: null, status: 200 },
  { name: 'deflate is decoded', at: 'http/deflate', entry: needle, error: null, status: 200 },
  { name: 'deflate without its wrapping is decoded', at: 'http/raw-deflate', entry: needle, error: null, status: 200 },
  { name: 'brotli is decoded', at: 'http/br', entry: needle, error: null, status: 200 },
  { name: 'zstd is decoded', at: 'http/zstd', entry: needle, error: null, status: 200 },
  { name: 'two codings are taken off in their order', at: 'http/twice', entry: needle, error: null, status: 200 },
  { name: 'deflate within gzip is decoded', at: 'http/wrapped-twice', entry: needle, error: null, status: 200 },
  {
    name: 'a decoded body without the text fails',
    at: 'http/gzip',
    entry: { expectedText: 'hay' },
    error: 'body does not contain "hay"',
    status: 200,
  },
  ...['latin-header', 'latin-meta', 'latin-http-equiv', 'latin-xml', 'late-meta', 'utf16-mark', 'utf16-header'].map(path => ({
    name: `a text is found in the page's own charset: ${path}`,
    at: `http/${path}`,
    entry: { expectedText: 'schöne Grüße' },
    error: null,
    status: 200,
  })),
  ...['wrong-charset', 'unknown-charset', 'latin-gzip'].map(path => ({
    name: `a text is found in UTF-8 too, and behind a coding: ${path}`,
    at: `http/${path}`,
    entry: { expectedText: 'schöne Grüße' },
    error: null,
    status: 200,
  })),
  { name: 'a text in Shift_JIS is found', at: 'http/shift-jis', entry: { expectedText: '正常で動作' }, error: null, status: 200 },
  {
    name: 'a declaration beyond the first 1,024 bytes is none, as in browsers',
    at: 'http/meta-beyond',
    entry: { expectedText: 'Grüße' },
    error: 'body does not contain "Grüße"',
    status: 200,
  },
  { name: 'a decoder that is slower than the network', at: 'http/long-gzip', entry: needle, error: null, status: 200 },
  {
    name: 'what is not gzip cannot be decoded',
    at: 'http/not-gzip',
    entry: needle,
    error: 'body cannot be decoded',
    status: 200,
  },
  {
    name: 'a zip bomb is read for one MiB only',
    at: 'http/bomb',
    entry: needle,
    error: 'body does not contain "needle"',
    status: 200,
  },
  { name: 'a body of 10 GB that nobody looks at is not downloaded', at: 'huge/', error: null, status: 200 },
  {
    name: 'a body of 10 GB is read for one MiB only',
    at: 'huge/',
    entry: needle,
    error: 'body does not contain "needle"',
    status: 200,
  },
  { name: 'a body that ends with the connection is read', at: 'untilClose/', entry: needle, error: null, status: 200 },
  { name: 'a good certificate passes', at: 'good/', error: null, status: 200 },
  { name: 'a text is found behind TLS, too', at: 'good/last-text', entry: needle, error: null, status: 200 },
  { name: 'a decoder behind TLS that is slower than the network', at: 'good/long-gzip', entry: needle, error: null, status: 200 },
  { name: 'an expired certificate says since when', at: 'expired/', error: 'certificate expired 3 days ago', status: null },
  {
    name: 'a certificate of the future says from when',
    at: 'notYet/',
    error: 'certificate is not valid before 2110-01-01',
    status: null,
  },
  {
    name: 'a certificate for another host fails',
    at: 'elsewhere/',
    error: 'certificate is not valid for "127.0.0.1"',
    status: null,
  },
  { name: 'a self-signed certificate fails', at: 'selfSigned/', error: 'certificate is self-signed', status: null },
  {
    name: 'a stranger among authorities fails',
    at: 'stranger/',
    error: 'certificate is signed by an unknown authority',
    status: null,
  },
  { name: 'plain HTTP behind https fails', at: 'plainAsTls/ok', error: 'answer is not TLS', status: null },
  { name: 'nobody listens', at: 'refused/', error: 'connection refused', status: null },
  { name: 'a reset in the headers', at: 'reset/', error: 'connection reset', status: null },
  { name: 'a close without an answer', at: 'silentClose/', error: 'connection closed without an answer', status: null },
  { name: 'another protocol', at: 'notHttp/', error: notHttp, status: null },
  { name: 'headers without end', at: 'endlessHeaders/', error: 'answer headers are too large', status: null },
  { name: 'a reason without end', at: 'endlessReason/', error: 'answer headers are too large', status: null },
  { name: 'empty lines without end', at: 'endlessLines/', error: 'answer headers are too large', status: null },
  { name: 'blanks without end', at: 'endlessBlanks/', error: 'answer headers are too large', status: null },
  {
    name: 'a chunk extension without end',
    at: 'endlessExtension/',
    entry: needle,
    error: 'answer headers are too large',
    status: 200,
  },
  {
    name: 'a change of protocol nobody asked for',
    at: 'upgrade/',
    error: 'answer is not HTTP (it changes the protocol)',
    status: null,
  },
  { name: 'an invitation to go on that nobody asked for is not the answer', at: 'goOn/', error: null, status: 200 },
  { name: 'a close behind an interim answer', at: 'onlyHint/', error: 'connection closed without an answer', status: null },
  { name: 'a reset within a body of known length', at: 'resetWithin/', entry: needle, error: 'connection reset', status: 200 },
  {
    name: 'a broken chunk',
    at: 'brokenChunk/',
    entry: needle,
    error: 'answer is not HTTP (a chunk has no valid size)',
    status: 200,
  },
  { name: 'what comes behind the answer', at: 'more/', entry: needle, error: 'body does not contain "needle"', status: 200 },
  {
    name: 'interim answers without end',
    at: 'endlessInterim/',
    error: 'answer is not HTTP (interim answers do not end)',
    status: null,
  },
  {
    name: 'a body cut short',
    at: 'truncated/',
    entry: needle,
    error: 'connection closed before the answer was complete',
    status: 200,
  },
  {
    name: 'a chunked body cut short',
    at: 'truncatedChunks/',
    entry: needle,
    error: 'connection closed before the answer was complete',
    status: 200,
  },
  {
    name: 'a last chunk cut short',
    at: 'truncatedLast/',
    entry: needle,
    error: 'connection closed before the answer was complete',
    status: 200,
  },
  {
    name: 'a byte at a time does not outlast the bound',
    at: 'slow/',
    entry: needle,
    options: { bounds: short },
    error: 'no answer in 0.4 s',
    status: 200,
  },
  {
    name: 'silence after the connection ends at the bound',
    at: 'mute/',
    options: { bounds: short },
    error: 'no answer in 0.4 s',
    status: null,
  },
  {
    name: 'a handshake nobody answers ends at its own bound',
    at: 'muteTls/',
    options: { bounds: short },
    error: 'no TLS handshake in 0.25 s',
    status: null,
  },
  {
    name: 'a name that never resolves ends at the connect bound',
    at: 'http://never.example/',
    options: { bounds: short, resolve: () => undefined },
    error: 'no connection in 0.3 s',
    status: null,
  },
  {
    name: 'a name that is not found is named',
    at: 'http://me:secret@gone.example/',
    options: { resolve: failing('ENOTFOUND') },
    error: 'host name "gone.example" not found',
    status: null,
  },
  {
    name: 'name servers that are silent are named as such',
    at: 'http://x.example/',
    options: { resolve: failing('ETIMEOUT') },
    error: 'name servers do not answer for "x.example"',
    status: null,
  },
  {
    name: 'an address that is no HTTP URL',
    at: 'ftp://example.com/',
    error: 'address is not an HTTP or HTTPS URL',
    status: null,
  },
  {
    name: 'a content type that cannot be sent',
    at: 'http/echo',
    entry: { method: 'POST', data: 'x', contentType: 'a\nb' },
    error: 'the request cannot be sent as it is configured',
    status: null,
  },
]

const closed = (socket: Socket) => new Promise<void>(done => (socket.destroyed ? done() : socket.once('close', () => done())))

function failing(code: string): Resolve {
  return (_name, done) => done(Object.assign(new Error('resolver says no'), { code }), [])
}

for (const each of cases) {
  test(each.name, async t => {
    written = 0
    const outcome = await check(each.at, each.entry, each.options)
    t.equal(outcome.error, each.error)
    t.equal(outcome.ok, each.error === null)
    t.equal(outcome.statusCode, each.status)
    t.ok(written < 16 * limits.check.bodyBytes, `${written} bytes were taken`)
    t.equal(timers, 0, 'no timer is left')
    await allClosed()
    t.pass('no connection is left')
  })
}

test('request carries the configuration and names its sender', async t => {
  const seen = async (changes: Partial<WebsiteEntry>, auth = '') => {
    const text = `echo-${Math.trunc(system.monotonic())}`
    const url = `${(urls['http'] as string).replace('//', `//${auth}`)}/echo?q=1#part`
    let body = ''
    const server = createHttpServer((request, response) => {
      request.on('data', chunk => (body += chunk))
      request.on('end', () => response.end(text))
      Object.assign(got, { method: request.method, url: request.url, headers: request.headers })
    })
    const got: Partial<IncomingMessage> = {}
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = (server.address() as AddressInfo).port
    const outcome = await check(url.replace(/:\d+\//, `:${port}/`), { expectedText: text, ...changes })
    server.close()
    t.equal(outcome.error, null)
    return { ...got, body, port }
  }
  const get = await seen({}, 'me:p%40ss@')
  t.match(get, { method: 'GET', url: '/echo?q=1', body: '' })
  t.strictSame(get.headers, {
    host: `127.0.0.1:${get.port}`,
    connection: 'close',
    'user-agent': 'watchkeeper/2.0.0 (+http://us)',
    accept: '*/*',
    authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
  })
  const post = await seen({ method: 'POST', data: '{"a":"ü"}' })
  t.match(post, { method: 'POST', body: '{"a":"ü"}', headers: { 'content-type': 'application/json', 'content-length': '10' } })
  for (const method of ['OPTIONS', 'DELETE', 'PUT', 'PATCH'] as const) {
    const sent = await seen({ method })
    t.equal(sent.method, method)
    t.equal(sent.body, '')
    t.equal(sent.headers?.['content-type'], undefined)
  }
})

const allClosed = () => Promise.all(servers.flatMap(({ sockets }) => [...sockets].map(socket => closed(socket))))

test('socket serves one check after another until something fails', async t => {
  const used: unknown[] = []
  const note = (message: unknown) => used.push((message as { socket: unknown }).socket)
  subscribe('net.client.socket', note)
  t.teardown(() => unsubscribe('net.client.socket', note))
  const next = async (at: string, changes: Partial<WebsiteEntry> = {}) => {
    const { error } = await check(at, changes)
    await allClosed()
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    return error
  }
  t.equal(await next('http/ok'), null)
  t.equal(await next('http/503'), 'status 503, expected 200')
  t.equal(await next('untilClose/', needle), null)
  t.equal(await next('http/ok'), null)
  t.equal(new Set(used).size, 1, 'all by the same')
  t.equal(await next('reset/'), 'connection reset')
  t.equal(await next('http/ok'), null)
  t.notOk(used.slice(0, -1).includes(used.at(-1)), 'not by the one that was reset')
})

test('concurrent checks are independent when some are abandoned anywhere', async t => {
  const context: CheckContext = { clock, userAgent: 'test', resolve, trust, egress: createEgress(), bounds: limits.check }
  const target = (at: string, changes: Partial<WebsiteEntry> = {}) => websiteTarget(entry(at, changes), 'watchkeeper') as Target
  const cases: [Target, string | null][] = [
    [target('http/ok', { expectedText: 'is well' }), null],
    [target('http/503'), 'status 503, expected 200'],
    [target('http/long-gzip', needle), null],
    [target('untilClose/', needle), null],
    [target('silentClose/'), 'connection closed without an answer'],
    [target('reset/'), 'connection reset'],
    [target('notHttp/'), notHttp],
  ]
  for (let round = 0; round < 12; round++) {
    const found = cases.flatMap(([each, error]) =>
      Array.from({ length: 4 }, async () => {
        const { promise, resolve: done } = Promise.withResolvers<string | null>()
        new Check(each, context, outcome => done(outcome.error)).start()
        t.equal(await promise, error)
      }),
    )
    const left = cases.map(async ([each], index) => {
      let over = false
      const one = new Check(each, context, () => (over ? t.fail('an abandoned check says nothing') : undefined))
      one.start()
      for (let turn = 0; turn < (index + round) % 9; turn++) await new Promise(setImmediate)
      one.abandon()
      over = true
    })
    await Promise.all([...found, ...left])
  }
  await allClosed()
  t.equal(timers, 0)
})

test('phases add up from the start, and missing ones are null', async t => {
  const { phases } = await check('good/', {})
  const { dnsMs, connectMs, tlsMs, firstByteMs, totalMs } = phases
  const order = [0, dnsMs, connectMs, tlsMs, firstByteMs, totalMs].map(each => each ?? Number.NaN)
  t.strictSame(
    [...order].sort((a, b) => a - b),
    order,
  )
  t.equal((await check('http/ok')).phases.tlsMs, null)
  const refused = await check('refused/')
  t.match(refused.phases, { dnsMs: Number, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: Number })
})

test('certificate is checked against the host name, even if the name is resolved locally', async t => {
  const url = (urls['good'] as string).replace('127.0.0.1', 'localhost')
  t.equal((await check(`${url}/`)).error, null)
  t.equal(
    (await check(`${url.replace('localhost', 'other.localhost')}/`)).error,
    'certificate is not valid for "other.localhost"',
  )
  t.equal((await check(`${url}/`, {}, { trust: createTrust() })).error, 'certificate is signed by an unknown authority')
})

test('host with a final dot is requested by its name without it', async t => {
  const names: string[] = []
  const server = createHttpsServer(
    {
      key: certificates.key,
      cert: certificates.good,
      SNICallback: (name, done) => {
        names.push(name)
        done(null)
      },
    },
    (_request, response) => response.end(),
  )
  await listen('named', server, 'https')
  t.equal((await check(`${(urls['named'] as string).replace('127.0.0.1', 'localhost.')}/`)).error, null)
  t.strictSame(names, ['localhost'])
})

const httpPort = () => new URL(urls['http'] as string).port

test('address that answers makes the site up, whatever the others do (RFC 8305)', async t => {
  // 192.0.2.0/24 and 2001:db8::/32 are for documentation: nobody answers there, or the machine has no way to them.
  const cases: [name: string, found: string[]][] = [
    ['a refusing address before it', ['127.0.0.2', '127.0.0.1']],
    ['a dead address before it', ['192.0.2.1', '127.0.0.1']],
    ['two dead addresses before it', ['192.0.2.1', '2001:db8::1', '127.0.0.1']],
    ['a dead address of the other family', ['2001:db8::1', '127.0.0.1']],
    ['a dead address behind it', ['127.0.0.1', '192.0.2.1']],
  ]
  for (const [name, found] of cases) {
    const outcome = await check(`http://many.example:${httpPort()}/ok`, {}, { resolve: (_name, done) => done(null, found) })
    t.equal(outcome.error, null, name)
    t.equal(timers, 0, 'no timer is left')
  }
})

test('address that becomes known later is tried', async t => {
  for (const first of [['127.0.0.2'], ['192.0.2.1'], []]) {
    const resolve: Resolve = (_name, done) => {
      done(null, first, true)
      setImmediate(() => done(null, ['127.0.0.1']))
    }
    t.equal((await check(`http://late.example:${httpPort()}/ok`, {}, { resolve })).error, null, `after ${first}`)
    t.equal(timers, 0, 'no timer is left')
  }
  const none: Resolve = (_name, done) => {
    done(null, ['127.0.0.2'], true)
    setImmediate(() => done(null, []))
  }
  t.equal((await check(`http://late.example:${httpPort()}/ok`, {}, { resolve: none })).error, 'connection refused')
})

test('error of the preferred address is reported when no address responds', async t => {
  const url = (urls['refused'] as string).replace('127.0.0.1', 'two.example')
  const outcome = await check(url, {}, { resolve: (_name, done) => done(null, ['127.0.0.1', '::1']) })
  t.equal(outcome.error, 'connection refused')
})

test('what a family without a network says is not the reason when the other family was refused', async t => {
  const url = (urls['refused'] as string).replace('127.0.0.1', 'two.example')
  const egress = createEgress()
  const closed = {
    ...egress,
    refusal: (address: string, port: number) => (address === '::2' ? 'closed' : egress.refusal(address, port)),
  }
  const outcome = await check(url, {}, { egress: closed, resolve: (_name, done) => done(null, ['::2', '127.0.0.1']) })
  t.equal(outcome.error, 'connection refused')
})

test('error is cut to one line', async t => {
  t.equal(clean(`a\u0000b\n\nc${'d'.repeat(400)}`).length, limits.check.errorCharacters)
  t.equal(clean(' a\r\n\tb '), 'a b')
  for (const characters of [99, 100, 101]) {
    const sentence = bodySentence(`${'x'.repeat(characters)}${'😀'.repeat(300)}`)
    t.ok(sentence.isWellFormed(), 'no half of a character is left')
    t.match(sentence, /…"$/)
  }
})
