// The client of an address: an IPv4 address, or the 64 bits of IPv6 that one household or host gets at least.
import { isIPv4 } from 'node:net'

/** A text that is the same for all addresses of a client. */
export function clientNetwork(address: string): string {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(bare) || !bare.includes(':')) return bare
  const [head = '', tail] = (bare.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail ? tail.split(':').length : 0
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind)
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])]
  return `${all.slice(0, 4).join(':')}::/64`
}
