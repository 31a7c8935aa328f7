// Addresses of name servers, as people and settings of systems write them.
import { isIP, isIPv6 } from 'node:net'

export interface NameServer {
  /** IPv4 or IPv6, without brackets. */
  address: string
  port: number
}

const usualPort = 53

/** Reads `address`, `address:port` or `[IPv6]:port`. Null: the text is none of them. */
export function readNameServer(text: string): NameServer | null {
  if (isIP(text) !== 0) return { address: text, port: usualPort }
  const [, inBrackets, plain = '', digits] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = inBrackets ?? plain
  const port = digits === undefined ? usualPort : Number(digits)
  const isRead = (inBrackets === undefined ? isIP(address) === 4 : isIPv6(address)) && port >= 1 && port <= 65_535
  return isRead ? { address, port } : null
}

/** Returns the form that `readNameServer` reads, without the usual port. */
export function nameServerText({ address, port }: NameServer): string {
  if (port === usualPort) return address
  return `${isIPv6(address) ? `[${address}]` : address}:${port}`
}
