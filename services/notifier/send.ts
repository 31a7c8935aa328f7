// One attempt to bring a message to its receiver: a POST, its time-out, and what its answer means. Never throws for what a
// receiver or the network does, and never lets the destination's address into an outcome.
import { STATUS_CODES } from 'node:http'
import { Agent, type Dispatcher, request } from 'undici'
import type { Clock } from '#shared/clock.ts'
import { limits, second } from '#shared/limits.ts'
import { oneLine } from './plain-text.ts'
import { decoded, redactAddress } from './redact.ts'

export interface Message {
  url: string
  body: string
  /** The same for every attempt of a delivery. */
  idempotencyKey: string
}

export type Outcome =
  | { kind: 'delivered' }
  /**
   * `error` begins with `unreachable: `, `http_NNN: ` or `not_sent: ` (spec C, Delivery) and goes on for a person.
   * `answered` is false where nothing came back in time. `retryAfterMs` is what the receiver asked for; null: nothing.
   */
  | { kind: 'refused'; retryable: boolean; answered: boolean; error: string; retryAfterMs: number | null }
  /** `stop` fired before an outcome was known. */
  | { kind: 'abandoned' }

export interface Sender {
  /** Resolves within limits.notifier.sendMs of the clock. */
  send(message: Message, stop: AbortSignal): Promise<Outcome>
  close(): Promise<void>
}

export interface SenderOptions {
  clock: Clock
  version: string
  serviceUrl: string
}

/** Connections are reused for moments only: one that the receiver is about to close would fail the next message. */
const idleMs = 2 * second

const timedOut = Symbol('timed out')

export function createSender(options: SenderOptions): Sender {
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // The attempt's own timer is exact; these fire up to a second late and only clear away an answer that nobody reads.
    headersTimeout: 2 * limits.notifier.sendMs,
    bodyTimeout: limits.notifier.sendMs,
    connect: { timeout: 2 * limits.notifier.sendMs },
  })
  return {
    send: (message, stop) => attempt(message, stop, agent, options),
    close: () => agent.destroy(),
  }
}

async function attempt(message: Message, stop: AbortSignal, agent: Agent, options: SenderOptions): Promise<Outcome> {
  const timeout = new AbortController()
  const forget = options.clock.after(limits.notifier.sendMs, () => timeout.abort(timedOut))
  try {
    const answer = await request(message.url, {
      method: 'POST',
      headers: headersOf(message, options),
      body: message.body,
      signal: AbortSignal.any([stop, timeout.signal]),
      dispatcher: agent,
    })
    if (isSuccess(answer.statusCode)) {
      answer.body.dump({ limit: limits.notifier.answerBytes }).catch(() => {})
      return { kind: 'delivered' }
    }
    const quote = await readQuote(answer.body)
    return judge(answer, redactAddress(quote, message.url), options.clock.now())
  } catch (error) {
    if (timeout.signal.aborted) return unreachable(`no answer within ${limits.notifier.sendMs / second} s`)
    if (stop.aborted) return { kind: 'abandoned' }
    return failed(error)
  } finally {
    forget()
  }
}

/** `webhook-id` and `webhook-timestamp` are the Standard Webhooks names. */
function headersOf({ url, idempotencyKey }: Message, { clock, version, serviceUrl }: SenderOptions): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `watchkeeper/${version} (+${serviceUrl})`,
    'idempotency-key': idempotencyKey,
    'webhook-id': idempotencyKey,
    'webhook-timestamp': String(Math.floor(clock.now() / second)),
    ...credentialsOf(url),
  }
}

function credentialsOf(url: string): Record<string, string> {
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  const pair = `${decoded(username)}:${decoded(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

const isSuccess = (status: number) => status >= 200 && status < 300

/** The first bytes of an answer as text; the rest is not waited for. An answer that breaks off has still said its status. */
async function readQuote(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= limits.notifier.answerBytes) break
    }
  } catch {
    // What came until here is quoted.
  }
  return Buffer.concat(chunks).subarray(0, limits.notifier.answerBytes).toString('utf8')
}

function judge({ statusCode, headers }: Dispatcher.ResponseData, quote: string, at: number): Outcome {
  const said = oneLine(quote, limits.notifier.quoteCharacters)
  const words = `the destination answered ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim()
  return {
    kind: 'refused',
    retryable: statusCode === 429 || statusCode >= 500,
    answered: true,
    error: `http_${statusCode}: ${words}${said === '' ? '' : `: "${said}"`}`,
    retryAfterMs: parseRetryAfter(headers['retry-after'], at),
  }
}

/** Seconds or an HTTP date, as ms from `at`; null where there is none or it says nothing. */
function parseRetryAfter(value: string | string[] | undefined, at: number): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * second
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - at)
}

const unreachable = (why: string): Outcome => ({
  kind: 'refused',
  retryable: true,
  answered: false,
  error: `unreachable: ${why}`,
  retryAfterMs: null,
})

/** Messages of network errors quote addresses, so only their codes are looked at. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no route to it',
}

function failed(error: unknown): Outcome {
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_URL') {
    return {
      kind: 'refused',
      retryable: false,
      answered: false,
      error: 'not_sent: the address cannot be called',
      retryAfterMs: null,
    }
  }
  return unreachable(
    reasons[code] ?? (/CERT|TLS|SSL|SIGNED/.test(code) ? `no secure connection (${code})` : `network error (${code})`),
  )
}

/** The first error code in an error, its causes and its parts; they carry no addresses. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner === undefined ? error.name : codeOf(inner)
}
