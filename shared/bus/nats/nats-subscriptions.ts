// Subscriptions of a connection to NATS, for requests and nudges. Sends the responses to requests. Drops messages whose subject does not
// match the subscription. Such messages arrive if somebody creates a consumer that delivers a stream to this subscription.
import { headers as createHeaders, type Msg, type MsgHdrs } from '@nats-io/transport-node'
import { Counter, type Registry } from 'prom-client'
import { createSeldom } from '#shared/async/seldom.ts'
import type { LocalRequests } from '#shared/bus/clients/local-requests.ts'
import type { Link } from '#shared/bus/nats/nats-link.ts'
import { jsonOf } from '#shared/bus/nats/nats-stream.ts'
import type { Incoming, SubscribeOptions, Subscription } from '#shared/bus/port.ts'
import { subjectMatcher } from '#shared/bus/subjects.ts'
import { AppError } from '#shared/errors.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import { newTraceId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'

export const traceHeaderName = 'trace-id'

export function traceHeader(traceId: string | undefined): MsgHdrs {
  const created = createHeaders()
  created.set(traceHeaderName, traceId ?? newTraceId())
  return created
}

/** Parts that all subscriptions share. */
export interface Ground {
  link: Link
  local: LocalRequests
  strays: Strays
}

export async function subscribe(
  { link, local, strays }: Ground,
  subject: string,
  onMessage: (message: Incoming) => void,
  { queue, most }: SubscribeOptions,
): Promise<Subscription> {
  const { connection, logger } = link
  const isOurs = subjectMatcher(subject)
  let left = most ?? Number.POSITIVE_INFINITY
  /**
   * Counts a message, and ends the subscription at its bound. The server's own count is not enough: it omits local requests, and starts
   * again after a reconnect.
   */
  const count = (): boolean => {
    left -= 1
    if (left === 0) {
      forget()
      subscription.unsubscribe()
    }
    return left >= 0
  }
  const take = (message: Msg) => {
    if (!isOurs(message.subject)) return strays.note(subject, message.subject)
    if (!count()) return
    // Headers are parsed only if the receiver reads the trace id; keepers do not.
    const readTraceId = () => message.headers?.get(traceHeaderName)
    onMessage(incoming(link, message.subject, jsonOf(message), readTraceId, replyTo(message, subject, strays)))
  }
  const subscription = connection.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    ...(most !== undefined && { max: most }),
    callback: (error, message) => {
      if (!error) return take(message)
      forget()
      logger.error({ err: error, subject }, 'bus ended a subscription')
    },
  })
  const forget = local.add({
    subject,
    queue,
    claim: () => void count(),
    take: ({ subject, text, traceId }, answer) =>
      onMessage(incoming(link, subject, text === undefined ? undefined : JSON.parse(text), () => traceId, answer)),
  })
  try {
    if (link.connected()) await connection.flush()
  } catch (error) {
    // `subscribe` fails, so its caller gets no subscription to close. An open subscription would receive requests for ever.
    forget()
    subscription.unsubscribe()
    throw error
  }
  return {
    close: async () => {
      forget()
      if (!subscription.isClosed()) await (link.connected() ? subscription.drain() : subscription.unsubscribe())
    },
  }
}

/** Matches inboxes of clients. For a client of another account, the server replaces the inbox by a subject that begins with `_R_`. */
const inbox = /^_(INBOX|R_)[._]/

/**
 * Returns the function that responds to a message, or null if the message is a nudge. The response is sent
 * only to an inbox of NATS, because a sender may name any other bus subject as the place of the response.
 */
function replyTo(message: Msg, subscribed: string, strays: Strays): ((text: string) => void) | null {
  if (!message.reply) return null
  if (inbox.test(message.reply)) return text => void message.respond(text)
  strays.note(subscribed, `${message.subject} to be answered at ${message.reply}`)
  return null
}

/** Returns the message that the receiver gets. `answer`: function that sends the response; null: the message is a nudge. */
function incoming(
  link: Link,
  subject: string,
  body: unknown,
  readTraceId: () => string | undefined,
  answer: ((text: string) => void) | null,
): Incoming {
  let answered = false
  let traceId: string | null = null
  return {
    subject,
    body,
    get traceId() {
      traceId ??= readTraceId() || newTraceId()
      return traceId
    },
    respond: body => {
      if (!answered && answer !== null) answer(answerText(link, subject, body))
      answered = true
    },
  }
}

/** Returns a response as JSON. If the response is too large for the bus, returns an error reply instead. */
function answerText({ connection, logger }: Link, subject: string, body: unknown): string {
  const text = JSON.stringify(body)
  if (isWithin(connection.info?.max_payload ?? Number.POSITIVE_INFINITY, text)) return text
  logger.error({ subject, bytes: Buffer.byteLength(text) }, 'response too large for the bus')
  return JSON.stringify({ ok: false, error: tooLarge.toBody() })
}

const tooLarge = new AppError('internal', 'Internal error', { details: 'The answer is larger than the bus takes' })

/**
 * Returns true if the texts have at most `bytes` bytes of UTF-8. Counts bytes only in long texts: short texts always fit, because one
 * character (UTF-16 unit) has at most 3 bytes of UTF-8.
 */
export function isWithin(bytes: number, ...texts: readonly string[]): boolean {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  return 3 * units <= bytes || texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= bytes
}

/** Messages that do not match their subscription: dropped, counted, and logged at most once a minute for each subscription. */
export interface Strays {
  /** Notes that a message, described by `what`, arrived at the subscription to `subscribed`. */
  note(subscribed: string, what: string): void
  stop(): void
}

/** Largest number of characters of a message's subject in the log: the sender chooses the subject. */
const quoted = 200

export function createStrays(clock: Clock, logger: Logger, metrics: Registry | undefined): Strays {
  const counter = metrics && registeredMetric(metrics, 'watchkeeper_bus_strays_total', name => counterOf(name, metrics))
  const seldom = createSeldom<string>(clock, (subscribed, first, count) =>
    logger.warn({ subscribed, first: first.slice(0, quoted), count }, 'messages dropped that are not what was subscribed to'),
  )
  return {
    note: (subscribed, what) => {
      counter?.inc()
      seldom.note(subscribed, what)
    },
    stop: seldom.stop,
  }
}

const counterOf = (name: string, registry: Registry): Counter =>
  new Counter({
    name,
    help: 'Messages dropped that were not what their receiver subscribed to, or asked for an answer elsewhere than at an inbox',
    registers: [registry],
  })
