// State of a stream as its leader knows it. While a cluster elects a leader, another server answers from what it has: nobody can publish then,
// and its last sequence may be an old one.
import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream'
import { BusError } from '#shared/bus/port.ts'

/** Resolves with the state of the stream. Rejects with a BusError if the stream has no leader, and with the error of the server. */
export async function ledStream({ streams }: Pick<JetStreamManager, 'streams'>, stream: string): Promise<StreamInfo> {
  const info = await streams.info(stream)
  // A server without a cluster names none.
  if (info.cluster !== undefined && !info.cluster.leader) throw new BusError('unavailable', `The stream ${stream} has no leader.`)
  return info
}
