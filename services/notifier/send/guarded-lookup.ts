// Look-up of a host name for a connection, whose addresses a guard checks before any packet is sent.
import { isIP, type LookupFunction } from 'node:net'
import type { Resolve } from '#shared/net/resolve.ts'

/** `open` returns those addresses that may be connected to; it throws if none may. */
export const guardedLookup =
  (resolve: Resolve, open: (found: readonly string[]) => readonly string[]): LookupFunction =>
  (hostname, options, done) => {
    let isAnswered = false
    resolve(hostname, (error, found) => {
      // Addresses that come later are not needed.
      if (isAnswered) return
      isAnswered = true
      const addresses = error === null ? openOnes(found, open) : error
      if (addresses instanceof Error) return done(addresses, '', 0)
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first?.address as string, first?.family)
    })
  }

function openOnes(found: readonly string[], open: (found: readonly string[]) => readonly string[]) {
  if (found.length === 0) return Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  try {
    return open(found).map(address => ({ address, family: isIP(address) }))
  } catch (error) {
    return error as Error
  }
}
