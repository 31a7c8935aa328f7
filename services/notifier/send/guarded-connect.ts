// Opens connections to receivers, held against the guard on addresses at the moment of connecting: what a name resolved to is
// what is looked at and what is used. Names go through the shared resolver, so that a slow name server blocks no thread.
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { type Egress, EgressError, permitted } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'

export interface ConnectOptions {
  resolve: Resolve
  egress: Egress
  /** ms until a connection that is not there is given up. */
  timeoutMs: number
}

/** A connector for undici. A closed address fails with an EgressError before any packet; of several, only open ones are tried. */
export function createGuardedConnect(
  build: typeof buildConnector,
  { resolve, egress, timeoutMs }: ConnectOptions,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, (error, found) => {
      const addresses = error === null ? openOnes(egress, found) : error
      if (addresses instanceof Error) return done(addresses, '', 0)
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first?.address as string, first?.family)
    })
  }
  const connect = build({ allowH2: false, timeout: timeoutMs, lookup })
  return (options, done) => {
    // An address needs no lookup, so nothing would look at it.
    const reason = isIP(options.hostname) === 0 ? null : egress.refusal(options.hostname)
    if (reason === null) connect(options, done)
    else done(new EgressError(reason), null)
  }
}

function openOnes(egress: Egress, found: readonly string[]): { address: string; family: number }[] | Error {
  if (found.length === 0) return Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  try {
    return permitted(egress, found).map(address => ({ address, family: isIP(address) }))
  } catch (error) {
    return error as Error
  }
}
