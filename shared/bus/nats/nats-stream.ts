// The observation stream on NATS: acknowledged publishing, and feeds of one partition in exact order.
import { JetStreamApiError } from '@nats-io/jetstream'
import type { Msg } from '@nats-io/transport-node'
import { observationStream, serverCodes } from '#shared/bus/declarations.ts'
import { ledStream } from '#shared/bus/nats/nats-led-stream.ts'
import { administer, type Link } from '#shared/bus/nats/nats-link.ts'
import { openReader } from '#shared/bus/nats/nats-reader.ts'
import { BusError, type ObservationStream } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'

export function createObservationStream(link: Link): ObservationStream {
  return {
    publish: async (subject, body) => {
      acknowledgement(await store(link, subject, JSON.stringify(body)))
    },
    state: () =>
      administer(link, async () => {
        const { created, state, ts } = await ledStream(link, observationStream)
        return {
          createdAt: String(created),
          firstSequence: state.first_seq,
          lastSequence: state.last_seq,
          lastAt: Date.parse(String(state.last_ts)) || 0,
          askedAt: ts ? Date.parse(String(ts)) : null,
        }
      }),
    lastSequenceOf: (partition, since = 0) =>
      administer(link, async manager => {
        const found = await manager.streams.getMessage(observationStream, {
          last_by_subj: subjects.observationsOfPartition(partition),
        })
        return found !== null && found.time.getTime() >= since ? found.seq : 0
      }),
    open: ({ partition, from, onMessage, onBroken, onDeaf, onHearing }) =>
      openReader(link, {
        stream: observationStream,
        filter: subjects.observationsOfPartition(partition),
        start: from,
        onMessage: (message, { sequence, at }) => onMessage({ subject: message.subject, sequence, at, body: jsonOf(message) }),
        onBroken,
        onDeaf,
        onHearing,
      }),
    firstSequenceOf: (partition, sequence) =>
      administer(link, async manager => {
        const from = { seq: Math.max(1, sequence), next_by_subj: subjects.observationsOfPartition(partition) }
        return (await manager.streams.getMessage(observationStream, from))?.seq ?? null
      }),
    purgeBelow: sequence =>
      administer(link, async manager => {
        await manager.streams.purge(observationStream, { seq: sequence })
      }),
  }
}

/** Publishes a message to a stream and returns the raw acknowledgement. If no acknowledgement arrives, the message may be stored or not. */
export async function store(
  link: Link,
  subject: string,
  payload: string,
  headers?: Parameters<Link['exchange']>[3],
): Promise<Msg> {
  try {
    return await link.exchange(subject, payload, link.pace.publishMs, headers)
  } catch (error) {
    if (error instanceof BusError && error.kind === 'unavailable') throw error
    throw new BusError('unavailable', 'The stream did not acknowledge.', error)
  }
}

/**
 * Parses an acknowledgement and returns the sequence of the stored message. Null: the key did not have the expected revision. Throws a
 * BusError.
 */
export function acknowledgement(answer: Msg): number | null {
  const { seq, error } = answer.json<{ seq?: number; error?: { err_code?: number; description?: string } }>()
  if (!error && seq) return seq
  if (error?.err_code === serverCodes.wrongSequence || error?.err_code === serverCodes.wrongSequenceUnknown) return null
  const full = error?.err_code === serverCodes.storeFailed && /maximum/.test(error.description ?? '')
  throw full
    ? new BusError('full', 'The stream is full.')
    : new BusError('unavailable', `The stream refused: ${error?.description ?? 'it answered nothing'}.`)
}

/** Returns the parsed body, or undefined if the body is not JSON. No contract accepts undefined, so the receiver refuses this message. */
export function jsonOf(message: Pick<Msg, 'data' | 'json'>): unknown {
  if (message.data.length === 0) return undefined
  try {
    return message.json()
  } catch {
    return undefined
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof JetStreamApiError && error.status === 404
