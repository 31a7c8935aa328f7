// What a check entry means on the wire, worked out anew for each check: that takes a hundredth of it, and kept it would be most
// of what a monitor weighs. Owns how the request looks; never opens a connection.
import { isIP } from 'node:net'
import type { CheckEntry } from '#shared/contracts/check.ts'

/** A request ready to be sent. */
export interface Target {
  origin: string
  secure: boolean
  /** Without brackets. */
  hostname: string
  /** The hostname is an address: nothing to resolve, no server name in the handshake. */
  literal: boolean
  port: number
  request: { method: CheckEntry['method']; path: string; headers: string[]; body: Buffer | null; reset: true }
  statuses: readonly number[]
  /** The literal bytes looked for in the decoded body; null: the body is not looked at. */
  needle: Buffer | null
  expectedText: string
}

/** Null where the entry's address is not an HTTP or HTTPS URL. Credentials of the URL become the request's Authorization. */
export function compileTarget(entry: CheckEntry, userAgent: string): Target | null {
  const url = URL.parse(entry.url)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return {
    origin: url.origin,
    secure,
    hostname,
    literal: isIP(hostname) !== 0,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    request: {
      method: entry.method,
      path: url.pathname + url.search,
      headers: headersOf(entry, url, userAgent),
      body: entry.data === '' ? null : Buffer.from(entry.data),
      reset: true,
    },
    statuses: entry.statuses,
    needle: entry.expectedText === '' ? null : Buffer.from(entry.expectedText),
    expectedText: entry.expectedText,
  }
}

/** No Accept-Encoding: an answer that comes compressed all the same is decoded, but nobody is asked to compress for us. */
function headersOf(entry: CheckEntry, url: URL, userAgent: string): string[] {
  const headers = ['user-agent', userAgent, 'accept', '*/*']
  if (entry.data !== '' && entry.contentType !== '') headers.push('content-type', entry.contentType)
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decoded(url.username)}:${decoded(url.password)}`
    headers.push('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
  return headers
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
