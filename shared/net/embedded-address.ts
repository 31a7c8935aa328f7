// IPv4 addresses embedded in an IPv6 address. Translators and tunnels forward packets to embedded addresses, so a guard must check all
// embedded addresses. Pure.
import { ipv6Groups } from '#shared/net/ipv6.ts'

interface Form {
  name: string
  /** Groups of 16 bits with which an IPv6 address of this form begins. */
  leading: readonly number[]
  /** Positions of the four bytes of the IPv4 address among the 16 bytes. */
  bytes: readonly [number, number, number, number]
  inverted?: true
  /**
   * True if the length of the prefix is a guess. If the guess is wrong, the four bytes may be padding (0.x.x.x). Such a result is ignored.
   */
  guessed?: true
}

const last = [12, 13, 14, 15] as const
const localNat64 = [0x64, 0xff9b, 1]

/** The NAT64 prefixes have lengths of RFC 6052 (2.2), which puts no byte of the IPv4 address at position 8. */
const forms: readonly Form[] = [
  { name: 'IPv4-mapped', leading: [0, 0, 0, 0, 0, 0xffff], bytes: last },
  { name: 'IPv4-translated', leading: [0, 0, 0, 0, 0xffff, 0], bytes: last },
  { name: 'IPv4-compatible', leading: [0, 0, 0, 0, 0, 0], bytes: last },
  { name: 'NAT64', leading: [0x64, 0xff9b, 0, 0, 0, 0], bytes: last },
  { name: 'NAT64 of a local network, /96', leading: localNat64, bytes: last, guessed: true },
  { name: 'NAT64 of a local network, /48', leading: localNat64, bytes: [6, 7, 9, 10], guessed: true },
  { name: 'NAT64 of a local network, /56', leading: localNat64, bytes: [7, 9, 10, 11], guessed: true },
  { name: 'NAT64 of a local network, /64', leading: localNat64, bytes: [9, 10, 11, 12], guessed: true },
  { name: '6to4', leading: [0x2002], bytes: [2, 3, 4, 5] },
  { name: 'Teredo', leading: [0x2001, 0], bytes: last, inverted: true },
]

/** Returns the embedded addresses; empty for `::` and `::1`, which only look IPv4-compatible. */
export function embeddedAddresses(address: string): string[] {
  const groups = ipv6Groups(address)
  if (groups === null) return []
  const bytes = groups.flatMap(group => [group >> 8, group & 0xff])
  if (bytes.slice(0, 15).every(byte => byte === 0) && (bytes[15] as number) <= 1) return []
  return forms
    .filter(form => form.leading.every((group, i) => groups[i] === group))
    .map(form => ({ form, quad: form.bytes.map(at => (bytes[at] as number) ^ (form.inverted ? 0xff : 0)) }))
    .filter(({ form, quad }) => !form.guessed || quad[0] !== 0)
    .map(({ quad }) => quad.join('.'))
}
