// Outcome of an attempt: the meaning of a response or of a network error. Pure, except that it reads the first bytes of the response.
import type { Dispatcher } from 'undici'
import { oneLine } from '#shared/channels/message/one-line.ts'
import type { ChannelReading } from '#shared/channels/port.ts'
import { limits } from '#shared/limits/limits.ts'
import { EgressError } from '#shared/net/egress.ts'
import { http } from '#shared/net/node-http.ts'

export type Outcome =
  /** `isAccepted`: the receiver does not say whether the message arrived; absent: it has. */
  | { kind: 'delivered'; isAccepted?: true }
  /**
   * `error` begins with `unreachable: `, `http_NNN: ` or `not_sent: ` (reference/messages 6.3). An explanation for people follows.
   * `answered`: true if a response came in time. `retryAfterMs`: the pause that the receiver requested; null: none. `isRate`: the response
   * was 429; absent: no. `mayHaveArrived`: the receiver may have taken the message all the same; absent: it has not.
   */
  | {
      kind: 'refused'
      retryable: boolean
      answered: boolean
      error: string
      retryAfterMs: number | null
      isRate?: true
      mayHaveArrived?: true
    }
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

/** Returns the outcome of a response. `reading`: what the channel made of it. `redacted` hides the message's address and secrets in a text. */
export function outcomeOf(reading: ChannelReading, status: number, redacted: (text: string) => string, body: string): Outcome {
  if (reading.kind === 'delivered') return { kind: 'delivered' }
  if (reading.kind === 'accepted') return { kind: 'delivered', isAccepted: true }
  const quote = oneLine(redacted(body), limits.notifier.quoteCharacters)
  const answer = `answered ${status} ${http.STATUS_CODES[status] ?? ''}`.trim()
  const words = status === 410 ? `the destination is gone, it ${answer}` : `the destination ${answer}`
  const refused = {
    kind: 'refused',
    answered: true,
    error: `http_${status}: ${words}${quote === '' ? '' : `: "${quote}"`}`,
    ...(status >= 500 ? { mayHaveArrived: true as const } : {}),
  } as const
  if (reading.kind === 'failed' && reading.sentence !== undefined) {
    const { sentence: said, isOwn } = reading
    const sentence = oneLine(isOwn ? said : redacted(said), limits.notifier.quoteCharacters)
    return { ...refused, error: `http_${status}: ${sentence}`, retryable: false, retryAfterMs: null }
  }
  if (reading.kind !== 'again') return { ...refused, retryable: false, retryAfterMs: null }
  return { ...refused, retryable: true, retryAfterMs: reading.afterMs, ...(reading.lane ? { isRate: true } : {}) }
}

const notAnswered = (retryable: boolean, error: string) => ({
  kind: 'refused' as const,
  retryable,
  answered: false,
  error,
  retryAfterMs: null,
})

/** The receiver may have taken the message. */
export const unanswered = (why: string): Outcome => ({ ...notAnswered(true, `unreachable: ${why}`), mayHaveArrived: true })
export const unreachable = (why: string): Outcome => notAnswered(true, `unreachable: ${why}`)
/** A secret of the destination cannot be opened here; another process, or this one with the right key, may send the message. */
export const closed: Outcome = notAnswered(true, 'not_sent: a secret of the destination can not be opened here')
export const notSent = (why: string): Outcome => notAnswered(false, `not_sent: ${why}`)

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
  if (/CERT|TLS|SSL|SIGNED/.test(code)) return unreachable(reasons[code] ?? `no secure connection (${code})`)
  const failure = neverConnected.has(code) ? unreachable : unanswered
  return failure(reasons[code] ?? `network error (${code})`)
}

/** Codes of errors before the message left. */
const neverConnected: ReadonlySet<string> = new Set([
  ...[
    'ECONNREFUSED',
    'UND_ERR_CONNECT_TIMEOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEOUT',
    'ESERVFAIL',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
])

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
