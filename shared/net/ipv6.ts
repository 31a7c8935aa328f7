// IPv6 addresses as numbers.
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the eight groups of 16 bits of an IPv6 address in any form; null: the text is not an IPv6 address. */
export function ipv6Groups(address: string): readonly number[] | null {
  if (!isIPv6(address)) return null
  // The library would read `::192.0.2.1` as `::ffff:192.0.2.1`.
  return ipaddr.IPv6.parse(address.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:')).parts
}
