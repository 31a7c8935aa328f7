// Hosts whose traffic never leaves this machine.
import { isIP } from 'node:net'

/** Returns true if a host name or an address, with or without the brackets of a URL, is this machine's own. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(bare) === 4) return bare.startsWith('127.')
  return bare === 'localhost' || bare === '::1'
}
