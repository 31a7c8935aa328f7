// The IPv4 address inside an IPv6 one: translators and tunnels carry packets for the one to the other, so a guard has to look
// at both. Pure.
import { isIPv6 } from 'node:net'

/** By the leading 16-bit groups of the form, and at which group the IPv4 address begins. */
const forms: readonly { name: string; leading: readonly number[]; at: number; inverted?: true }[] = [
  { name: 'IPv4-mapped', leading: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { name: 'IPv4-translated', leading: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { name: 'NAT64', leading: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { name: 'NAT64 of a local network', leading: [0x64, 0xff9b, 1], at: 6 },
  { name: '6to4', leading: [0x2002], at: 1 },
  { name: 'Teredo', leading: [0x2001, 0], at: 6, inverted: true },
  { name: 'IPv4-compatible', leading: [0, 0, 0, 0, 0, 0], at: 6 },
]

/** Null where there is none: `::` and `::1` are addresses of their own. */
export function embeddedAddress(address: string): string | null {
  if (!isIPv6(address)) return null
  const groups = groupsOf(address)
  const form = forms.find(({ leading }) => leading.every((group, i) => groups[i] === group))
  if (form === undefined) return null
  const pair = [groups[form.at] ?? 0, groups[form.at + 1] ?? 0].map(group => (form.inverted ? group ^ 0xffff : group))
  if (form.name === 'IPv4-compatible' && pair[0] === 0 && (pair[1] as number) <= 1) return null
  return pair.flatMap(group => [group >> 8, group & 0xff]).join('.')
}

/** The eight groups; URL writes any valid form in one: hexadecimal, shortened by one `::` at most. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16)))
  if (tail === undefined) return parse(head)
  const [before, after] = [parse(head), parse(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
