// Hosts and ports as people write them. Pure.
import { isHttpUrl } from './http-url.ts'

/** Returns a host name or an IP address as a URL has it: in ASCII, in small letters, without brackets. Null: the text is neither. */
export function parseHost(text: string): string | null {
  const isAddress = /^(\[[\da-f:.]+\]|[\da-f:.]*:[\da-f:.]*)$/i.test(text)
  if (!isAddress && !isName(text)) return null
  const host = URL.parse(`http://${isAddress && !text.startsWith('[') ? `[${text}]` : text}/`)?.hostname
  if (host === undefined) return null
  if (host.startsWith('[')) return host.slice(1, -1)
  return hasLabels(host.replace(/\.$/, '')) ? host : null
}

/** Characters that a URL reads as something else than the name of its host. */
const isName = (text: string): boolean => !/[\s\p{Cc}/?#@\\:%[\]]/u.test(text)

/** Whether a name, without a dot at its end, has at most 253 characters, and each label of it 1 to 63 (RFC 1035, 2.3.4). */
const hasLabels = (host: string): boolean =>
  host.length <= 253 && host.split('.').every(({ length }) => length >= 1 && length <= 63)

export interface HostPort {
  /** As `parseHost` returns it. */
  hostname: string
  port: number
}

/** Returns the parts of `host`, `host:port` or `[address]:port`. Null: the text is none of them. */
export function parseHostPort(text: string, usualPort: number): HostPort | null {
  const [, host = text, digits] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? []
  const hostname = parseHost(host)
  const port = digits === undefined ? usualPort : Number(digits)
  return hostname === null || port < 1 || port > 65_535 ? null : { hostname, port }
}

export interface Endpoint extends HostPort {
  /** The text is a URL of http, without TLS. */
  isPlain: boolean
}

/** Returns where `host`, `host:port`, `[address]:port` or a URL of http or https leads. Null: the text is none of them, or has user information. */
export function parseEndpoint(text: string, usualPort: number): Endpoint | null {
  if (!isHttpUrl(text, Number.POSITIVE_INFINITY)) {
    const parsed = parseHostPort(text, usualPort)
    return parsed && { ...parsed, isPlain: false }
  }
  const { protocol, hostname, port, username, password } = new URL(text)
  if (username !== '' || password !== '') return null
  const isPlain = protocol === 'http:'
  const usual = isPlain ? 80 : 443
  return { isPlain, hostname: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) }
}
