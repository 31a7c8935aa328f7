// Subscriptions on NATS, for requests and nudges alike: what they hand over, and how a request is answered. The one place where a
// message that is not what was subscribed to ends: a server delivers such a one if a consumer is pointed at the subscription.
import { headers as createHeaders, type Msg, type MsgHdrs } from '@nats-io/transport-node'
import type { LocalRequests } from '#shared/bus/local-requests.ts'
import { isWithin } from '#shared/bus/message-size.ts'
import type { Link } from '#shared/bus/nats-link.ts'
import { jsonOf } from '#shared/bus/nats-stream.ts'
import type { Incoming, SubscribeOptions, Subscription } from '#shared/bus/port.ts'
import type { Strays } from '#shared/bus/strays.ts'
import { subjectMatcher } from '#shared/bus/subject-matcher.ts'
import { AppError } from '#shared/errors.ts'
import { newTraceId } from '#shared/ids.ts'

export const traceHeaderName = 'trace-id'

export function traceHeader(traceId: string | undefined): MsgHdrs {
  const created = createHeaders()
  created.set(traceHeaderName, traceId ?? newTraceId())
  return created
}

/** What subscriptions stand on. */
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
  /** The server counts neither what this process asks itself, nor anything once the client has reconnected: it is counted here, too. */
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
    // Its headers are read by whoever wants to know: keepers do not.
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
    // Nobody could close what its subscriber never got: it would take requests for ever.
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

/** An inbox of a client, or what a server puts in its place if the request comes from another account. */
const inbox = /^_(INBOX|R_)[._]/

/**
 * How the message is answered; null: a nudge. An asker names where its answer goes and the server lets it name anything: an answer
 * of ours goes to an inbox alone.
 */
function replyTo(message: Msg, subscribed: string, strays: Strays): ((text: string) => void) | null {
  if (!message.reply) return null
  if (inbox.test(message.reply)) return text => void message.respond(text)
  strays.note(subscribed, `${message.subject} to be answered at ${message.reply}`)
  return null
}

/** A message as its receiver sees it; `answer` null: a nudge. */
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

/** An answer that the bus would not take is refused to its asker instead: it must end neither the process nor a round. */
function answerText({ connection, logger }: Link, subject: string, body: unknown): string {
  const text = JSON.stringify(body)
  if (isWithin(connection.info?.max_payload ?? Number.POSITIVE_INFINITY, text)) return text
  logger.error({ subject, bytes: Buffer.byteLength(text) }, 'answer larger than the bus takes')
  return JSON.stringify({ ok: false, error: tooLarge.toBody() })
}

const tooLarge = new AppError('internal', 'Internal error', { details: 'The answer is larger than the bus takes' })
