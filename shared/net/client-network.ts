// The network of a client: an IPv4 address, or the 64 bits of IPv6 that one household or host gets at least.
import { ipv6Groups } from '#shared/net/ipv6.ts'

/** Returns the same text for all addresses of one client. A text that is not an address is returned without its scope. */
export function clientNetwork(address: string): string {
  const bare = (address.split('%', 1)[0] as string).replace(/^::ffff:(?=[\d.]+$)/i, '')
  const groups = ipv6Groups(bare)?.slice(0, 4)
  return groups ? `${groups.map(group => group.toString(16)).join(':')}::/64` : bare
}
