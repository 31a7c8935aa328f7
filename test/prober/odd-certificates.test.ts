// Sentences about certificates, against servers whose certificates openssl makes for the test, and names as browsers judge them.
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import t, { type Test } from 'tap'
import { createResolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'
import { checkEntry } from '../support/checks.ts'
import { createMaker, hasOpenssl, local, type Wanted } from './openssl.ts'
import { runCheck } from './run-check.ts'

const clock = createSystemClock()
const skip = !hasOpenssl && 'no openssl'
const { make, makeAuthority, text } = createMaker(t)
const fetchable = 'authorityInfoAccess=caIssuers;URI:http://authority.example/ca.crt'

if (hasOpenssl) {
  makeAuthority('root')
  makeAuthority('stranger')
  make('between', { extensions: ['basicConstraints=critical,CA:TRUE'] })
}

/** Starts a server with the certificates of these names, its own first, and returns the error of a check of it. */
async function errorOf(t: Test, chain: string[], options: TlsOptions & { host?: string; onlyHttp2?: boolean } = {}) {
  const { host = 'localhost', onlyHttp2 = false, ...more } = options
  const settings = { key: text(`${chain[0]}.key`), cert: chain.map(name => text(`${name}.pem`)).join(''), ...more }
  // A server may show what a client should refuse.
  const weak = { ...settings, ciphers: 'DEFAULT@SECLEVEL=0' }
  const server = onlyHttp2
    ? createSecureServer(weak)
    : createServer(weak, socket => {
        socket.on('error', () => undefined)
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
      })
  server.on('tlsClientError', () => undefined).on('sessionError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const trust = createTrust(text('root.pem'))
  const resolve = createResolve({ clock })
  const url = `https://${host}:${(server.address() as AddressInfo).port}/`
  const { error } = await runCheck(checkEntry({ url, statuses: [200] }), {
    clock,
    trust,
    userAgent: 'test',
    resolve: (name, done) => (name.endsWith('.example') ? done(null, ['127.0.0.1']) : resolve(name, done)),
  })
  return error
}

const cases: [
  name: string,
  error: string | null,
  chain: [string, ...string[]],
  wanted: Wanted,
  more?: Parameters<typeof errorOf>[2],
][] = [
  ['a whole chain', null, ['leaf', 'between'], { authority: 'between' }],
  [
    'a missing certificate of the chain',
    'a certificate of the chain is missing',
    ['leaf'],
    { authority: 'between', extensions: [local, fetchable] },
  ],
  ['a private authority', 'certificate is signed by an unknown authority', ['leaf'], { authority: 'stranger' }],
  [
    'a private authority that is sent along',
    'certificate is signed by an unknown authority',
    ['leaf', 'stranger'],
    { authority: 'stranger' },
  ],
  ['a short key', 'key or signature of the certificate is too weak', ['leaf'], { key: ['rsa:1024'] }],
  ['an old signature', 'key or signature of the certificate is too weak', ['leaf'], { signature: ['-sha1'] }],
  [
    'a name in the subject alone',
    'certificate is not valid for "localhost"',
    ['leaf'],
    { extensions: ['basicConstraints=CA:FALSE'] },
  ],
  [
    'a name in the subject beside an address',
    'certificate is not valid for "localhost"',
    ['leaf'],
    { extensions: ['subjectAltName=IP:127.0.0.1'] },
  ],
  [
    'an asterisk for a label',
    null,
    ['leaf'],
    { extensions: ['subjectAltName=DNS:*.names.example'] },
    { host: 'a.names.example' },
  ],
  [
    'an asterisk within a label',
    'certificate is not valid for "ab.names.example"',
    ['leaf'],
    { extensions: ['subjectAltName=DNS:a*.names.example'] },
    { host: 'ab.names.example' },
  ],
  [
    'an asterisk for two labels',
    'certificate is not valid for "a.b.names.example"',
    ['leaf'],
    { extensions: ['subjectAltName=DNS:*.names.example'] },
    { host: 'a.b.names.example' },
  ],
  ['an address in the certificate', null, ['leaf'], {}, { host: '127.0.0.1' }],
  [
    'an address as a name in the certificate',
    'certificate is not valid for "127.0.0.1"',
    ['leaf'],
    { extensions: ['subjectAltName=DNS:127.0.0.1'] },
    { host: '127.0.0.1' },
  ],
  [
    'a client certificate wanted in TLS 1.3',
    'the server wants a client certificate',
    ['leaf'],
    {},
    { requestCert: true, rejectUnauthorized: true },
  ],
  [
    'a client certificate wanted in TLS 1.2',
    'the server wants a client certificate',
    ['leaf'],
    {},
    { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
  ],
  ['HTTP/2 alone', 'the server speaks only HTTP/2', ['leaf'], {}, { onlyHttp2: true }],
]

for (const [name, error, chain, wanted, more] of cases) {
  t.test(`${name}: ${error ?? 'passes'}`, { skip }, async t => {
    make(chain[0], wanted)
    t.equal(await errorOf(t, chain, more), error)
  })
}

t.test('server that closes in the handshake, or speaks HTTP/2 in the clear, is named as such', async t => {
  const ends: [scheme: string, bytes: string | null, error: string][] = [
    ['https', null, 'connection closed during the TLS handshake'],
    ['http', '\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64', 'the server speaks only HTTP/2'],
  ]
  for (const [scheme, bytes, error] of ends) {
    const server = createTcpServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', () => (bytes === null ? socket.end() : socket.write(bytes, 'latin1')))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const outcome = await runCheck(checkEntry({ url }), { clock, userAgent: 'test', resolve: createResolve({ clock }) })
    server.close()
    t.equal(outcome.error, error)
  }
})
