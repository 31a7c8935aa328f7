// Settings with impossible values are refused by name, before any service starts.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readAllSettings } from '../../infra/runtime/all-settings.ts'
import { demandFittingListener } from '../../infra/runtime/bus/bus-tls.ts'
import { decideRunMode } from '../../infra/runtime/run-mode.ts'
import { StartError } from '../../infra/runtime/start-error.ts'
import { certificates } from '../prober/certificates.ts'

const demand = (environment: Record<string, string>) => decideRunMode(readAllSettings(environment))
const refused = (message: RegExp) => ({ constructor: StartError, exitCode: 2, message })

t.test('impossible values and combinations are refused', async t => {
  const file = join(t.testdir({ empty: '' }), 'empty')
  const provider = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'x' }
  const rows: [environment: Record<string, string>, sentence: RegExp][] = [
    ...['.', 'a.b', 'a b', '*', '>', 'é', 'a'.repeat(65)].map((LOCATION_ID): [Record<string, string>, RegExp] => [
      { LOCATION_ID },
      /^LOCATION_ID must be the id of a location: .*; it is "/,
    ]),
    [{ NATS_TOKEN: 'geheim' }, /^NATS_TOKEN is for the bus that NATS_URL names: set NATS_URL or unset NATS_TOKEN\.$/],
    [{ NATS_CREDENTIALS: '/x' }, /^NATS_CREDENTIALS is for the bus that NATS_URL names/],
    [{ NATS_KEYS: '/x' }, /^NATS_KEYS is for the bus that NATS_URL names/],
    [{ OIDC_CLIENT_ID: 'x' }, /^OIDC_CLIENT_ID is for the provider at OIDC_ISSUER: set OIDC_ISSUER or unset OIDC_CLIENT_ID\.$/],
    [{ OIDC_CLIENT_SECRET: 'geheim' }, /^OIDC_CLIENT_SECRET is for the provider/],
    [{ OIDC_CLIENT_SECRET_FILE: '/x' }, /^OIDC_CLIENT_SECRET_FILE is for the provider/],
    [
      { ...provider, OIDC_CLIENT_SECRET_FILE: '/nowhere' },
      /^The file \/nowhere can't be read \(ENOENT\): correct OIDC_CLIENT_SECRET_FILE/,
    ],
    [{ ...provider, OIDC_CLIENT_SECRET_FILE: file }, /empty is empty: .* correct OIDC_CLIENT_SECRET_FILE/],
  ]
  for (const [environment, sentence] of rows) {
    const title = JSON.stringify(environment)
    t.throws(() => demand(environment), refused(sentence), title)
    t.notMatch(
      said(() => demand(environment)),
      /geheim/,
      `${title}: no secret`,
    )
  }
  const bus = { NATS_URL: 'nats://bus.example', NATS_TOKEN: 'x', NATS_CREDENTIALS: '/x', NATS_KEYS: '/x' }
  t.doesNotThrow(() => demand(bus))
  t.doesNotThrow(() => demand({ LOCATION_ID: 'aZ_0-' }))
})

t.test('valid bus addresses are accepted, and invalid bus addresses are refused', async t => {
  const fine = ['bus', 'nats://a,tls://b:1,nats://me:p%40ss@[::1]:4222', 'nats://t0ken@bus.example:4222', '']
  for (const NATS_URL of fine) t.equal(demand({ NATS_URL }).embeddedBus, NATS_URL === '', NATS_URL)
  const wrong = [
    ':::',
    'nats://',
    'nats://a,',
    'nats://me:geheim@a:99999',
    'http://me:geheim@a',
    'nats://me:geheim%s@a',
    'nats://a b',
    'nats://geheim/b@a',
    'nats://me:12?geheim@a',
    'nats://geheim#b@a',
  ]
  for (const NATS_URL of wrong) {
    const sentence = 'NATS_URL must be nats://host:port or tls://host:port, several with commas.'
    t.equal(
      said(() => demand({ NATS_URL })),
      sentence,
      `${NATS_URL} is refused and not shown`,
    )
  }
})

t.test('valid database connection strings are accepted, and invalid ones are refused', async t => {
  const fine = [
    'mongodb://store.example',
    'mongodb://a:1,b:2,c:65535/watchkeeper?replicaSet=rs0',
    'mongodb://me:p%40ss@store.example:27017/?tls=true',
    'mongodb+srv://me:pass@store.example/x',
    'mongodb://[::1]:27017/x',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/x',
    '',
  ]
  for (const MONGODB_URL of fine) t.equal(demand({ MONGODB_URL }).embeddedStore, MONGODB_URL === '', MONGODB_URL)
  const wrong = [
    'http://me:geheim@store.example/x',
    'store.example',
    'mongodb:store.example',
    'mongodb://',
    'mongodb:///x',
    'mongodb://me:geheim@/x',
    'mongodb://me:geheim@:27017/x',
    'mongodb://me:geheim@store.example:99999/x',
    'mongodb://me:geheim@store.example:port/x',
    'mongodb://me:ge@heim@store.example/x',
    'mongodb://a,,b/x',
    'mongodb://me:geheim@a b/x',
  ]
  for (const MONGODB_URL of wrong) {
    t.throws(
      () => demand({ MONGODB_URL }),
      refused(/^MONGODB_URL must be mongodb:\/\/ or mongodb\+srv:\/\/ with at least one host/),
    )
    t.notMatch(
      said(() => demand({ MONGODB_URL })),
      /geheim|heim@|it is/,
      `${MONGODB_URL} is not shown`,
    )
  }
})

t.test('settings open the embedded bus to other machines', async t => {
  const folder = t.testdir({ none: 'no certificate' })
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const [cert, key] = [write('cert.pem', certificates.good), write('key.pem', certificates.key)]
  const none = join(folder, 'none')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = write('other.pem', privateKey.export({ type: 'sec1', format: 'pem' }) as string)
  const listen = (NATS_TLS_CERT: string, NATS_TLS_KEY: string) =>
    demandFittingListener(readAllSettings({ NATS_TLS_CERT, NATS_TLS_KEY }))
  await t.resolves(listen(cert, key))
  const rows: [cert: string, key: string, sentence: RegExp][] = [
    ['/nowhere', key, /^The file \/nowhere can't be read \(ENOENT\): correct NATS_TLS_CERT\.$/],
    [cert, '/nowhere', /^The file \/nowhere can't be read \(ENOENT\): correct NATS_TLS_KEY\.$/],
    [folder, key, /can't be read \(EISDIR\): correct NATS_TLS_CERT\.$/],
    [none, key, /none holds no certificate as PEM: correct NATS_TLS_CERT\.$/],
    [cert, none, /none holds no private key without a passphrase as PEM: correct NATS_TLS_KEY\.$/],
    [key, cert, /holds no certificate as PEM: correct NATS_TLS_CERT\.$/],
    [cert, other, /is not that of the certificate in .*: correct NATS_TLS_KEY\.$/],
  ]
  for (const [givenCert, givenKey, sentence] of rows) await t.rejects(listen(givenCert, givenKey), refused(sentence))
})

function said(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}
