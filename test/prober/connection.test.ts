// What a check demands of its connection, against real servers on loopback: a family of addresses, a name, an authority, and whether the
// certificate is judged.
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { Connection, type ConnectionTarget } from '../../services/prober/checks/connection.ts'
import { errorSentence, type Phase } from '../../services/prober/checks/sentences.ts'
import { createTrust, type Trust } from '../../services/prober/checks/trust.ts'
import { certificates } from './certificates.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())

type Certificate = 'good' | 'expired' | 'elsewhere' | 'selfSigned'
/** Names and protocols of the handshakes, as the servers saw them. */
const names: string[] = []
const offered: string[] = []
const ports = new Map<Certificate | 'plain', number>()
const kinds: readonly Certificate[] = ['good', 'expired', 'elsewhere', 'selfSigned']

const secureServer = (name: Certificate) =>
  createTlsServer(
    {
      key: certificates.key,
      cert: certificates[name],
      SNICallback: (name, done) => {
        names.push(name)
        done(null)
      },
      ALPNCallback: ({ protocols }) => {
        offered.push(...protocols)
        return protocols[0]
      },
    },
    socket => socket.on('error', () => undefined),
  ).on('tlsClientError', () => undefined)

for (const name of [...kinds, 'plain'] as const) {
  const server = name === 'plain' ? createTcpServer(socket => socket.on('error', () => undefined)) : secureServer(name)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  ports.set(name, (server.address() as AddressInfo).port)
}

const usual: ConnectionTarget = {
  secure: true,
  hostname: 'localhost',
  literal: false,
  port: 0,
  ipFamily: 'any',
  serverName: '',
  protocols: [],
  verify: true,
  authority: '',
}

interface Surroundings {
  trust?: Trust
  resolve?: Resolve
}

/** Resolves with the reason why the connection failed, as a sentence; null: it is ready. Closes the connection. */
function connect(server: Certificate | 'plain', changes: Partial<ConnectionTarget>, surroundings: Surroundings = {}) {
  const target = { ...usual, secure: server !== 'plain', port: ports.get(server) as number, ...changes }
  const { trust = createTrust(certificates.authority), resolve = (_name, done) => done(null, ['127.0.0.1']) } = surroundings
  let phase: Phase = 'name'
  return new Promise<string | null>(done => {
    const end = (error: string | null) => {
      connection.close()
      done(error)
    }
    const connection = new Connection({
      onResolved: () => {
        phase = 'connect'
      },
      onConnected: () => (target.secure ? undefined : end(null)),
      onSecured: () => end(null),
      onFailed: error => end(errorSentence(error, phase, target, Date.parse('2021-01-04T12:00:00Z'))),
      onBytes: () => true,
      onEnd: () => undefined,
    })
    connection.open(target, { clock, resolve, trust, egress: createEgress() })
  })
}

/** Resolves a name to addresses that come one after the other. */
const comesTo =
  (...found: (readonly string[])[]): Resolve =>
  (_name, done) =>
    found.forEach((addresses, i) => void setImmediate(() => done(null, addresses, i < found.length - 1)))

const no6 = 'host name "localhost" has no IPv6 address'
const no4 = 'host name "localhost" has no IPv4 address'
const families: [name: string, ipFamily: ConnectionTarget['ipFamily'], found: (readonly string[])[], error: string | null][] = [
  ['any of two', 'any', [['127.0.0.1', '2001:db8::1']], null],
  ['an address of the family', '4', [['127.0.0.1']], null],
  ['addresses of the other family are left out', '4', [['2001:db8::1', '127.0.0.1']], null],
  ['none of the family', '6', [['127.0.0.1']], no6],
  ['none of the other family', '4', [['::1']], no4],
  ['one that comes later', '4', [['2001:db8::1'], ['127.0.0.1']], null],
  ['none that comes later', '6', [['127.0.0.1'], []], no6],
  ['one that comes later and refuses', '4', [['2001:db8::1'], ['127.0.0.2']], 'connection refused'],
]
for (const [name, ipFamily, found, error] of families) {
  t.test(`family of addresses, ${name}: ${error ?? 'connects'}`, async t => {
    t.equal(await connect('plain', { ipFamily }, { resolve: comesTo(...found) }), error)
  })
}

t.test('resolver hears of the family, and an address in place of a name must be of it', async t => {
  const asked: unknown[] = []
  const resolve: Resolve = (_name, done, family) => {
    asked.push(family)
    done(null, ['127.0.0.1'])
  }
  for (const ipFamily of ['any', '4', '6'] as const) await connect('plain', { ipFamily }, { resolve })
  t.strictSame(asked, [undefined, 4, 6])
  const literal = { hostname: '127.0.0.1', literal: true }
  t.equal(await connect('plain', { ...literal, ipFamily: '4' }), null)
  t.equal(await connect('plain', { ...literal, ipFamily: '6' }), 'host name "127.0.0.1" has no IPv6 address')
})

t.test('certificate that is not judged secures the connection, whatever is wrong with it', async t => {
  for (const name of kinds) t.equal(await connect(name, { verify: false }), null, name)
  t.equal(await connect('good', { verify: false }, { trust: createTrust() }), null)
  t.equal(await connect('expired', {}), 'certificate expired 3 days ago')
})

t.test('name of the handshake is the host, unless another one is given: then the certificate must have that one', async t => {
  const notFor = (name: string) => `certificate is not valid for "${name}"`
  const other = { serverName: 'elsewhere.example' }
  const address = { hostname: '127.0.0.1', literal: true }
  const cases: [Certificate, Partial<ConnectionTarget>, error: string | null, names: string[]][] = [
    ['good', {}, null, ['localhost']],
    ['good', address, null, []],
    ['elsewhere', {}, notFor('localhost'), ['localhost']],
    ['elsewhere', other, null, ['elsewhere.example']],
    ['elsewhere', { ...other, ...address }, null, ['elsewhere.example']],
    ['good', other, notFor('elsewhere.example'), ['elsewhere.example']],
  ]
  for (const [server, changes, error, expected] of cases) {
    names.length = 0
    t.equal(await connect(server, changes), error)
    t.strictSame(names, expected)
  }
  t.strictSame(offered, [], 'protocols are offered only if the check has some')
  t.equal(await connect('good', { protocols: ['http/1.1'] }), null)
  t.strictSame(offered, ['http/1.1'])
})

const unknown = 'certificate is signed by an unknown authority'

t.test('authority of a check is trusted beside the usual ones, by this check alone', async t => {
  const trust = createTrust()
  t.equal(await connect('good', {}, { trust }), unknown)
  t.equal(await connect('good', { authority: certificates.authority }, { trust }), null)
  t.equal(await connect('good', {}, { trust }), unknown)
  t.equal(await connect('good', { authority: certificates.selfSigned }, { trust }), unknown)
  t.equal(await connect('good', { authority: 'no certificate' }, { trust }), unknown)
  const authority = `text before\n${certificates.selfSigned}\n${certificates.elsewhere}\n`
  t.equal(await connect('good', { authority }), null, 'the usual authority')
  t.equal(await connect('selfSigned', { authority }), null, 'the first of the text')
  t.equal(
    await connect('elsewhere', { authority, serverName: 'elsewhere.example' }, { trust }),
    null,
    'one that another has signed',
  )
  t.equal(await connect('selfSigned', {}), 'certificate is self-signed')
  t.equal(await connect('expired', { authority }), 'certificate expired 3 days ago', 'its dates are judged')
})

t.test('context of the usual authorities is made once, those of further ones are kept as long as they are used', async t => {
  const trust = createTrust(certificates.authority)
  t.equal(trust.contextFor(''), trust.contextFor(''))
  const texts = Array.from({ length: limits.check.authorities }, (_, i) => `${i}\n${certificates.selfSigned}`)
  const made = texts.map(text => trust.contextFor(text))
  t.equal(new Set(made).size, texts.length)
  t.equal(trust.contextFor(texts[0] as string), made[0])
  trust.contextFor('one more')
  t.equal(trust.contextFor(texts[0] as string), made[0], 'it was used after the others')
  t.not(trust.contextFor(texts[1] as string), made[1], 'it was used longest ago')
})
