// Issuer of probers' credentials: signs them, and updates accounts and revocations of locations on the running server. Stores nothing; its
// caller stores issued and revoked credentials.

import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectToNats } from '#shared/bus/nats/nats-connect.ts'
import { removeForeignConsumers } from '#shared/bus/nats/nats-consumer.ts'
import { type TlsFiles, tlsOptions } from '#shared/bus/nats/nats-options.ts'
import { BusError } from '#shared/bus/port.ts'
import {
  type BusKeys,
  houseAccountClaims,
  locationAccount,
  locationAccountClaims,
  locationSigner,
} from '#shared/bus/probers/bus-keys.ts'
import { credentialsAuthenticator, formatCredentials, readClaims, signClaims } from '#shared/bus/probers/nats-jwt.ts'
import { derivedKey } from '#shared/bus/probers/nkeys.ts'
import { proberTag } from '#shared/bus/probers/prober-rights.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

/**
 * Locations with credentials, by id. For each location: the instants of its revocations, ms since the epoch, by public key; empty if no
 * credential is revoked.
 */
export type Announced = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface ProberIssuer {
  /** Returns credentials. The same id, location and instant give the same credentials. They are valid after the location is announced. */
  issue(credentialId: string, locationId: string, at: number): { publicKey: string; credentials: string }
  /** Updates the accounts and revocations of these locations on the server. Rejects with a BusError; may be repeated. */
  announce(locations: Announced): Promise<void>
  /** Removes consumers that no process of the installation created; returns their number. Rejects with a BusError. */
  removeForeignConsumers(): Promise<number>
}

export interface ProberIssuerOptions {
  keys: BusKeys
  /** Options for a connection to the bus, without credentials. */
  connection: { servers: string[]; tls: boolean; ownMachine?: boolean; tlsFiles?: TlsFiles }
  clock: Clock
}

export function createProberIssuer({ keys, connection, clock }: ProberIssuerOptions): ProberIssuer {
  return {
    issue: (credentialId, locationId, at) => {
      const user = derivedKey('user', keys.proberSigningSeed, `prober credential ${credentialId}`)
      const publicKey = user.publicKey
      const account = locationAccount(keys, locationId).publicKey
      const about = { sub: publicKey, name: locationId, nats: { type: 'user', issuer_account: account, tags: [proberTag] } }
      return { publicKey, credentials: formatCredentials(signClaims(locationSigner(keys, locationId), at, about), user.seed) }
    },
    announce: locations =>
      connected(keys.systemCredentials, connection, 'The bus did not take the revocations.', async system => {
        // Updates the account of the installation first, because it exports the subjects that the locations import.
        await update(system, clock.now(), keys.houseAccount, at => houseAccountClaims(keys, at))
        const all = Object.entries(locations)
        for (let start = 0; start < all.length; start += announcedAtOnce) {
          const slice = all.slice(start, start + announcedAtOnce)
          await Promise.all(slice.map(([id, revoked]) => announceOne(system, clock.now(), keys, id, revoked)))
        }
      }),
    removeForeignConsumers: () =>
      connected(keys.houseCredentials, connection, 'Foreign consumers could not be removed.', async house =>
        removeForeignConsumers(await jetstreamManager(house, { timeout: limits.bus.alone.administrationMs, checkAPI: false })),
      ),
  }
}

const announcedAtOnce = 16

async function announceOne(
  system: NatsConnection,
  now: number,
  keys: BusKeys,
  locationId: string,
  revoked: Readonly<Record<string, number>>,
): Promise<void> {
  const seconds = Object.entries(revoked).map(([publicKey, at]) => [publicKey, Math.ceil(at / 1_000)] as const)
  const wanted = Object.fromEntries(seconds.sort(([a], [b]) => (a < b ? -1 : 1)))
  const account = locationAccount(keys, locationId).publicKey
  await update(system, now, account, at => locationAccountClaims(keys, locationId, at, wanted))
}

/** Runs `work` with a connection that has these credentials. Throws a BusError. */
async function connected<T>(
  credentials: string,
  { servers, ...way }: ProberIssuerOptions['connection'],
  failure: string,
  work: (connection: NatsConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectToNats({
    servers,
    ...tlsOptions(way),
    name: 'watchkeeper credentials',
    authenticator: credentialsAuthenticator(credentials),
    timeout: limits.bus.alone.administrationMs,
    reconnect: false,
    noAsyncTraces: true,
  }).catch(error => {
    throw new BusError('unavailable', "The bus does not accept the keys that make probers' credentials.", error)
  })
  try {
    return await work(connection)
  } catch (error) {
    throw error instanceof BusError ? error : new BusError('unavailable', failure, error)
  } finally {
    await connection.close()
  }
}

/**
 * Sends an account's claims to the server if they differ from the server's claims. A server keeps the claims with the later time, so the
 * new claims get a later time.
 */
async function update(system: NatsConnection, now: number, account: string, claimsAt: (at: number) => string): Promise<void> {
  const options = { timeout: limits.bus.alone.administrationMs }
  const present = readClaims((await system.request(`$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`, '', options)).string())
  const wanted = claimsAt(Math.max(now, ((present?.iat ?? 0) + 1) * 1_000))
  if (present !== null && JSON.stringify(present.nats) === JSON.stringify(readClaims(wanted)?.nats)) return
  const answer = (await system.request('$SYS.REQ.CLAIMS.UPDATE', wanted, options)).json<{
    data?: { code?: number }
    error?: unknown
  }>()
  if (answer.error === undefined && answer.data?.code === 200) return
  throw new BusError('unavailable', 'The bus refused the revocations.', new Error(JSON.stringify(answer.error ?? answer.data)))
}
