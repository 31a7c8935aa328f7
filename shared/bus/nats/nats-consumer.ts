// Consumers on the server, which deliver a stream to a reader: configuration, creation, removal, and positions of delivered messages.
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  type StreamState,
} from '@nats-io/jetstream'
import { type Msg, nanos } from '@nats-io/transport-node'
import { declaredStreams } from '#shared/bus/declarations.ts'
import { ledStream } from '#shared/bus/nats/nats-led-stream.ts'
import type { Link } from '#shared/bus/nats/nats-link.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'

export type ReaderStart = { sequence: number } | { time: number } | { latest: true }

export interface Position {
  sequence: number
  /** Number of the message among all deliveries of this consumer, from 1. A gap in these numbers means a lost message. */
  delivery: number
  /** Server time of the message, ms since the epoch. */
  at: number
  /** Number of matching messages that still wait on the server. */
  pending: number
}

type Plan = Partial<ConsumerConfig> & { name: string }

export interface Made {
  consumer: ConsumerInfo
  /** Creation time of the stream, which identifies the stream. */
  created: string
  state: StreamState
  /** True if the sequence of the reader's last message now belongs to a different message in the stream. */
  isCut: boolean
  /** Last sequence of the leader after the creation, if the consumer can be on another copy, and heartbeats show what that has; else null. */
  ledSequence: number | null
}

export interface MakerOptions {
  stream: string
  filter: string
  start: ReaderStart
  looksForCuts: boolean
}

/** Creates and removes the consumers of one reader, one at a time. */
export class ConsumerMaker {
  readonly #link: Link
  readonly #options: MakerOptions
  /** A created consumer whose stream was not checked yet. If the check fails, the next attempt uses this consumer again. */
  #unproven: Plan | null = null

  constructor(link: Link, options: MakerOptions) {
    this.#link = link
    this.#options = options
  }

  /**
   * Creates a consumer that begins after the last message read, and reads the state of the stream. Returns null if `isWanted` has become
   * false meanwhile.
   */
  async make(last: Pick<Position, 'sequence' | 'at'>, isWanted: () => boolean): Promise<Made | null> {
    const { stream, filter, start, looksForCuts } = this.#options
    const { manager } = this.#link
    const plan = this.#unproven ?? consumerConfig(filter, start, last.sequence)
    this.#unproven = null
    try {
      const consumer = await this.#add(plan)
      if (isWanted()) this.#unproven = plan
      else this.remove(plan.name)
      const { created, state, cluster } = await ledStream(this.#link, stream)
      const isCut = looksForCuts && (await isAnotherMessage(manager, stream, last))
      if (!isWanted()) return null
      this.#unproven = null
      const hasCopies = (cluster?.replicas?.length ?? 0) > 0
      const showsCopy = this.#link.pace.readerHeartbeatMs < limits.bus.readerUnprovenMs
      return { consumer, created: String(created), state, isCut, ledSequence: hasCopies && showsCopy ? state.last_seq : null }
    } catch (error) {
      if (isWanted()) throw error
      return null
    }
  }

  /** Requests up to `batch` messages and heartbeats, all sent to `inbox`. */
  pull(name: string, batch: number, inbox: string): void {
    const { connection, pace } = this.#link
    const expires = nanos(limits.bus.readerExpiresMs)
    const request = `{"batch":${batch},"expires":${expires},"idle_heartbeat":${nanos(pace.readerHeartbeatMs)}}`
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${this.#options.stream}.${name}`, request, { reply: inbox })
  }

  /** Removes a consumer. A failure is ignored, because the server removes an unused consumer after a while. */
  remove(name: string): void {
    if (this.#link.connected()) this.#link.manager.consumers.delete(this.#options.stream, name).catch(() => undefined)
  }

  close(): void {
    if (this.#unproven !== null) this.remove(this.#unproven.name)
    this.#unproven = null
  }

  /**
   * Creates a consumer. If this fails, the consumer may exist on a dead server. The next attempt uses a new name, so that the cluster can
   * place the consumer on a live server.
   */
  async #add(plan: Plan): Promise<ConsumerInfo> {
    try {
      return await this.#link.manager.consumers.add(this.#options.stream, plan)
    } catch (error) {
      this.remove(plan.name)
      throw error
    }
  }
}

/**
 * Returns the configuration of an in-memory consumer for one filter. The server removes the consumer if it is idle. `cursor`: last sequence
 * read, or 0.
 */
export function consumerConfig(filter: string, start: ReaderStart, cursor: number): Plan {
  return {
    ...deliveryFrom(start, cursor),
    name: `r_${randomId(16)}`,
    // One filter as a string, because a list of filters needs server 2.10.
    filter_subject: filter,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(limits.bus.readerForgottenMs),
    mem_storage: true,
    num_replicas: 1,
  }
}

/**
 * Removes all consumers that no process of the installation created, and returns their number. A server allows at most 1,000 consumers per
 * stream, so foreign consumers could leave no room for a starting process. May be repeated. Rejects if the bus does not respond.
 */
export async function removeForeignConsumers({ consumers }: JetStreamManager): Promise<number> {
  let removed = 0
  for (const stream of declaredStreams) {
    const names: string[] = []
    for await (const { name, config } of consumers.list(stream)) if (!isReaderConfig(config)) names.push(name)
    for (let start = 0; start < names.length; start += limits.bus.removedAtOnce) {
      const slice = names.slice(start, start + limits.bus.removedAtOnce)
      // A failed removal is ignored: another process may have removed the consumer.
      await Promise.all(slice.map(name => consumers.delete(stream, name).catch(() => undefined)))
    }
    removed += names.length
  }
  return removed
}

/** True if the consumer looks as if `consumerConfig` had created it. The server removes such a consumer if it is idle. */
const isReaderConfig = (config: ConsumerConfig): boolean => {
  const { name = '', inactive_threshold = 0 } = config
  return (
    /^(r|clock)_[0-9A-Za-z]{16}$/.test(name) &&
    config.durable_name === undefined &&
    config.deliver_subject === undefined &&
    config.ack_policy === AckPolicy.None &&
    config.mem_storage === true &&
    inactive_threshold > 0 &&
    inactive_threshold <= nanos(limits.bus.readerForgottenMs)
  )
}

function deliveryFrom(start: ReaderStart, cursor: number): Partial<ConsumerConfig> {
  if (cursor > 0) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: cursor + 1 }
  if ('sequence' in start) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, start.sequence) }
  if ('time' in start) return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(start.time).toISOString() }
  return { deliver_policy: DeliverPolicy.LastPerSubject }
}

/** Parses `$JS.ACK.[domain.account.]stream.consumer.tries.sequence.delivery.nanoseconds.pending[.random]`. */
export function parsePosition(reply: string): Position {
  const parts = reply.split('.')
  const first = parts.length === 9 ? 5 : 7
  return {
    sequence: Number(parts[first]),
    delivery: Number(parts[first + 1]),
    at: Number(parts[first + 2]?.slice(0, -6)),
    pending: Number(parts[first + 3]),
  }
}

/**
 * Parses a heartbeat. `delivery`: number of the consumer's last message; absent: the server does not tell it. `sequence`: last sequence of the
 * copy of the stream on the consumer's server, whatever the filter; a server that does not tell it is trusted to have all.
 */
export function parseHeartbeat({ headers }: Pick<Msg, 'headers'>): { delivery?: number; sequence: number } {
  const told = (name: string) => headers?.get(name) || null
  const delivery = told('Nats-Last-Consumer')
  const sequence = Number(told('Nats-Last-Stream') ?? Number.POSITIVE_INFINITY)
  return delivery === null ? { sequence } : { delivery: Number(delivery), sequence }
}

/**
 * True if the last sequence read now belongs to a different message: the stream has lost its newest messages, and new messages got their
 * sequences.
 */
async function isAnotherMessage(
  manager: JetStreamManager,
  stream: string,
  { sequence, at }: Pick<Position, 'sequence' | 'at'>,
): Promise<boolean> {
  if (sequence === 0) return false
  const found = await manager.streams.getMessage(stream, { seq: sequence })
  return found !== null && Math.abs(found.time.getTime() - at) > 1
}
