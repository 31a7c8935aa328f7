// Checks of ports against real servers on loopback: banners, silence, resets, closes and TLS.
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { entryOf } from '#shared/checks/registry.ts'
import type { TcpAnswers } from '#shared/checks/tcp/fields.ts'
import { tcp } from '#shared/checks/tcp/tcp.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createResolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'
import { certificates } from './certificates.ts'
import { type CheckOptions, runCheck } from './run-check.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())
const ports: Record<string, number> = {}
/** What each server has received. */
const heard = new Map<string, Buffer>()

async function listen(name: string, server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  ports[name] = (server.address() as AddressInfo).port
}

const hear = (name: string, talk: (socket: Socket) => void) => (socket: Socket) => {
  socket.on('error', () => undefined)
  socket.on('data', bytes => heard.set(name, Buffer.concat([heard.get(name) ?? Buffer.alloc(0), bytes])))
  talk(socket)
}
/** Starts a server in the clear, and one with TLS. */
async function speaks(name: string, talk: (socket: Socket) => void): Promise<void> {
  await listen(name, createTcpServer(hear(name, talk)))
  const own = { key: certificates.key, cert: certificates.good }
  await listen(
    `${name} with TLS`,
    createTlsServer(own, hear(name, talk)).on('tlsClientError', () => undefined),
  )
}

const banner = '220 mail.example ESMTP\r\n'
await speaks('banner', socket => socket.write(banner))
await speaks('halves', socket => {
  socket.write(banner.slice(0, 7))
  setImmediate(() => setImmediate(() => socket.write(banner.slice(7))))
})
await speaks('mute', () => undefined)
await speaks('closes', socket => socket.end('go away'))
await speaks('closes at once', socket => socket.end())
await listen('resets', createTcpServer(hear('resets', socket => void socket.once('data', () => socket.resetAndDestroy()))))
await speaks('echoes', socket => socket.on('data', bytes => socket.write(bytes)))
await speaks('long', socket => socket.write(`${'x'.repeat(4_092)}text and more`))
await speaks('longer', socket => socket.write(`${'x'.repeat(4_093)}text and more`))
await speaks('endless', socket => {
  const more = () => {
    while (!socket.destroyed && socket.write('x'.repeat(1_000)));
  }
  socket.on('drain', more)
  more()
})
await listen(
  'expired',
  createTlsServer(
    { key: certificates.key, cert: certificates.expired },
    hear('expired', () => undefined),
  ),
)

interface Surroundings extends Partial<CheckOptions> {
  intervalSeconds?: number
}

/** Checks as a monitor of the Template would. */
function check(server: string, answers: Partial<TcpAnswers> = {}, { intervalSeconds = 60, ...more }: Surroundings = {}) {
  const all = { host: 'localhost', port: ports[server], locations: ['aaaa'], interval_seconds: intervalSeconds, ...answers }
  return runCheck(entryOf(readCheckAnswers(tcp, all, null), 1), {
    clock,
    trust: createTrust(certificates.authority),
    resolve: createResolve({ clock }),
    userAgent: '',
    ...more,
  })
}

const long = 'y'.repeat(100)
const cases: [name: string, server: string, answers: Partial<TcpAnswers>, error: string | null][] = [
  ['a port that is open', 'mute', {}, null],
  ['a banner nobody looks at', 'banner', {}, null],
  ['a banner', 'banner', { expect: '220 ' }, null],
  ['a banner that comes in two pieces', 'halves', { expect: 'mail.example' }, null],
  ['another banner, until the time is over', 'banner', { expect: 'imap', timeout_seconds: 1 }, 'answer does not contain "imap"'],
  ['a text that ends with the 4,096th byte', 'long', { expect: 'text' }, null],
  ['a text that ends behind it', 'longer', { expect: 'text' }, 'answer does not contain "text"'],
  ['an answer without an end', 'endless', { expect: 'text' }, 'answer does not contain "text"'],
  ['a long text is cut', 'longer', { expect: long }, `answer does not contain "${'y'.repeat(59)}…"`],
  ['a text with control characters', 'endless', { expect: 'a\r\nb' }, 'answer does not contain "a b"'],
  ['silence where a text should come', 'mute', { expect: '220', timeout_seconds: 1 }, 'no answer in 1 s'],
  ['a close before the text', 'closes', { expect: '220' }, 'connection closed before "220" came'],
  ['a close behind the text', 'closes', { expect: 'away' }, null],
  ['a close at once', 'closes at once', { expect: '220' }, 'connection closed before "220" came'],
  ['a text that is sent', 'echoes', { send: 'PING\\r\\n', expect: 'PING\r\n' }, null],
  ['a text of several bytes a character', 'echoes', { send: 'gr\\xc3\\xbc\\xc3\\x9fe', expect: 'grüße' }, null],
]
for (const [name, server, answers, error] of cases) {
  for (const secure of [false, true]) {
    t.test(`${name}${secure ? ', with TLS' : ''}: ${error ?? 'passes'}`, async t => {
      const outcome = await check(secure ? `${server} with TLS` : server, { tls: secure, ...answers })
      t.match(outcome, { ok: error === null, error, statusCode: null, cannot: undefined })
      t.equal(outcome.value, error === null ? undefined : null, 'only what is right has a time')
      t.equal(outcome.phases.tlsMs === null, !secure)
    })
  }
}

t.test('port that does not accept, or speaks something else, says so', async t => {
  const closed = createEgress({ deny: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }] })
  const never = { resolve: () => undefined }
  const refused: [answers: Partial<TcpAnswers>, Surroundings, error: string][] = [
    [{ port: 1 }, {}, 'connection refused'],
    [{ port: ports['resets'] as number, send: 'x', expect: '220' }, {}, 'connection reset'],
    [{ host: '127.0.0.1', ip_family: '6' }, {}, 'host name "127.0.0.1" has no IPv6 address'],
    [{ host: 'never.example', timeout_seconds: 1 }, never, 'no connection in 1 s'],
    [{ host: 'never.example' }, { ...never, bounds: { connectMs: 100, tlsMs: 100, totalMs: 30_000 } }, 'no connection in 0.1 s'],
    [{}, { egress: closed }, 'Not checked: EGRESS rules close this address. It is closed by EGRESS_DENY.'],
    [{ tls: true, port: ports['mute'] as number, timeout_seconds: 1 }, {}, 'no TLS handshake in 1 s'],
    [{ tls: true }, {}, 'answer is not TLS'],
    [{ tls: true, port: ports['expired'] as number }, {}, 'certificate expired'],
  ]
  await Promise.all(
    refused.map(async ([answers, surroundings, error]) => {
      const outcome = await check('banner', answers, surroundings)
      t.match(outcome, { ok: false, error, value: null, cannot: undefined }, error)
    }),
  )
})

t.test('certificate is taken if it is not judged, or if the check brings its authority', async t => {
  t.match(await check('expired', { tls: true, verify: false }), { ok: true })
  const trust = createTrust()
  t.match(await check('banner with TLS', { tls: true }, { trust }), { error: 'certificate is signed by an unknown authority' })
  t.match(await check('banner with TLS', { tls: true, authority: certificates.authority }, { trust }), { ok: true })
})

t.test('text to send goes out byte by byte, also if no answer is expected (v3 3.16)', async t => {
  heard.delete('mute')
  const server = createTcpServer()
  await listen('ends', server)
  const bytes = once(server, 'connection').then(async ([socket]) => Buffer.concat(await socket.toArray()))
  t.match(await check('ends', { send: 'a\\x00\\xff\\t\\\\n\\r\\n' }), { ok: true })
  t.strictSame(await bytes, Buffer.from([97, 0, 255, 9, 92, 110, 13, 10]))
})

t.test('check that passes too slowly fails, and says its time all the same', async t => {
  await speaks('slow', socket => void setTimeout(() => socket.write('220'), 60))
  const outcome = await check('slow', { expect: '220', max_ms: 20 })
  t.match(outcome, { ok: false, error: /^answer took \d+ ms, more than 20$/, value: undefined })
  t.match(await check('slow', { expect: '220', max_ms: 10_000 }), { ok: true, error: null })
  t.match(await check('slow', { expect: '250', max_ms: 20, timeout_seconds: 1 }), {
    error: 'answer does not contain "250"',
    value: null,
  })
})

t.test('check ends within its interval, whatever it may take (v3 3.17)', async t => {
  const within = await runCheck(
    {
      ...entryOf(readCheckAnswers(tcp, { host: 'localhost', port: ports['mute'], expect: 'x', locations: ['aaaa'] }, null), 1),
      intervalMs: 300,
    },
    { clock, resolve: createResolve({ clock }), userAgent: '' },
  )
  t.equal(within.error, 'no answer in 0.3 s')
})
