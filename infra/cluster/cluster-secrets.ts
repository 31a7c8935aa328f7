// All secrets and certificates of a cluster, as files that infra/compose and infra/kubernetes mount. Each kind of container has one folder
// with only the files that the container needs. Writes nothing; its caller writes the files.
import { type BusKeys, makeBusKeys, serverAuthorization } from '#shared/bus/probers/bus-keys.ts'
import { day, hour } from '#shared/limits/limits.ts'
import { newSealingKey } from '#shared/secrecy/seals.ts'
import { randomId } from '#shared/text/ids.ts'
import type { SecretFiles } from './secret-folder.ts'
import { hostsOf, makeAuthority, makeServer, type Pem } from './x509.ts'

export const busServers = ['nats-0.nats', 'nats-1.nats', 'nats-2.nats']
export const storeServers = ['mongo-0.mongo', 'mongo-1.mongo', 'mongo-2.mongo']
/** Key that signs the certificates. No container gets this key; the operator stores it in a safe place. */
export const authorityKeyFile = 'authority.key'
export const authorityFile = 'ca.pem'

/** Time between the start of a certificate's validity and the later creation of the certificate. Clocks of other machines may be behind. */
const backdatedMs = 1 * hour
const authorityMs = 20 * 365 * day
/** Validity of a server's certificate. Many clients refuse a longer validity. `--renew` makes new certificates. */
const serverMs = 825 * day
const secretLength = 40

export interface CertificateOptions {
  /** Instant at which the certificates are created, ms since the epoch. */
  at: number
  /** Names and addresses by which clients outside the cluster reach the bus. */
  busHosts: string[]
}

/** Secrets of an installation that shall go on in the cluster; null or absent: new ones are made. */
export interface PresentSecrets {
  busKeys?: BusKeys | null
  sealingKey?: string | null
  incidentSalt?: string | null
}

export function makeClusterSecrets(options: CertificateOptions, present: PresentSecrets = {}): SecretFiles {
  const authority = makeAuthority({ commonName: 'Watchkeeper cluster authority', ...validFor(options.at, authorityMs) })
  const keys = present.busKeys ?? makeBusKeys(options.at)
  const storePassword = randomId(secretLength)
  const files = new Map([
    [authorityKeyFile, authority.key],
    [authorityFile, authority.certificate],
    ['nats/accounts.conf', `${serverAuthorization(keys, '/data/accounts').join('\n')}\n`],
    ['nats/routes.conf', routes(randomId(secretLength))],
    ['mongo/keyfile', `${randomId(256)}\n`],
    ['mongo/passwords.json', `${JSON.stringify({ admin: randomId(secretLength), watchkeeper: storePassword }, null, 2)}\n`],
    ...filesOfServices(keys),
    ['store.env', `MONGODB_URL=${storeUrl(storePassword)}\n`],
    ['salt.env', `SQIDS_SALT=${present.incidentSalt ?? randomId(secretLength)}\n`],
    ['secrets.env', `SECRETS_KEY=${present.sealingKey ?? newSealingKey()}\n`],
  ])
  return renewCertificates(files, options)
}

/**
 * Returns `files` with new certificates of the servers, and with a sealing key if it has none. The new certificate of the bus names the hosts of its old certificate, and
 * `busHosts`. `files` must contain the certificate and the key of the authority.
 */
export function renewCertificates(files: SecretFiles, { at, busHosts }: CertificateOptions): SecretFiles {
  const authority = { certificate: files.get(authorityFile) ?? '', key: files.get(authorityKeyFile) ?? '' }
  const present = hostsOf(files.get('nats/server.pem') ?? '')
  const server = (commonName: string, hosts: string[]) =>
    makeServer(authority, { commonName, hosts: [...new Set([...hosts, 'localhost', '127.0.0.1'])], ...validFor(at, serverMs) })
  const renewed = new Map([
    // A cluster of version 2.0.0 has no such file.
    ['secrets.env', `SECRETS_KEY=${newSealingKey()}\n`] as const,
    ...files,
    ...filesOfBus(server('Watchkeeper bus', [...busServers, 'nats', ...present, ...busHosts]), authority.certificate),
    ...filesOfStore(server('Watchkeeper store', storeServers), authority.certificate),
    ['services/ca.pem', authority.certificate],
  ])
  return renewed.set('kubernetes.yaml', kubernetesSecrets(renewed))
}

/** Returns a new authority and a server's certificate that the authority has signed, for a bus outside of a cluster. */
export function makeBusCertificate(at: number, hosts: string[]): SecretFiles {
  const authority = makeAuthority({ commonName: 'Watchkeeper bus authority', ...validFor(at, authorityMs) })
  const { certificate, key } = makeServer(authority, { commonName: 'Watchkeeper bus', hosts, ...validFor(at, serverMs) })
  return new Map([
    [authorityFile, authority.certificate],
    ['bus.pem', certificate],
    ['bus.key', key],
  ])
}

const validFor = (at: number, ms: number) => ({ validFrom: at - backdatedMs, validTo: at + ms })

const filesOfBus = ({ certificate, key }: Pem, authority: string): [string, string][] => [
  ['nats/server.pem', certificate],
  ['nats/server.key', key],
  ['nats/ca.pem', authority],
]

/** Returns the files of a database server. mongod requires certificate and key in one file. */
const filesOfStore = ({ certificate, key }: Pem, authority: string): [string, string][] => [
  ['mongo/server.pem', `${certificate}${key}`],
  ['mongo/ca.pem', authority],
]

const filesOfServices = (keys: BusKeys): [string, string][] => [
  ['services/house.creds', keys.houseCredentials],
  ['directory/bus-keys.json', `${JSON.stringify(keys, null, 2)}\n`],
]

/**
 * Returns the configuration of the routes between servers of the bus. Every server of the bus sends `password` to the other servers, and
 * requires `password` from them.
 */
function routes(password: string): string {
  const urls = busServers.map(server => `"tls://route:${password}@${server}:6222"`)
  return [`authorization { user: "route", password: "${password}", timeout: 5 }`, `routes: [${urls.join(', ')}]`, ''].join('\n')
}

function storeUrl(password: string): string {
  const hosts = storeServers.map(server => `${server}:27017`).join(',')
  return `mongodb://watchkeeper:${password}@${hosts}/watchkeeper?replicaSet=rs0&tls=true&tlsCAFile=/etc/watchkeeper/services/ca.pem`
}

const namespace = 'watchkeeper'

/**
 * Returns a Kubernetes manifest with all folders and `.env` files. It contains no other top-level file, so the authority's key is not in
 * it.
 */
function kubernetesSecrets(files: SecretFiles): string {
  const secrets = new Map<string, [key: string, value: string][]>()
  for (const [path, text] of files) {
    const [folder = '', name] = path.split('/')
    if (name !== undefined) secrets.set(folder, [...(secrets.get(folder) ?? []), [name, text]])
    else if (path.endsWith('.env')) secrets.set(path.replace(/\.env$/, ''), settingsOf(text))
  }
  return [...secrets].map(([name, entries]) => manifestOf(name, entries)).join('---\n')
}

const settingsOf = (text: string): [string, string][] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])

const manifestOf = (name: string, entries: [string, string][]): string =>
  [
    'apiVersion: v1',
    'kind: Secret',
    `metadata: { name: ${name}, namespace: ${namespace} }`,
    'type: Opaque',
    'data:',
    ...entries.map(([key, value]) => `  ${key}: ${Buffer.from(value).toString('base64')}`),
    '',
  ].join('\n')
