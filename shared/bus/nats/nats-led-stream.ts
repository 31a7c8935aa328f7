// State of a stream as its leader knows it. While a cluster elects a leader, another server answers from what it has: nobody can publish then,
// and its last sequence may be an old one.
import type { StreamInfo } from '@nats-io/jetstream'
import type { Link } from '#shared/bus/nats/nats-link.ts'
import { BusError } from '#shared/bus/port.ts'

/**
 * Resolves with the state of the stream, and tells its readers the last sequence. Rejects with a BusError if the stream has no leader, and with
 * the error of the server.
 */
export async function ledStream({ manager, led }: Pick<Link, 'manager' | 'led'>, stream: string): Promise<StreamInfo> {
  const info = await manager.streams.info(stream)
  // A server without a cluster names none.
  if (info.cluster === undefined) return info
  if (!info.cluster.leader) throw new BusError('unavailable', `The stream ${stream} has no leader.`)
  led.tell(stream, info.state.last_seq)
  return info
}
