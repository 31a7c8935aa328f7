// Sender of one message: a request, its time-out, and the outcome that the channel reads from its response. When a host name has been
// resolved, the addresses are checked against the egress rules. Never throws for an error of the receiver or the network, follows no
// redirect, and puts no address and no secret of the message into an outcome.

import { isIP } from 'node:net'
import type { Agent, buildConnector, Dispatcher, request } from 'undici'
import { limits, minute, second } from '#shared/limits/limits.ts'
import { createEgress, type Egress, permitted } from '#shared/net/egress.ts'
import { createResolve, type Resolve } from '#shared/net/resolve.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import type { Clock } from '#shared/time/clock.ts'
import { guardedLookup } from './guarded-lookup.ts'
import { closed, failed, type Outcome, outcomeOf, readQuote, unanswered } from './outcome.ts'
import { redactAddress } from './redact.ts'
import type { Marks, Message, Sender, SenderOptions } from './sender.ts'

/**
 * Longest idle time after which a connection is still used again, ms. After a longer time the receiver may be about to close the
 * connection.
 */
const idleMs = 2 * second

const timedOut = Symbol('timed out')

interface Client {
  /** Connects only if all addresses of a host are public. */
  outside: Agent
  /** Connects to every open address. */
  anywhere: Agent
  request: typeof request
  /** Origins that were not public lately, with the instant (monotonic, ms) until which `outside` is not tried. A hint: it spares a look-up. */
  inside: Map<string, number>
}

/** How long an origin counts as not public, ms. Its answers are not quoted in this time, even if it becomes public. */
const insideMs = 10 * minute
/** Largest number of such origins; beyond it all are forgotten. */
const insideOrigins = 1_000

/** Error of `outside` for a host that is not public. Nothing was sent. */
class NotPublicError extends Error {}

/** Loads undici, which takes 5 MB of memory and up to 0.1 s. An installation without a destination never loads undici. */
async function openClient(options: SenderOptions, resolve: Resolve): Promise<Client> {
  const { Agent, buildConnector, request } = await import('undici')
  const agent = (isOutside: boolean) =>
    new Agent({
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // These time-outs of undici may fire up to a second late. They end only responses that nobody reads: the exact timer of the attempt
      // ends all others.
      headersTimeout: 2 * limits.notifier.sendMs,
      bodyTimeout: limits.notifier.sendMs,
      connect: createGuardedConnect(buildConnector, resolve, isOutside, options.egress),
    })
  return { outside: agent(true), anywhere: agent(false), request, inside: new Map() }
}

/** What every attempt of a sender uses. */
interface SenderParts {
  options: SenderOptions
  resolve: Resolve
  open: () => Promise<Client>
}

export function createSender(options: SenderOptions): Sender {
  const resolve = options.resolve ?? createResolve(options)
  let client: Promise<Client> | null = null
  // If opening the client fails, the next message opens it again.
  const open = () =>
    (client ??= openClient(options, resolve).catch(error => {
      client = null
      throw error
    }))
  const parts: SenderParts = { options, resolve, open }
  return {
    send: (message, stop, timeoutMs = limits.notifier.sendMs) => attempt(message, stop, timeoutMs, parts),
    prepare: async () => void (await open()),
    close: async () => {
      const opened = await client
      await Promise.all([opened?.outside.destroy(), opened?.anywhere.destroy()])
    },
  }
}

async function attempt(
  message: Message,
  stop: AbortSignal,
  timeoutMs: number,
  parts: SenderParts,
  hasMoved = false,
): Promise<Outcome> {
  const { options, resolve, open } = parts
  if (message.isClosed) return closed
  const startedAt = options.clock.monotonic()
  const timeout = new AbortController()
  const forget = options.clock.schedule(timeoutMs, () => timeout.abort(timedOut))
  try {
    const signal = AbortSignal.any([stop, timeout.signal])
    if (message.mail !== null) {
      const { sendMail } = await import('./send-mail.ts')
      return await unlessAborted(sendMail(message, message.mail, signal, { ...options, resolve }), signal)
    }
    const client = await open()
    const post = (dispatcher: Agent) => {
      const headers = headersOf(message, options)
      return unlessAborted(
        client.request(message.url, { method: message.method, headers, body: bodyOf(message), signal, dispatcher }),
        signal,
      )
    }
    const { origin } = new URL(message.url)
    const { answer, isPublic } = await postFrom(client, post, { origin, now: options.clock.monotonic() })
    const { statusCode: status, headers } = answer
    // An answer from inside may be a page that only this machine can read, so nobody is told what it says.
    const isRead = isPublic && (status < 200 || status >= 300)
    const body = isRead ? await readQuote(answer.body) : ''
    if (!isRead) void drain(answer.body, options.clock)
    const reading = message.read({ status, headers, body, at: options.clock.now() })
    if (reading.kind === 'moved' && !hasMoved) {
      const leftMs = timeoutMs - (options.clock.monotonic() - startedAt)
      return await attempt(message.to(reading.settings), stop, leftMs, parts, true)
    }
    return outcomeOf(reading, status, text => redacted(text, message), body)
  } catch (error) {
    if (timeout.signal.aborted) return unanswered(`no answer within ${timeoutMs / second} s`)
    if (stop.aborted) return { kind: 'abandoned' }
    return failed(error)
  } finally {
    forget()
  }
}

/** Posts to a public host. If the host is not public, posts to it all the same, and says so. `now`: monotonic, ms. */
async function postFrom<T>(
  { outside, anywhere, inside }: Client,
  post: (agent: Agent) => Promise<T>,
  { origin, now }: { origin: string; now: number },
) {
  if ((inside.get(origin) ?? 0) > now) return { answer: await post(anywhere), isPublic: false }
  try {
    return { answer: await post(outside), isPublic: true }
  } catch (error) {
    if (!(error instanceof NotPublicError)) throw error
    if (inside.size >= insideOrigins) inside.clear()
    inside.set(origin, now + insideMs)
    return { answer: await post(anywhere), isPublic: false }
  }
}

/**
 * Settles as `work` does, but rejects as soon as the signal fires. Undici alone checks the signal only after it has connected, so an
 * aborted attempt would wait for its connection.
 */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Reads a short response, so that its connection can be reused. Cuts off a long or slow response. */
async function drain(body: Dispatcher.ResponseData['body'], clock: Clock): Promise<void> {
  const forget = clock.schedule(limits.notifier.drainMs, () => body.destroy())
  await body.dump({ limit: limits.notifier.answerBytes }).catch(() => {})
  forget()
}

/** Returns a quotation of an answer without the message's address and secrets. */
const redacted = (quote: string, { url, secrets }: Message): string =>
  redactedText([url, ...secrets.filter(secret => secret !== url)].reduce(redactAddress, quote))

/** The three `webhook-` headers follow Standard Webhooks. */
/** Null: the request has none. */
const bodyOf = ({ method, body }: Message): string | null => (method === 'GET' ? null : body)

function headersOf(message: Message, { version, serviceUrl }: SenderOptions) {
  const { url, contentType, headers, marks } = message
  const type = contentType === 'text/plain' ? 'text/plain; charset=utf-8' : contentType
  return {
    ...(bodyOf(message) === null ? {} : { 'content-type': type }),
    'user-agent': `watchkeeper/${version} (+${serviceUrl})`,
    ...(marks === null ? {} : standardHeaders(marks)),
    ...headers,
    ...credentialsOf(url),
  }
}

const standardHeaders = ({ idempotencyKey, madeAt, signature }: Marks) => ({
  'idempotency-key': idempotencyKey,
  'webhook-id': idempotencyKey,
  'webhook-timestamp': String(Math.floor(madeAt / second)),
  ...(signature === null ? {} : { 'webhook-signature': signature }),
})

function credentialsOf(url: string): Record<string, string> {
  const credentials = basicCredentials(new URL(url))
  return credentials === null ? {} : { authorization: `Basic ${credentials}` }
}

/**
 * Returns a connector for undici. The connector fails before it sends a packet: with an EgressError if the egress rules permit none of the
 * addresses, and with a NotPublicError if it connects only to the outside and one of the permitted addresses is not public.
 */
function createGuardedConnect(
  build: typeof buildConnector,
  resolve: Resolve,
  isOutside: boolean,
  egress: Egress = createEgress(),
): buildConnector.connector {
  const open = (found: readonly string[], port: number): readonly string[] => {
    const addresses = permitted(egress, found, port)
    if (isOutside && !addresses.every(egress.isPublic)) throw new NotPublicError()
    return addresses
  }
  const connectorOf = (port: number) =>
    build({ allowH2: false, timeout: 2 * limits.notifier.sendMs, lookup: guardedLookup(resolve, found => open(found, port)) })
  // A look-up does not know the port, so each port has its own.
  const connectors = new Map<number, buildConnector.connector>()
  return (options, done) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    try {
      // An IP address needs no look-up, so it is checked here.
      if (isIP(options.hostname) !== 0) open([options.hostname], port)
    } catch (error) {
      done(error as Error, null)
      return
    }
    const connect = connectors.get(port) ?? connectorOf(port)
    connectors.set(port, connect)
    connect(options, done)
  }
}
