// Checks of certificates against real servers, whose certificates openssl makes for the test: what fails, what cannot be told, and the value.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import t from 'tap'
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { entryOf } from '#shared/checks/registry.ts'
import type { TlsAnswers } from '#shared/checks/tls/fields.ts'
import { tls } from '#shared/checks/tls/tls.ts'
import { day, hour } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { createResolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { humanDays } from '#shared/time/durations.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'
import { certificates } from './certificates.ts'
import { createMaker, hasOpenssl, local } from './openssl.ts'
import { type CheckOptions, runCheck } from './run-check.ts'

const system = createSystemClock()
t.teardown(() => system.stop())
const { make, makeAuthority, text } = createMaker(t)
const skip = !hasOpenssl && 'no openssl'
const signs = ['basicConstraints=critical,CA:TRUE']

if (hasOpenssl) {
  makeAuthority('root', 400)
  makeAuthority('old', 400)
  make('between', { extensions: signs, subject: 'between', days: 300 })
  make('brief', { extensions: signs, subject: 'brief', days: 10 })
  make('crossed', { authority: 'old', extensions: signs, subject: 'root', keyOf: 'root', days: 2 })
  make('long', { days: 90 })
  make('short', { days: 6 })
  make('chained', { authority: 'between', days: 90 })
  make('outlives', { authority: 'brief', days: 90 })
  make('private', { authority: 'old', days: 90 })
  make('fetchable', {
    authority: 'between',
    days: 90,
    extensions: [local, 'authorityInfoAccess=caIssuers;URI:http://a.example/'],
  })
}

const ports = new Map<string, number>()
/** Starts a server that is found by its name, once. */
async function listen(name: string, make: () => Server): Promise<number> {
  const known = ports.get(name)
  if (known !== undefined) return known
  const server = make()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const { port } = server.address() as AddressInfo
  ports.set(name, port)
  return port
}

/** Bytes that servers received after the handshake. */
let heard = 0
const tlsServer = (options: TlsOptions): Server =>
  createServer(options, socket => {
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      heard += bytes.length
    })
  }).on('tlsClientError', () => undefined)

/** Starts a server with the certificates of these names, its own first. */
const serve = (...chain: [string, ...string[]]) =>
  listen(chain.join(), () => tlsServer({ key: text(`${chain[0]}.key`), cert: chain.map(name => text(`${name}.pem`)).join('') }))

/** Starts a server with a certificate that does not need openssl. */
const serveKept = (name: 'good' | 'expired' | 'notYet' | 'elsewhere' | 'selfSigned' | 'stranger') =>
  listen(name, () => tlsServer({ key: certificates.key, cert: certificates[name] }))

interface Surroundings extends Partial<CheckOptions> {
  /** Time that has passed, ms. OpenSSL goes by the present time all the same. */
  later?: number
  intervalSeconds?: number
}

/** Checks as a monitor of the Template would. */
async function check(
  answers: Partial<TlsAnswers> & { target: string },
  { later = 0, intervalSeconds = 3_600, ...more }: Surroundings = {},
) {
  const stored = readCheckAnswers(tls, { ...answers, locations: ['aaaa'], interval_seconds: intervalSeconds }, null)
  const clock = { ...system, now: () => Date.now() + later, monotonic: system.monotonic, schedule: system.schedule }
  const outcome = await runCheck(entryOf(stored, 1), {
    clock,
    trust: createTrust(certificates.authority),
    resolve: createResolve({ clock: system }),
    userAgent: '',
    ...more,
  })
  t.notOk(outcome.ok && outcome.error !== null)
  return outcome
}

const rooted = { trust: hasOpenssl ? createTrust(text('root.pem')) : createTrust() }
const endOf = (name: string) => new X509Certificate(text(`${name}.pem`)).validToDate.getTime()
/** Sentence about a certificate that ends soon, when `later` ms have passed. */
const ends = (name: string, later: number, what = 'certificate') =>
  `${what} ends in ${humanDays(endOf(name) - Date.now() - later)}, on ${new Date(endOf(name)).toISOString().slice(0, 10)}`
const ofChain = 'a certificate of the chain'

interface Case {
  name: string
  chain: [string, ...string[]]
  answers?: Partial<TlsAnswers>
  later?: number
  error: (later: number) => string | null
}
const passes = () => null
const cases: Case[] = [
  { name: 'certificate of 90 days', chain: ['long'], error: passes },
  { name: 'certificate of 90 days with 22 left', chain: ['long'], later: 68 * day - hour, error: passes },
  {
    name: 'certificate of 90 days with fewer than 21 left',
    chain: ['long'],
    later: 69 * day + hour,
    error: later => ends('long', later),
  },
  {
    name: 'certificate of 90 days with fewer than 60 left, asked for',
    chain: ['long'],
    answers: { days: 60 },
    later: 31 * day,
    error: passes,
  },
  {
    name: 'a quarter of 90 days is less than the 60 that are asked for',
    chain: ['long'],
    answers: { days: 60 },
    later: 68 * day,
    error: later => ends('long', later),
  },
  { name: 'certificate that may end', chain: ['long'], answers: { days: 0 }, later: 90 * day - hour, error: passes },
  { name: 'certificate of 6 days with 2 left', chain: ['short'], later: 4 * day, error: passes },
  {
    name: 'certificate of 6 days with less than a quarter left',
    chain: ['short'],
    later: 4.6 * day,
    error: later => ends('short', later),
  },
  { name: 'whole chain', chain: ['chained', 'between'], error: passes },
  {
    name: 'chain that ends before its certificate',
    chain: ['outlives', 'brief'],
    later: 8 * day,
    error: later => ends('brief', later, ofChain),
  },
  { name: 'chain that ends, if that may be', chain: ['outlives', 'brief'], answers: { days: 0 }, later: 8 * day, error: passes },
  {
    name: 'chain is not judged if the certificate is not',
    chain: ['outlives', 'brief'],
    answers: { verify: false },
    later: 8 * day,
    error: passes,
  },
  {
    name: 'older way to an authority, which ends, beside a shorter way',
    chain: ['chained', 'between', 'crossed'],
    later: 1.9 * day,
    error: passes,
  },
  { name: 'missing certificate of the chain', chain: ['fetchable'], error: () => 'a certificate of the chain is missing' },
  { name: 'private authority', chain: ['private'], error: () => 'certificate is signed by an unknown authority' },
  { name: 'private authority, not judged', chain: ['private'], answers: { verify: false }, error: passes },
]
for (const { name, chain, answers, later = 0, error } of cases) {
  t.test(`${name}: ${later === 0 ? 'at once' : `after ${humanDays(later)}`}`, { skip }, async t => {
    const outcome = await check({ target: `localhost:${await serve(...chain)}`, ...answers }, { later, ...rooted })
    t.equal(outcome.error, error(later))
    t.equal(outcome.cannot, undefined)
    t.equal(outcome.value, Math.round(((endOf(chain[0]) - Date.now() - later) / day) * 100) / 100)
  })
}

t.test(
  'authority of the check vouches for a certificate beside the usual ones, and so its chain is judged',
  { skip },
  async t => {
    const target = `localhost:${await serve('private')}`
    t.match(await check({ target, authority: text('old.pem') }, rooted), { ok: true, error: null })
    const crossing = { target: `localhost:${await serve('chained', 'between', 'crossed')}`, authority: text('old.pem') }
    const trust = createTrust(certificates.authority)
    t.match(await check(crossing, { trust, later: 1.9 * day }), { ok: false, error: ends('crossed', 1.9 * day, ofChain) })
    const trusted = { target: `localhost:${await serve('outlives', 'brief')}`, authority: text('brief.pem') }
    t.match(await check(trusted, { trust, later: 8 * day }), { ok: true, error: null }, 'what is trusted does not count')
  },
)

const kept: [Parameters<typeof serveKept>[0], Partial<TlsAnswers>, error: RegExp | null][] = [
  ['good', {}, null],
  ['expired', {}, /^certificate expired \d+ days ago$/],
  ['expired', { verify: false }, /^certificate expired \d+ days ago$/],
  ['expired', { days: 0 }, /^certificate expired \d+ days ago$/],
  ['notYet', {}, /^certificate is not valid before 2110-01-01$/],
  ['notYet', { verify: false }, /^certificate is not valid before 2110-01-01$/],
  ['elsewhere', {}, /^certificate is not valid for "localhost"$/],
  ['elsewhere', { server_name: 'elsewhere.example' }, null],
  ['elsewhere', { server_name: 'third.example' }, /^certificate is not valid for "third.example"$/],
  ['elsewhere', { verify: false }, null],
  ['selfSigned', {}, /^certificate is self-signed$/],
  ['selfSigned', { verify: false }, null],
  ['selfSigned', { authority: certificates.selfSigned }, null],
  ['stranger', {}, /^certificate is signed by an unknown authority$/],
]
for (const [name, answers, error] of kept) {
  const { authority, ...shown } = answers
  t.test(`${name} ${JSON.stringify(shown)}${authority ? ' and its authority' : ''}: ${error?.source ?? 'passes'}`, async t => {
    const outcome = await check({ target: `localhost:${await serveKept(name)}`, ...answers })
    t.match(outcome, { ok: error === null, error, statusCode: null })
    t.equal(outcome.cannot, undefined)
    const days = (new X509Certificate(certificates[name]).validToDate.getTime() - Date.now()) / day
    t.ok(Math.abs((outcome.value ?? Number.NaN) - days) < 0.1, `${outcome.value} days are left`)
  })
}

t.test('certificate is read and the connection closed, without a byte sent (v3 3.15)', async t => {
  heard = 0
  const server = tlsServer({ key: certificates.key, cert: certificates.good })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'))
  t.match(await check({ target: `127.0.0.1:${(server.address() as AddressInfo).port}` }), {
    ok: true,
    phases: { firstByteMs: null },
  })
  await closed
  server.close()
  t.equal(heard, 0)
})

t.test('server that wants a client certificate or speaks only HTTP/2 shows its certificate all the same', async t => {
  const own = { key: certificates.key, cert: certificates.good }
  const strict = await listen('strict', () => tlsServer({ ...own, requestCert: true, rejectUnauthorized: true }))
  const http2 = await listen('http2', () => tlsServer({ ...own, ALPNProtocols: ['h2'] }))
  for (const port of [strict, http2]) t.match(await check({ target: `localhost:${port}` }), { ok: true, error: null })
})

t.test('target is a host, a host and a port, or a URL', async t => {
  const port = await serveKept('good')
  for (const target of [
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `https://localhost:${port}/path?q`,
    `HTTPS://LocalHost:${port}`,
  ]) {
    t.match(await check({ target }), { ok: true, error: null }, target)
  }
  const asked: string[] = []
  const refuses: CheckOptions['resolve'] = (name, done) => {
    asked.push(name)
    done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
  }
  for (const target of ['shop.example', 'https://shop.example/', 'Übermut.example:8443'])
    await check({ target }, { resolve: refuses })
  t.strictSame(asked, ['shop.example', 'shop.example', 'xn--bermut-2ya.example'])
})

t.test('check that reads no certificate is none, whatever the reason', async t => {
  const mute = await listen('mute', () => createTcpServer(socket => socket.on('error', () => undefined)))
  const speaks = (name: string, bytes: string | null) =>
    listen(name, () =>
      createTcpServer(socket => {
        socket.on('error', () => undefined)
        socket.once('data', () => (bytes === null ? socket.end() : socket.end(bytes)))
      }),
    )
  const failing =
    (code: string): CheckOptions['resolve'] =>
    (_name, done) =>
      done(Object.assign(new Error('no'), { code }), [])
  const plain = await speaks('plain', 'HTTP/1.1 400 Bad Request\r\n\r\n')
  const closing = await speaks('closing', null)
  const own = {
    key: certificates.key,
    cert: certificates.good,
    maxVersion: 'TLSv1.2',
    requestCert: true,
    rejectUnauthorized: true,
  } as const
  const strict = await listen('strict12', () => tlsServer(own))
  const short = { bounds: { connectMs: 200, tlsMs: 150, totalMs: 30_000 } }
  const closed = createEgress({ deny: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }] })
  const cases: [Partial<TlsAnswers> & { target: string }, Surroundings, error: string][] = [
    [{ target: `http://localhost:${plain}/` }, {}, 'the address is not https'],
    [{ target: '127.0.0.1:1' }, {}, 'connection refused'],
    [{ target: 'gone.example' }, { resolve: failing('ENOTFOUND') }, 'host name "gone.example" not found'],
    [{ target: 'late.example' }, { resolve: failing('ETIMEOUT') }, 'name servers do not answer for "late.example"'],
    [{ target: '127.0.0.1', ip_family: '6' }, {}, 'host name "127.0.0.1" has no IPv6 address'],
    [{ target: `localhost:${plain}` }, {}, 'answer is not TLS'],
    [{ target: `localhost:${closing}` }, {}, 'connection closed during the TLS handshake'],
    [{ target: `localhost:${strict}` }, {}, 'the server wants a client certificate'],
    [{ target: `localhost:${mute}` }, short, 'no TLS handshake in 0.15 s'],
    [{ target: 'never.example' }, { ...short, resolve: () => undefined }, 'no connection in 0.2 s'],
    [{ target: `localhost:${mute}`, timeout_seconds: 1 }, {}, 'no TLS handshake in 1 s'],
    [{ target: 'never.example', timeout_seconds: 1 }, { resolve: () => undefined }, 'no connection in 1 s'],
    [{ target: '127.0.0.1' }, { egress: closed }, 'Not checked: EGRESS rules close this address. It is closed by EGRESS_DENY.'],
  ]
  await Promise.all(
    cases.map(async ([answers, surroundings, error]) => {
      t.match(await check(answers, surroundings), { ok: false, error, cannot: true, value: null }, error)
    }),
  )
})
