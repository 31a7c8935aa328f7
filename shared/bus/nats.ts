// The bus on NATS JetStream: connects, declares what lives there, and is the port that every service gets. Once connected it
// reconnects for ever; nothing is queued while it is cut off. What this process asks itself does not leave it.
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, type NatsConnection, nanos } from '@nats-io/transport-node'
import { bucketStream, bucketSubject, declareAll, declarePatiently } from '#shared/bus/declarations.ts'
import type { DoorLine } from '#shared/bus/door.ts'
import { removeForeignConsumers } from '#shared/bus/foreign-consumers.ts'
import { createLocalRequests, type LocalRequests } from '#shared/bus/local-requests.ts'
import { isWithin } from '#shared/bus/message-size.ts'
import { createBucket } from '#shared/bus/nats-bucket.ts'
import { connectToNats } from '#shared/bus/nats-connect.ts'
import { asBusError, createLink, type Link } from '#shared/bus/nats-link.ts'
import { type ConnectBusOptions, connectionOptions } from '#shared/bus/nats-options.ts'
import { createObservationStream, jsonOf } from '#shared/bus/nats-stream.ts'
import { subscribe, traceHeader, traceHeaderName } from '#shared/bus/nats-subscriptions.ts'
import { patiently } from '#shared/bus/patiently.ts'
import { type Bucket, type BucketName, type Bus, BusError, type ClockOffset, type RequestOptions } from '#shared/bus/port.ts'
import { createProberBus } from '#shared/bus/prober-bus.ts'
import { createStrays } from '#shared/bus/strays.ts'
import { type Clock, createSystemClock } from '#shared/clock.ts'
import { newTraceId, randomId } from '#shared/ids.ts'

export type { ConnectBusOptions } from '#shared/bus/nats-options.ts'

/** Throws an Error with a sentence where no server answers in time or the credentials are refused. */
export async function connectBus(options: ConnectBusOptions): Promise<Bus> {
  const clock = createSystemClock()
  let connection: NatsConnection | null = null
  try {
    const { settings, refusals, inboxPrefix, locationId, pace } = await connectionOptions(options)
    connection = await connectPatiently(options, settings, clock)
    const manager = await jetstreamManager(connection, { timeout: pace.administrationMs, checkAPI: false })
    const mayDeclare = options.declare !== false && locationId === null
    const declare = mayDeclare ? () => declareAll(manager, options.replicas ?? null, options.streamBytes) : async () => undefined
    const { logger, metrics } = options
    await declarePatiently(
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

function connectPatiently(options: ConnectBusOptions, settings: ConnectionOptions, clock: Clock): Promise<NatsConnection> {
  const where = [settings.servers ?? []].flat().join(', ')
  const dialMs = settings.timeout ?? options.patienceMs
  const attempt = async (leftMs: number) => connectToNats({ ...settings, timeout: Math.min(dialMs, Math.max(1_000, leftMs)) })
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
    clockOffset: now => clockOffset(link, now),
    close: async () => {
      local.close()
      strays.stop()
      await close()
    },
  }
}

/** A prober has no more of the bus than requests and their answers. */
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

/** Whether the bus would take this request; what it would not take is left to it to refuse. */
function fits({ connection }: Link, text: string | undefined, traceId: string): boolean {
  const headers = `NATS/1.0\r\n${traceHeaderName}: ${traceId}\r\n\r\n`
  return isWithin(connection.info?.max_payload ?? 0, text ?? '', headers)
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
