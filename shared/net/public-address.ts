// Addresses of the public internet. Everything else may be a page that only this machine or its network can read.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { embeddedAddresses } from '#shared/net/embedded-address.ts'

/**
 * Returns true if an address is on the public internet, and not this machine's own. Loopback, link-local, private, shared (RFC 6598) and
 * reserved addresses are not public. An IPv6 address that embeds IPv4 addresses is public if all of these are.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0 || isOwn(address)) return false
  if (family === 4) return ipaddr.parse(address).range() === 'unicast'
  const embedded = embeddedAddresses(address)
  if (embedded.length > 0) return embedded.every(isPublicAddress)
  const parsed = ipaddr.IPv6.parse(address)
  const [first = 0] = parsed.parts
  return parsed.range() === 'unicast' && first >= 0x2000 && first <= 0x3fff
}

const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some(all => all?.some(one => one.address === address))
