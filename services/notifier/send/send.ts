// One attempt to bring a message to its receiver: a POST, its time-out, and what its answer means. Never throws for what a
// receiver or the network does, follows no redirect, and never lets the destination's address into an outcome.

import { isIP, type LookupFunction } from 'node:net'
import type { Agent, buildConnector, Dispatcher, request } from 'undici'
import { limits, second } from '#shared/limits/limits.ts'
import { createEgress, type Egress, EgressError, permitted } from '#shared/net/egress.ts'
import { createResolve, type Resolve } from '#shared/net/resolve.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'
import type { Clock } from '#shared/time/clock.ts'
import { failed, type Outcome, readQuote, refusedBy, unreachable } from './outcome.ts'
import { redactAddress } from './redact.ts'

/** All but the address is the same for every attempt of a delivery. */
export interface Message {
  url: string
  body: string
  /** Absent: JSON. */
  contentType?: 'application/json' | 'text/plain'
  idempotencyKey: string
  /** When the message was made, ms since the epoch. */
  madeAt: number
  /** The `webhook-signature` header; null: the message is not signed. */
  signature: string | null
}

export interface Sender {
  /** Resolves within `timeoutMs` of the clock; without it, within limits.notifier.sendMs. */
  send(message: Message, stop: AbortSignal, timeoutMs?: number): Promise<Outcome>
  /** Loads what sending needs, so that the first message does not wait for it. Rejects where that fails; it may be called again. */
  prepare(): Promise<void>
  close(): Promise<void>
}

export interface SenderOptions {
  clock: Clock
  version: string
  serviceUrl: string
  /** Addresses that messages may not go to; absent: those that are always refused. */
  egress?: Egress
  resolve?: Resolve
}

/** Connections are reused for moments only: one that the receiver is about to close would fail the next message. */
const idleMs = 2 * second

const timedOut = Symbol('timed out')

interface Client {
  agent: Agent
  request: typeof request
}

/** Loads undici when there is a destination: 5 MB and up to 0.1 s, which an installation without a destination saves. */
async function openClient(options: SenderOptions): Promise<Client> {
  const { Agent, buildConnector, request } = await import('undici')
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // The attempt's own timer is exact; these fire up to a second late and only clear away an answer that nobody reads.
    headersTimeout: 2 * limits.notifier.sendMs,
    bodyTimeout: limits.notifier.sendMs,
    connect: createGuardedConnect(buildConnector, {
      resolve: options.resolve ?? createResolve(options),
      egress: options.egress ?? createEgress(),
      timeoutMs: 2 * limits.notifier.sendMs,
    }),
  })
  return { agent, request }
}

export function createSender(options: SenderOptions): Sender {
  let client: Promise<Client> | null = null
  // One that could not be opened is opened anew by the next message.
  const open = () =>
    (client ??= openClient(options).catch(error => {
      client = null
      throw error
    }))
  return {
    send: (message, stop, timeoutMs = limits.notifier.sendMs) => attempt(message, stop, timeoutMs, open, options),
    prepare: async () => void (await open()),
    close: async () => (await client)?.agent.destroy(),
  }
}

async function attempt(
  message: Message,
  stop: AbortSignal,
  timeoutMs: number,
  open: () => Promise<Client>,
  options: SenderOptions,
): Promise<Outcome> {
  const timeout = new AbortController()
  const forget = options.clock.schedule(timeoutMs, () => timeout.abort(timedOut))
  try {
    const { agent, request } = await open()
    const signal = AbortSignal.any([stop, timeout.signal])
    const asked = request(message.url, {
      method: 'POST',
      headers: headersOf(message, options),
      body: message.body,
      signal,
      dispatcher: agent,
    })
    const answer = await unlessAborted(asked, signal)
    if (answer.statusCode >= 200 && answer.statusCode < 300) {
      void drain(answer.body, options.clock)
      return { kind: 'delivered' }
    }
    const quote = await readQuote(answer.body)
    return refusedBy(answer, redactAddress(quote, message.url), options.clock.now())
  } catch (error) {
    if (timeout.signal.aborted) return unreachable(`no answer within ${timeoutMs / second} s`)
    if (stop.aborted) return { kind: 'abandoned' }
    return failed(error)
  } finally {
    forget()
  }
}

/** undici looks at its signal only once there is a connection: an attempt that is over waits for none, and is not sent when one comes. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A short answer leaves its connection to the next message; one that is long or slow is cut off. */
async function drain(body: Dispatcher.ResponseData['body'], clock: Clock): Promise<void> {
  const forget = clock.schedule(limits.notifier.drainMs, () => body.destroy())
  await body.dump({ limit: limits.notifier.answerBytes }).catch(() => {})
  forget()
}

/** The three `webhook-` headers are those of Standard Webhooks. */
function headersOf({ url, contentType, idempotencyKey, madeAt, signature }: Message, { version, serviceUrl }: SenderOptions) {
  return {
    'content-type': contentType === 'text/plain' ? 'text/plain; charset=utf-8' : 'application/json',
    'user-agent': `watchkeeper/${version} (+${serviceUrl})`,
    'idempotency-key': idempotencyKey,
    'webhook-id': idempotencyKey,
    'webhook-timestamp': String(Math.floor(madeAt / second)),
    ...(signature === null ? {} : { 'webhook-signature': signature }),
    ...credentialsOf(url),
  }
}

function credentialsOf(url: string): Record<string, string> {
  const credentials = basicCredentials(new URL(url))
  return credentials === null ? {} : { authorization: `Basic ${credentials}` }
}

export interface ConnectOptions {
  resolve: Resolve
  egress: Egress
  /** ms until a connection that is not there is given up. */
  timeoutMs: number
}

/** A connector for undici. A closed address fails with an EgressError before any packet; of several, only open ones are tried. */
export function createGuardedConnect(
  build: typeof buildConnector,
  { resolve, egress, timeoutMs }: ConnectOptions,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, (error, found) => {
      const addresses = error === null ? openOnes(egress, found) : error
      if (addresses instanceof Error) return done(addresses, '', 0)
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first?.address as string, first?.family)
    })
  }
  const connect = build({ allowH2: false, timeout: timeoutMs, lookup })
  return (options, done) => {
    // An address needs no lookup, so nothing would look at it.
    const reason = isIP(options.hostname) === 0 ? null : egress.refusal(options.hostname)
    if (reason === null) connect(options, done)
    else done(new EgressError(reason), null)
  }
}

function openOnes(egress: Egress, found: readonly string[]): { address: string; family: number }[] | Error {
  if (found.length === 0) return Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  try {
    return permitted(egress, found).map(address => ({ address, family: isIP(address) }))
  } catch (error) {
    return error as Error
  }
}
