// Options of a connection to the bus: addresses, credentials, and the rights that follow from the credentials.
import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from '@nats-io/transport-node'
import type { Registry } from 'prom-client'
import { addressForm, parseServerAddresses, type ServerAddress } from '#shared/bus/nats/server-addresses.ts'
import { claimsOfCredentials, credentialsAuthenticator, isCredentials } from '#shared/bus/probers/nats-jwt.ts'
import { proberInboxPrefix, proberTag } from '#shared/bus/probers/prober-rights.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { fnv1a32 } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'

export interface ConnectBusOptions {
  /** `nats://host:port`, or `tls://` for TLS. The URL may contain user and password, or a token. */
  servers: string | string[]
  /** Name in the server's list of connections. */
  name: string
  token?: string
  /** A NATS credentials file (JWT and seed). */
  credentialsFile?: string
  /** True if the server runs on this machine: then the connection uses no TLS, even if the server offers TLS. */
  ownMachine?: boolean
  /** If any of these files is set, TLS is required, even with a `nats://` URL. */
  tlsFiles?: TlsFiles
  /** Longest wait for the first connection, ms. */
  patienceMs: number
  logger: Logger
  /**
   * True (the default): this process creates streams and buckets, now and after each reconnect. False for a remote prober, which has no
   * right to create them.
   */
  declare?: boolean
  /**
   * Number of copies of a stream or bucket in a cluster. If it is not set, a new stream gets one copy, and an existing stream keeps its
   * copies.
   */
  replicas?: number
  /**
   * Location of a remote prober, which may only send requests to the location's door. Not needed if the prober's credentials contain the
   * location.
   */
  locationId?: string
  /** Registry with a metric that counts messages which do not match their subscription. */
  metrics?: Registry
  /** Maximum size of the observation stream, bytes; set only by tests. */
  streamBytes?: number
}

/** PEM files for a bus without a publicly signed certificate. The files are read again at each connection. */
export interface TlsFiles {
  /** Authority of the bus's certificate; replaces the authorities that the machine trusts. */
  caFile?: string
  /** Certificate and key of this client, for a bus that requires them. */
  certFile?: string
  keyFile?: string
}

/** Number of successive refusals of the credentials. After many refusals, a revoked prober tries less often. */
export interface Refusals {
  count: number
}

/** Options and rights of this process's connection. */
export interface ConnectionPlan {
  settings: ConnectionOptions
  refusals: Refusals
  inboxPrefix: string | undefined
  /** Location of a remote prober, which may only use the location's door. Null: the process is a service of the installation. */
  locationId: string | null
  pace: BusPace
}

/** Timeouts and intervals of a connection; `limits.bus` explains them. */
export type BusPace = Record<keyof typeof limits.bus.alone, number>

/** Returns the plan of a connection. Throws an Error with a message for people if an address or a file is invalid. */
export async function connectionOptions(options: ConnectBusOptions): Promise<ConnectionPlan> {
  const credentials = options.credentialsFile === undefined ? null : await readCredentials(options.credentialsFile)
  const prober = credentials === null ? null : proberOf(credentials)
  const locationId = prober?.locationId ?? options.locationId ?? null
  // Credentials that the installation did not issue contain no public key of a prober, so the location's id is the prefix of the inbox.
  const inboxPrefix = locationId === null ? undefined : proberInboxPrefix(prober?.publicKey ?? locationId)
  const refusals: Refusals = { count: 0 }
  const addresses = [options.servers].flat().flatMap(addressesOf)
  const pace = addresses.length > 1 || (options.replicas ?? 0) > 1 ? limits.bus.clustered : limits.bus.alone
  const settings = connectionSettings({ ...options, addresses, pace }, credentials, inboxPrefix, refusals)
  return { settings, pace, refusals, inboxPrefix, locationId }
}

/** Returns the location and the public key in a prober's credentials. Null: the credentials do not belong to a prober. */
export function proberOf(credentials: string): { locationId: string; publicKey: string } | null {
  const claims = claimsOfCredentials(credentials)
  const { tags } = claims?.nats ?? {}
  if (!claims || !Array.isArray(tags) || !tags.includes(proberTag)) return null
  return { locationId: claims.name, publicKey: claims.sub }
}

/** Returns the text of a credentials file. Throws an Error with a message for people. */
export async function readCredentials(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw new Error(`The credentials file ${file} can't be read (${error.code}): correct NATS_CREDENTIALS.`)
  })
  if (isCredentials(text)) return text
  throw new Error(`The file ${file} holds no NATS credentials: correct NATS_CREDENTIALS.`)
}

/** Returns the servers in an address. Omits the user, password or token that the address may contain. */
export function serversOf(text: string): { servers: string[]; tls: boolean } {
  const addresses = addressesOf(text)
  return { servers: addresses.map(address => address.server), tls: addresses.some(address => address.tls) }
}

function connectionSettings(
  { addresses, pace, ...options }: ConnectBusOptions & { addresses: ServerAddress[]; pace: BusPace },
  credentials: string | null,
  inboxPrefix: string | undefined,
  refusals: Refusals,
): ConnectionOptions {
  const { user, password } = addresses.find(address => address.user !== '') ?? { user: '', password: '' }
  const token = options.token ?? (password === '' ? user : '')
  return {
    servers: addresses.map(address => address.server),
    name: options.name,
    ...(token !== '' && { token }),
    ...(password !== '' && { user, pass: password }),
    ...(credentials !== null && { authenticator: credentialsAuthenticator(credentials) }),
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    ...tlsOptions({ ...options, tls: addresses.some(address => address.tls) }),
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () =>
      (refusals.count > limits.bus.refusals ? limits.bus.refusedMs : limits.bus.reconnectMs) + spreadMs,
    // A server that comes back may refuse all clients for a moment while it loads its accounts.
    ignoreAuthErrorAbort: true,
    timeout: pace.dialMs,
    pingInterval: pace.pingMs,
    maxPingOut: limits.bus.pingsUnanswered,
    noAsyncTraces: true,
  }
}

/** Returns the TLS options of the client: TLS required, never used, or used if the server requires it. */
export function tlsOptions(wanted: { tls: boolean; ownMachine?: boolean; tlsFiles?: TlsFiles }): Pick<ConnectionOptions, 'tls'> {
  if (wanted.ownMachine) return { tls: null }
  return wanted.tls || wanted.tlsFiles !== undefined ? { tls: { ...wanted.tlsFiles } } : {}
}

/**
 * Additional pause before a reconnect. It differs in each process, so that the clients of a lost server do not all reconnect at the same
 * instant.
 */
const spreadMs = fnv1a32(randomId(8)) % limits.bus.reconnectMs

function addressesOf(text: string): ServerAddress[] {
  const addresses = parseServerAddresses(text)
  if (addresses === null) throw new Error(`The address of the bus ${addressForm}: correct NATS_URL.`)
  return addresses
}
