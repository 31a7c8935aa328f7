// The IPv4 addresses that an IPv6 one may stand for: translators and tunnels carry packets for the one to the other, so a guard has to
// look at all of them. Pure.
import { isIPv6 } from 'node:net'

interface Form {
  name: string
  /** The leading groups of 16 bits. */
  leading: readonly number[]
  /** Which of the 16 bytes are those of the IPv4 address. */
  bytes: readonly [number, number, number, number]
  inverted?: true
  /** A guess: how long the prefix is stands nowhere. What it makes of the padding of another length, 0.x.x.x, is none. */
  guessed?: true
}

const last = [12, 13, 14, 15] as const
const localNat64 = [0x64, 0xff9b, 1]

/** The lengths of a NAT64 prefix are those of RFC 6052 (2.2), which skips byte 8. */
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

/** Empty where there is none: `::` and `::1` are addresses of their own. */
export function embeddedAddresses(address: string): string[] {
  if (!isIPv6(address)) return []
  const groups = groupsOf(address)
  const bytes = groups.flatMap(group => [group >> 8, group & 0xff])
  if (bytes.slice(0, 15).every(byte => byte === 0) && (bytes[15] as number) <= 1) return []
  return forms
    .filter(form => form.leading.every((group, i) => groups[i] === group))
    .map(form => ({ form, quad: form.bytes.map(at => (bytes[at] as number) ^ (form.inverted ? 0xff : 0)) }))
    .filter(({ form, quad }) => !form.guessed || quad[0] !== 0)
    .map(({ quad }) => quad.join('.'))
}

/** The eight groups; URL writes any valid form in one: hexadecimal, shortened by one `::` at most. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16)))
  if (tail === undefined) return parse(head)
  const [before, after] = [parse(head), parse(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
