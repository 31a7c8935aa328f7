// The bus on NATS JetStream: connects, declares what lives there, and is the port that every service gets. Once connected it
// reconnects for ever; nothing is queued while it is cut off. What this process asks itself does not leave it.
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import {
  type ConnectionOptions,
  connect,
  headers as createHeaders,
  type MsgHdrs,
  type NatsConnection,
  nanos,
} from '@nats-io/transport-node'
import { bucketStream, bucketSubject, declareAll, declarePatiently } from '#shared/bus/declarations.ts'
import { createLocalRequests, type LocalRequests } from '#shared/bus/local-requests.ts'
import { isWithin } from '#shared/bus/message-size.ts'
import { createBucket } from '#shared/bus/nats-bucket.ts'
import { asBusError, createLink, type Link } from '#shared/bus/nats-link.ts'
import { type ConnectBusOptions, connectionOptions } from '#shared/bus/nats-options.ts'
import { createObservationStream, jsonOf } from '#shared/bus/nats-stream.ts'
import { patiently } from '#shared/bus/patiently.ts'
import {
  type Bucket,
  type BucketName,
  type Bus,
  BusError,
  type ClockOffset,
  type Incoming,
  type RequestOptions,
  type Subscription,
} from '#shared/bus/port.ts'
import { type Clock, createSystemClock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import { newTraceId, randomId } from '#shared/ids.ts'

export type { ConnectBusOptions } from '#shared/bus/nats-options.ts'

/** Throws an Error with a sentence where no server answers in time or the credentials are refused. */
export async function connectBus(options: ConnectBusOptions): Promise<Bus> {
  const clock = createSystemClock()
  let connection: NatsConnection | null = null
  try {
    const { settings, refusals, inboxPrefix, apiPrefix, mayDeclare, pace } = await connectionOptions(options)
    connection = await connectPatiently(options, settings, clock)
    const manager = await jetstreamManager(connection, { timeout: pace.administrationMs, checkAPI: false, apiPrefix })
    const declare =
      options.declare === false || !mayDeclare
        ? async () => undefined
        : () => declareAll(manager, options.replicas ?? null, options.streamBytes)
    await declarePatiently(declare, clock, options.patienceMs)
    const { logger } = options
    return createBus(createLink({ connection, manager, clock, logger, inboxPrefix, apiPrefix, pace, refusals, declare }), () =>
      clock.stop(),
    )
  } catch (error) {
    clock.stop()
    await connection?.close()
    throw error
  }
}

function connectPatiently(options: ConnectBusOptions, settings: ConnectionOptions, clock: Clock): Promise<NatsConnection> {
  const where = [settings.servers ?? []].flat().join(', ')
  const dialMs = settings.timeout ?? options.patienceMs
  const attempt = async (leftMs: number) => connect({ ...settings, timeout: Math.min(dialMs, Math.max(1_000, leftMs)) })
  return patiently(clock, options.patienceMs, attempt, ({ message }, isOver) => {
    if (/authori[sz]ation|authentication/i.test(message))
      return new Error(`The bus at ${where} refuses the credentials it was given: correct the token, user or credentials file.`)
    if (/certificate/i.test(message)) {
      return new Error(
        `The bus at ${where} shows a certificate that this machine does not trust (${message}): ` +
          'set NATS_CA_FILE to the file of its authority, or correct NATS_URL.',
      )
    }
    const advice = options.ownMachine ? '' : ': start a nats-server there or correct NATS_URL'
    return isOver ? new Error(`The bus at ${where} does not answer (${message})${advice}.`) : null
  })
}

function createBus(link: Link, onClosed: () => void): Bus {
  const { connection } = link
  const buckets = new Map<BucketName, Bucket>()
  const local = createLocalRequests(link.clock)
  link.onConnection(connected => {
    if (!connected) local.refuseAll()
  })
  return {
    observations: createObservationStream(link),
    bucket: name => {
      const bucket = buckets.get(name) ?? createBucket(link, name)
      buckets.set(name, bucket)
      return bucket
    },
    request: (subject, body, options) => request(link, local, subject, body, options),
    publish: (subject, body, traceId) => {
      if (link.connected()) connection.publish(subject, JSON.stringify(body), { headers: traceHeader(traceId) })
    },
    subscribe: (subject, onMessage, subscribing = {}) => subscribe(link, local, subject, onMessage, subscribing.queue),
    connected: link.connected,
    onConnection: link.onConnection,
    clockOffset: now => clockOffset(link, now),
    close: async () => {
      local.close()
      await link.close()
      onClosed()
    },
  }
}

async function request(
  link: Link,
  local: LocalRequests,
  subject: string,
  body: unknown,
  { timeoutMs, traceId = newTraceId() }: RequestOptions,
): Promise<unknown> {
  const text = JSON.stringify(body)
  const answer = link.connected() && fits(link, text, traceId) ? local.ask({ subject, text, traceId }, timeoutMs) : null
  return answer === null ? jsonOf(await link.exchange(subject, text, timeoutMs, traceHeader(traceId))) : JSON.parse(await answer)
}

/** Whether the bus would take this request; what it would not take is left to it to refuse. */
function fits({ connection }: Link, text: string | undefined, traceId: string): boolean {
  const headers = `NATS/1.0\r\n${traceHeaderName}: ${traceId}\r\n\r\n`
  return isWithin(connection.info?.max_payload ?? 0, text ?? '', headers)
}

async function subscribe(
  link: Link,
  local: LocalRequests,
  subject: string,
  onMessage: (message: Incoming) => void,
  queue?: string,
): Promise<Subscription> {
  const { connection, logger } = link
  const subscription = connection.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    callback: (error, message) => {
      if (error) {
        forget()
        logger.error({ err: error, subject }, 'bus ended a subscription')
        return
      }
      // Its headers are read by whoever wants to know: keepers do not.
      const readTraceId = () => message.headers?.get(traceHeaderName)
      const answer = message.reply ? (text: string) => void message.respond(text) : null
      onMessage(incoming(link, message.subject, jsonOf(message), readTraceId, answer))
    },
  })
  const forget = local.add({
    subject,
    queue,
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

const traceHeaderName = 'trace-id'

function traceHeader(traceId: string | undefined): MsgHdrs {
  const created = createHeaders()
  created.set(traceHeaderName, traceId ?? newTraceId())
  return created
}

const offsetProbes = 5

/** The quickest of a few round trips says it best. */
async function clockOffset(link: Link, now: () => number): Promise<ClockOffset> {
  let best: ClockOffset = { roundTripMs: Number.POSITIVE_INFINITY, aheadMs: 0 }
  for (let probe = 0; probe < offsetProbes; probe++) {
    if (!link.connected()) throw new BusError('unavailable', 'The bus is not connected.')
    const askedAt = now()
    const started = link.clock.monotonic()
    const serverAt = await serverTime(link).catch(error => Promise.reject(asBusError(error)))
    const roundTripMs = link.clock.monotonic() - started
    if (roundTripMs < best.roundTripMs) best = { roundTripMs, aheadMs: serverAt - (askedAt + roundTripMs / 2) }
  }
  return best
}

/** A server from 2.10 on stamps what it says about a stream; an older one stamps at least the consumers that it makes. */
async function serverTime(link: Link): Promise<number> {
  const { manager } = link
  const stream = bucketStream('checks')
  const { ts } = await manager.streams.info(stream)
  if (ts) return Date.parse(String(ts))
  const { created } = await manager.consumers.add(stream, {
    name: `clock_${randomId(16)}`,
    filter_subject: bucketSubject('checks', 'clock'),
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(link.pace.administrationMs),
    mem_storage: true,
  })
  return Date.parse(String(created))
}
