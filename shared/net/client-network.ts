// Network of a client: the IPv4 address, or the first 64 bits of the IPv6 address. One household or host has at least a whole /64 of IPv6
// addresses.
import { ipv6Groups } from '#shared/net/ipv6.ts'

/** Returns the same text for all addresses of one client. A text that is not an address is returned up to the first `%`. */
export function clientNetwork(address: string): string {
  const bare = (address.split('%', 1)[0] as string).replace(/^::ffff:(?=[\d.]+$)/i, '')
  const groups = ipv6Groups(bare)?.slice(0, 4)
  return groups ? `${groups.map(group => group.toString(16)).join(':')}::/64` : bare
}
