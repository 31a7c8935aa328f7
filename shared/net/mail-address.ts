// Addresses of mailboxes (RFC 5321, 4.1.2), without a display name. Pure.
import { isIP } from 'node:net'
import { parseHost } from './host-port.ts'

const local = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

/** Whether the text is `local@domain`, of at most 254 characters. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [name, domain] = [text.slice(0, at), text.slice(at + 1)]
  const host = text.length <= 254 && name.length <= 64 && local.test(name) ? parseHost(domain) : null
  return at > 0 && host !== null && isIP(host) === 0
}
