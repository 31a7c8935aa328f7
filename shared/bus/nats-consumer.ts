// The consumer that a reader has on the server: how it is described, and what its deliveries say about themselves.
import { AckPolicy, type ConsumerConfig, DeliverPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'

export type ReaderStart = { sequence: number } | { time: number } | { latest: true }

export interface Position {
  sequence: number
  /** Counts this consumer's deliveries from 1. */
  delivery: number
  /** The server's time of the message, ms since the epoch. */
  at: number
  /** Messages of the filter that still wait on the server. */
  pending: number
}

/** A consumer of one filter, in the server's memory, forgotten by itself. `cursor` is the last sequence read; 0: none yet. */
export function consumerConfig(filter: string, start: ReaderStart, cursor: number): Partial<ConsumerConfig> {
  return {
    ...deliveryFrom(start, cursor),
    name: `r_${randomId(16)}`,
    // One filter as a string: a list of them needs a server of 2.10.
    filter_subject: filter,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(limits.bus.readerForgottenMs),
    mem_storage: true,
    num_replicas: 1,
  }
}

function deliveryFrom(start: ReaderStart, cursor: number): Partial<ConsumerConfig> {
  if (cursor > 0) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: cursor + 1 }
  if ('sequence' in start) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, start.sequence) }
  if ('time' in start) return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(start.time).toISOString() }
  return { deliver_policy: DeliverPolicy.LastPerSubject }
}

/** `$JS.ACK.[domain.account.]stream.consumer.tries.sequence.delivery.nanoseconds.pending[.random]` */
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
