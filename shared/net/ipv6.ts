// IPv6 addresses as numbers.
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The eight groups of 16 bits of an IPv6 address, in any of its forms. Null: the text is none. */
export function ipv6Groups(address: string): readonly number[] | null {
  if (!isIPv6(address)) return null
  // The library takes `::192.0.2.1` for `::ffff:192.0.2.1`.
  return ipaddr.IPv6.parse(address.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:')).parts
}
