// Makes probers' credentials and takes them back: signs, and tells the running server who is revoked. Keeps nothing; what was
// issued and revoked is its caller's to remember.
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { type BusKeys, houseAccountClaims, proberAccountClaims } from '#shared/bus/bus-keys.ts'
import { derivedUser, formatCredentials, keyPair, readClaims, seedOf, signClaims } from '#shared/bus/nats-jwt.ts'
import { type TlsFiles, tlsOptions } from '#shared/bus/nats-options.ts'
import { BusError } from '#shared/bus/port.ts'
import { proberTag } from '#shared/bus/prober-rights.ts'
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export interface ProberIssuer {
  /** The same id, location and instant give the same credentials again. `at` in ms since the epoch. */
  issue(credentialId: string, locationId: string, at: number): { publicKey: string; credentials: string }
  /**
   * Makes the server know exactly these revocations (public key to instant, ms) and the present rights of probers. It cuts off
   * at once who is revoked. Rejects with a BusError where the server did not take it. Repeating it is harmless.
   */
  announce(revocations: Record<string, number>): Promise<void>
}

export interface ProberIssuerOptions {
  keys: BusKeys
  /** Options for a connection to the bus, without credentials. */
  connection: { servers: string[]; tls: boolean; ownMachine?: boolean; tlsFiles?: TlsFiles }
  clock: Clock
}

export function createProberIssuer({ keys, connection, clock }: ProberIssuerOptions): ProberIssuer {
  const issue: ProberIssuer['issue'] = (credentialId, locationId, at) => {
    const user = derivedUser(keys.proberSigningSeed, `prober credential ${credentialId}`)
    const publicKey = user.getPublicKey()
    const nats = { type: 'user', issuer_account: keys.proberAccount, tags: [proberTag] }
    const jwt = signClaims(keyPair(keys.proberSigningSeed), at, { sub: publicKey, name: locationId, nats })
    return { publicKey, credentials: formatCredentials(jwt, seedOf(user)) }
  }
  const announce: ProberIssuer['announce'] = async revocations => {
    const seconds = Object.entries(revocations).map(([publicKey, at]) => [publicKey, Math.ceil(at / 1_000)] as const)
    const wanted = Object.fromEntries(seconds.sort(([a], [b]) => (a < b ? -1 : 1)))
    const system = await connectAsSystem(keys, connection)
    try {
      // The house first: it must export what the probers import.
      await update(system, clock.now(), keys.houseAccount, at => houseAccountClaims(keys, at))
      await update(system, clock.now(), keys.proberAccount, at => proberAccountClaims(keys, at, wanted))
    } catch (error) {
      throw error instanceof BusError ? error : new BusError('unavailable', 'The bus did not take the revocations.', error)
    } finally {
      await system.close()
    }
  }
  return { issue, announce }
}

async function connectAsSystem(keys: BusKeys, { servers, ...way }: ProberIssuerOptions['connection']): Promise<NatsConnection> {
  try {
    return await connect({
      servers,
      ...tlsOptions(way),
      name: 'watchkeeper revocations',
      authenticator: credsAuthenticator(new TextEncoder().encode(keys.systemCredentials)),
      timeout: limits.bus.alone.administrationMs,
      reconnect: false,
      noAsyncTraces: true,
    })
  } catch (error) {
    throw new BusError('unavailable', "The bus does not accept the keys that make probers' credentials.", error)
  }
}

/** Tells the server an account's claims where they say something new. A server keeps the later of two, so they are always later. */
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
