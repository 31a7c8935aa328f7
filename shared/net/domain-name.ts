// Names of the domain name system, as people type them. Pure.
import { isIP } from 'node:net'
import { parseHost } from './host-port.ts'

/** Returns a name as name servers are asked for it: in ASCII, in small letters, without a last dot. Null: the text is no name. */
export function asciiName(text: string): string | null {
  const host = parseHost(text)
  return host === null || isIP(host) !== 0 ? null : host.replace(/\.$/, '')
}
