// How a connection to the bus is made: addresses, credentials, and what the credentials say about the way the bus is reached.
import { readFile } from 'node:fs/promises'
import { type ConnectionOptions, credsAuthenticator } from '@nats-io/transport-node'
import type { Registry } from 'prom-client'
import { claimsOfCredentials } from '#shared/bus/nats-jwt.ts'
import { proberInboxPrefix, proberTag } from '#shared/bus/prober-rights.ts'
import { addressForm, parseServerAddresses, type ServerAddress } from '#shared/bus/server-addresses.ts'
import { fnv1a32 } from '#shared/hash.ts'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'

export interface ConnectBusOptions {
  /** `nats://host:port`, with `tls://` for TLS; user and password or a token may stand in the URL. */
  servers: string | string[]
  /** Shown in the server's list of connections. */
  name: string
  token?: string
  /** A NATS credentials file (JWT and seed). */
  credentialsFile?: string
  /** The server is this machine's own: no TLS on the way, although it offers it to others. */
  ownMachine?: boolean
  /** With one of them TLS is required, whatever the URL says. */
  tlsFiles?: TlsFiles
  /** How long the first connection may take. */
  patienceMs: number
  logger: Logger
  /** Whether this process creates streams and buckets, now and after each reconnect; a remote prober may not. Default true. */
  declare?: boolean
  /** Copies of each stream and bucket in a cluster; unset: one where it is created here, unchanged where it exists. */
  replicas?: number
  /** The location of a prober that may ask at its door and nothing else; credentials of a prober say it themselves. */
  locationId?: string
  /** Where it is counted what the bus delivers and nobody subscribed to. */
  metrics?: Registry
  /** The largest size of the observation stream, bytes; for tests. */
  streamBytes?: number
}

/** PEM files of a bus that does not show a publicly signed certificate. They are read again at each connection. */
export interface TlsFiles {
  /** The authority of the bus's certificate, in place of those that the machine trusts. */
  caFile?: string
  /** A certificate and its key, for a bus that asks its clients for one. */
  certFile?: string
  keyFile?: string
}

/** How often in a row the server refused the credentials: a revoked prober goes on asking, but slowly. */
export interface Refusals {
  count: number
}

/** How this process connects, and what it may do then. */
export interface ConnectionPlan {
  settings: ConnectionOptions
  refusals: Refusals
  inboxPrefix: string | undefined
  /** Of the prober, which has nothing but the door of its location; null: one of the house's own services. */
  locationId: string | null
  pace: BusPace
}

/** How long a connection waits for what, as `limits.bus` explains. */
export type BusPace = Record<keyof typeof limits.bus.alone, number>

/** Throws an Error with a sentence where an address or a file is not what it should be. */
export async function connectionOptions(options: ConnectBusOptions): Promise<ConnectionPlan> {
  const credentials = options.credentialsFile === undefined ? null : await readCredentials(options.credentialsFile)
  const prober = credentials === null ? null : proberOf(credentials)
  const locationId = prober?.locationId ?? options.locationId ?? null
  // Credentials that somebody else made say nothing of an inbox: then it is the location's.
  const inboxPrefix = locationId === null ? undefined : proberInboxPrefix(prober?.publicKey ?? locationId)
  const refusals: Refusals = { count: 0 }
  const addresses = [options.servers].flat().flatMap(addressesOf)
  const pace = addresses.length > 1 || (options.replicas ?? 0) > 1 ? limits.bus.clustered : limits.bus.alone
  const settings = connectionSettings({ ...options, addresses, pace }, credentials, inboxPrefix, refusals)
  return { settings, pace, refusals, inboxPrefix, locationId }
}

/** Whose credentials these are, where they are a prober's; null: somebody else's. */
export function proberOf(credentials: string): { locationId: string; publicKey: string } | null {
  const claims = claimsOfCredentials(credentials)
  const { tags } = claims?.nats ?? {}
  if (!claims || !Array.isArray(tags) || !tags.includes(proberTag)) return null
  return { locationId: claims.name, publicKey: claims.sub }
}

/** Throws an Error with a sentence. */
export async function readCredentials(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw new Error(`The credentials file ${file} can't be read (${error.code}): correct NATS_CREDENTIALS.`)
  })
  if (claimsOfCredentials(text) !== null) return text
  throw new Error(`The file ${file} holds no NATS credentials: correct NATS_CREDENTIALS.`)
}

/** The servers that an address names, without the credentials that may stand in it. */
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
    ...(credentials !== null && { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    ...tlsOptions({ ...options, tls: addresses.some(address => address.tls) }),
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () =>
      (refusals.count > limits.bus.refusals ? limits.bus.refusedMs : limits.bus.reconnectMs) + spreadMs,
    // A server that comes back may refuse everybody for a moment while it loads its accounts.
    ignoreAuthErrorAbort: true,
    timeout: pace.dialMs,
    pingInterval: pace.pingMs,
    maxPingOut: limits.bus.pingsUnanswered,
    noAsyncTraces: true,
  }
}

/** The client's own options: TLS required, never spoken, or spoken if the server wants it. */
export function tlsOptions(wanted: { tls: boolean; ownMachine?: boolean; tlsFiles?: TlsFiles }): Pick<ConnectionOptions, 'tls'> {
  if (wanted.ownMachine) return { tls: null }
  return wanted.tls || wanted.tlsFiles !== undefined ? { tls: { ...wanted.tlsFiles } } : {}
}

/** So that all who lost one server do not come back in the same instant: each process has its own part of the pause. */
const spreadMs = fnv1a32(randomId(8)) % limits.bus.reconnectMs

function addressesOf(text: string): ServerAddress[] {
  const addresses = parseServerAddresses(text)
  if (addresses === null) throw new Error(`The address of the bus ${addressForm}: correct NATS_URL.`)
  return addresses
}
