// Conversion of a check entry to the bytes of its request. Owns the form of the request. Never opens a connection. The request is built for
// each check, because a stored request would take most of a monitor's memory. Building it takes a hundredth of the check's time.

import { isIP } from 'node:net'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import { http } from '#shared/net/node-http.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'
import type { ConnectionTarget } from '../connection.ts'

export interface Target extends ConnectionTarget {
  method: WebsiteEntry['method']
  /** Bytes of the request; null: the configured request cannot be sent. */
  request: Buffer | null
  statuses: readonly number[]
  /** Text that the body must contain; empty: the body is not read. */
  expectedText: string
}

const protocols = ['http/1.1']

/** Returns null if the entry's address is not an HTTP or HTTPS URL. Credentials of the URL become the Authorization header. */
export function compileTarget(entry: WebsiteEntry, userAgent: string): Target | null {
  const url = URL.parse(entry.url)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return {
    secure,
    hostname,
    literal: isIP(hostname) !== 0,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    ipFamily: 'any',
    serverName: '',
    protocols,
    verify: true,
    authority: '',
    method: entry.method,
    request: requestOf(entry, url, userAgent),
    statuses: entry.statuses,
    expectedText: entry.expectedText,
  }
}

/** Methods of requests that contain Content-Length even if the body is empty (RFC 9110, 8.6). */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Returns the request without Accept-Encoding, because compression costs the server CPU. A compressed response is decoded anyway. */
function requestOf(entry: WebsiteEntry, url: URL, userAgent: string): Buffer | null {
  const lines = [
    `${entry.method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    'connection: close',
    `user-agent: ${userAgent}`,
    'accept: */*',
  ]
  if (entry.data !== '' && entry.contentType !== '') {
    if (!canBeSent(entry.contentType)) return null
    lines.push(`content-type: ${entry.contentType}`)
  }
  const credentials = basicCredentials(url)
  if (credentials !== null) lines.push(`authorization: Basic ${credentials}`)
  const body = Buffer.from(entry.data)
  if (body.length > 0 || withBody.has(entry.method)) lines.push(`content-length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body.length === 0 ? head : Buffer.concat([head, body])
}

function canBeSent(value: string): boolean {
  try {
    http.validateHeaderValue('content-type', value)
    return true
  } catch {
    return false
  }
}
