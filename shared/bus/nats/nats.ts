// The bus on NATS JetStream: connects, declares streams and buckets, and implements the port for all services. After the first connection,
// it reconnects for ever. While disconnected, it queues nothing. A request to a subscription of the same process is not sent over the
// network.
import { AckPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, type NatsConnection, nanos } from '@nats-io/transport-node'
import { retry } from '#shared/async/retry.ts'
import { createLocalRequests, type LocalRequests } from '#shared/bus/clients/local-requests.ts'
import { measureOffset } from '#shared/bus/clock-offset.ts'
import { bucketStream, bucketSubject, declareAll, declareWithRetry } from '#shared/bus/declarations.ts'
import { createBucket } from '#shared/bus/nats/nats-bucket.ts'
import { connectToNats } from '#shared/bus/nats/nats-connect.ts'
import { removeForeignConsumers } from '#shared/bus/nats/nats-consumer.ts'
import { administer, createLink, type Link } from '#shared/bus/nats/nats-link.ts'
import { type ConnectBusOptions, connectionOptions } from '#shared/bus/nats/nats-options.ts'
import { createObservationStream, jsonOf } from '#shared/bus/nats/nats-stream.ts'
import { createStrays, isWithin, subscribe, traceHeader, traceHeaderName } from '#shared/bus/nats/nats-subscriptions.ts'
import type { Bucket, BucketName, Bus, RequestOptions } from '#shared/bus/port.ts'
import type { DoorLine } from '#shared/bus/probers/door.ts'
import { createProberBus } from '#shared/bus/probers/prober-bus.ts'
import { limits } from '#shared/limits/limits.ts'
import { newTraceId, randomId } from '#shared/text/ids.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'

export type { ConnectBusOptions } from '#shared/bus/nats/nats-options.ts'

/** Connects. Throws an Error with a message for people if no server responds in time, or if the credentials are refused. */
export async function connectBus(options: ConnectBusOptions): Promise<Bus> {
  const clock = createSystemClock()
  let connection: NatsConnection | null = null
  try {
    const { settings, refusals, inboxPrefix, locationId, pace } = await connectionOptions(options)
    connection = await connectWithRetry(options, settings, clock)
    const manager = await jetstreamManager(connection, { timeout: pace.administrationMs, checkAPI: false })
    const mayDeclare = options.declare !== false && locationId === null
    const declare = mayDeclare ? () => declareAll(manager, options.replicas ?? null, options.streamBytes) : async () => undefined
    const { logger, metrics } = options
    await declareWithRetry(
      async () => {
        await declare()
        const removed = mayDeclare ? await removeForeignConsumers(manager) : 0
        if (removed > 0) logger.warn({ removed }, 'consumers removed from the bus that no process of ours made')
      },
      clock,
      options.patienceMs,
    )
    const link = createLink({ connection, manager, clock, logger, inboxPrefix, pace, refusals, declare })
    const close = async () => {
      await link.close()
      clock.stop()
    }
    return locationId === null ? createBus(link, metrics, close) : createProberBus(doorLine(link, close), locationId)
  } catch (error) {
    clock.stop()
    await connection?.close()
    throw error
  }
}

/** Throws an Error with a message for people: at once if the bus refuses this client, else after `patienceMs`. */
async function connectWithRetry(options: ConnectBusOptions, settings: ConnectionOptions, clock: Clock): Promise<NatsConnection> {
  const where = [settings.servers ?? []].flat().join(', ')
  const dialMs = settings.timeout ?? options.patienceMs
  const attempt = async (leftMs: number) => connectToNats({ ...settings, timeout: Math.min(dialMs, Math.max(1_000, leftMs)) })
  const mayPass = (error: unknown) => refusalOf(error as Error, where) === null
  try {
    return await retry(attempt, { clock, withinMs: options.patienceMs, pauseMs: () => limits.bus.reconnectMs, mayPass })
  } catch (error) {
    const advice = options.ownMachine ? '' : ': start a nats-server there or correct NATS_URL'
    const silence = `The bus at ${where} does not answer (${(error as Error).message})${advice}.`
    throw new Error(refusalOf(error as Error, where) ?? silence)
  }
}

/** Returns the reason for which the bus refuses this client, as a message for people; null: the bus does not respond. */
function refusalOf({ message }: Error, where: string): string | null {
  if (/authori[sz]ation|authentication/i.test(message)) {
    return `The bus at ${where} refuses the credentials it was given: correct the token, user or credentials file.`
  }
  if (!/certificate/i.test(message)) return null
  const sentence = `The bus at ${where} shows a certificate that this machine does not trust (${message})`
  return `${sentence}: set NATS_CA_FILE to the file of its authority, or correct NATS_URL.`
}

function createBus(link: Link, metrics: ConnectBusOptions['metrics'], close: () => Promise<void>): Bus {
  const { connection } = link
  const buckets = new Map<BucketName, Bucket>()
  const local = createLocalRequests(link.clock)
  const strays = createStrays(link.clock, link.logger, metrics)
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
    subscribe: (subject, onMessage, options = {}) => subscribe({ link, local, strays }, subject, onMessage, options),
    connected: link.connected,
    tryMs: link.pace.tryMs,
    onConnection: link.onConnection,
    clockOffset: now =>
      measureOffset(link.clock, now, () =>
        administer(link, async manager => ({ at: await serverTime(link, manager), errorMs: 0 })),
      ),
    close: async () => {
      local.close()
      strays.stop()
      await close()
    },
  }
}

/** Returns the connection of a remote prober, which can only send requests to the door. */
const doorLine = (link: Link, close: () => Promise<void>): DoorLine => ({
  clock: link.clock,
  logger: link.logger,
  connected: link.connected,
  onConnection: link.onConnection,
  ask: async (subject, text, timeoutMs) => jsonOf(await link.exchange(subject, text, timeoutMs)),
  close,
})

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

/** Returns true if the request fits into one message. A larger request is sent over the bus, which refuses it. */
function fits({ connection }: Link, text: string | undefined, traceId: string): boolean {
  const headers = `NATS/1.0\r\n${traceHeaderName}: ${traceId}\r\n\r\n`
  return isWithin(connection.info?.max_payload ?? 0, text ?? '', headers)
}

/**
 * Returns the server's time. A server before version 2.10 reports its time only when it creates a consumer, not with the state of a stream.
 */
async function serverTime(link: Link, manager: JetStreamManager): Promise<number> {
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
