// What a check over HTTP asks of whom, and what it wants to hear: the same for website monitors and for the kind with more options. Owns the
// form of the request. The request is built for each check, because a stored request would take most of a monitor's memory. Building it takes
// a hundredth of the check's time.
import { isIP } from 'node:net'
import type { JsonTest } from '#shared/checks/http/json-judgement.ts'
import type { StatusRange } from '#shared/checks/http/statuses.ts'
import { http } from '#shared/net/node-http.ts'
import type { Mask } from '#shared/secrecy/masked-text.ts'
import type { ConnectionTarget } from '../connection.ts'
import type { AnswerHead } from './answer.ts'

export interface Target extends ConnectionTarget {
  method: string
  /** Bytes of the request; null: the configured request cannot be sent. */
  request: Buffer | null
  statuses: readonly StatusRange[]
  /** Text that the body must contain; empty: any. */
  contains: string
  /** Null: redirects are judged themselves, the body is read only for `contains`, and the bounds are the usual ones. */
  further: Further | null
}

/** What website monitors do not have. */
export interface Further {
  /** Bound of the whole check, ms. */
  totalMs: number
  /** Longest time of a check that passes, ms. */
  passesMs: number
  /** Text that the body must not contain; empty: any may be there. */
  lacks: string
  json: JsonTest | null
  /** Pattern that the body must match; empty: any. */
  matches: string
  /**
   * Returns the target of the request that follows a response, or the sentence of a redirect that is not followed; null: the response is
   * judged itself. `followed`: number of redirects that were followed before.
   */
  follow(head: AnswerHead, followed: number): Target | string | null
  /** Hides the check's secrets in a text of a stranger. */
  mask(): Mask
}

const protocols = ['http/1.1']

/** Returns the target of a URL. */
export function targetOf(
  url: URL,
  given: Omit<Target, 'secure' | 'hostname' | 'literal' | 'port' | 'serverName' | 'protocols'>,
): Target {
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return {
    secure,
    hostname,
    literal: isIP(hostname) !== 0,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    ipFamily: given.ipFamily,
    serverName: '',
    protocols,
    verify: given.verify,
    authority: given.authority,
    method: given.method,
    request: given.request,
    statuses: given.statuses,
    contains: given.contains,
    further: given.further,
  }
}

/** Returns the URL of an entry; null: it is not an HTTP or HTTPS URL. */
export function httpUrl(text: string): URL | null {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null
}

/** Methods of requests that contain Content-Length even if the body is empty (RFC 9110, 8.6). */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Returns a request with these header lines, which do not frame it. None of them is Accept-Encoding unless a person says so, because
 * compression costs the server CPU. A compressed response is decoded anyway.
 */
export function requestOf(method: string, url: URL, lines: readonly string[], text: string): Buffer {
  const body = Buffer.from(text)
  const length = body.length > 0 || withBody.has(method) ? `content-length: ${body.length}\r\n` : ''
  const head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n${length}\r\n`
  return body.length === 0 ? Buffer.from(head, 'latin1') : Buffer.concat([Buffer.from(head, 'latin1'), body])
}

/** Whether the value can be that of a header. */
export function canBeSent(value: string): boolean {
  try {
    http.validateHeaderValue('content-type', value)
    return true
  } catch {
    return false
  }
}
