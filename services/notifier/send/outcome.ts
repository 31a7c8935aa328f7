// Outcome of an attempt: the meaning of a response or of a network error. Pure, except that it reads the first bytes of the response.
import type { Dispatcher } from 'undici'
import { limits, second } from '#shared/limits/limits.ts'
import { EgressError } from '#shared/net/egress.ts'
import { http } from '#shared/net/node-http.ts'
import { oneLine } from '../bodies/one-line.ts'

export type Outcome =
  | { kind: 'delivered' }
  /**
   * `error` begins with `unreachable: `, `http_NNN: ` or `not_sent: ` (reference/messages 6.3). An explanation for people follows.
   * `answered`: true if a response came in time. `retryAfterMs`: the pause that the receiver requested; null: none. `isRate`: the response
   * was 429; absent: no.
   */
  | { kind: 'refused'; retryable: boolean; answered: boolean; error: string; retryAfterMs: number | null; isRate?: true }
  /** `stop` fired before an outcome was known. */
  | { kind: 'abandoned' }

/**
 * Returns the first bytes of a response's body as text, without waiting for the rest. Does not reject if the body breaks off, because the
 * status is known already.
 */
export async function readQuote(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= limits.notifier.answerBytes) break
    }
  } catch {
    // If the body breaks off, the bytes received so far are quoted.
  }
  return Buffer.concat(chunks).subarray(0, limits.notifier.answerBytes).toString('utf8')
}

/** Returns the meaning of a response that is no success. `quote` must be redacted already; `at` is now, ms since the epoch. */
export function refusedBy({ statusCode, headers }: Dispatcher.ResponseData, quote: string, at: number): Outcome {
  const said = oneLine(quote, limits.notifier.quoteCharacters)
  const answer = `answered ${statusCode} ${http.STATUS_CODES[statusCode] ?? ''}`.trim()
  const words = statusCode === 410 ? `the destination is gone, it ${answer}` : `the destination ${answer}`
  return {
    kind: 'refused',
    retryable: statusCode === 429 || statusCode >= 500,
    answered: true,
    error: `http_${statusCode}: ${words}${said === '' ? '' : `: "${said}"`}`,
    retryAfterMs: parseRetryAfter(headers['retry-after'], at),
    ...(statusCode === 429 ? { isRate: true } : {}),
  }
}

/**
 * Returns the pause that a Retry-After header requests, in ms from `at`. The header contains seconds or an HTTP date. Null: the header is
 * absent or invalid.
 */
function parseRetryAfter(value: string | string[] | undefined, at: number): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * second
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - at)
}

export const unreachable = (why: string): Outcome => notAnswered(true, `unreachable: ${why}`)
const notSent = (why: string): Outcome => notAnswered(false, `not_sent: ${why}`)
const notAnswered = (retryable: boolean, error: string): Outcome => ({
  kind: 'refused',
  retryable,
  answered: false,
  error,
  retryAfterMs: null,
})

/** Reasons by the code of a network error. The message of the error is not used, because it may quote the address. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ETIMEOUT: 'its name could not be looked up',
  ESERVFAIL: 'its name could not be looked up',
  HTTPParserError: 'what answers does not speak HTTP',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no route to it',
}

/** Returns the meaning of an attempt that ended without a response. */
export function failed(error: unknown): Outcome {
  if (error instanceof EgressError) return notSent(`EGRESS rules close this address: it is ${error.message}`)
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_URL') return notSent('the address cannot be called')
  return unreachable(
    reasons[code] ?? (/CERT|TLS|SSL|SIGNED/.test(code) ? `no secure connection (${code})` : `network error (${code})`),
  )
}

/**
 * Returns the code of the error. If the error has none, returns the code of its cause or of its first inner error. Codes contain no
 * addresses.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner === undefined ? error.name : codeOf(inner)
}
