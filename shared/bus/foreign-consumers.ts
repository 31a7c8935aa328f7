// Consumers on our streams that no process of ours made. A server keeps 1,000 a stream at most, so that whoever once could make some
// may have left no room for the readers without which nothing starts.
import type { ConsumerConfig, JetStreamManager } from '@nats-io/jetstream'
import { declaredStreams } from '#shared/bus/declarations.ts'
import { isReaderConfig } from '#shared/bus/nats-consumer.ts'
import { limits } from '#shared/limits.ts'

/** Removes them from all streams; returns how many there were. May be repeated, and run by several at once. Rejects if the bus does not answer. */
export async function removeForeignConsumers(manager: JetStreamManager): Promise<number> {
  let removed = 0
  for (const stream of declaredStreams) {
    const names: string[] = []
    for await (const { name, config } of manager.consumers.list(stream)) if (isForeign(config)) names.push(name)
    for (let start = 0; start < names.length; start += limits.bus.removedAtOnce) {
      const slice = names.slice(start, start + limits.bus.removedAtOnce)
      // One that is gone by now was removed by somebody else.
      await Promise.all(slice.map(name => manager.consumers.delete(stream, name).catch(() => undefined)))
    }
    removed += names.length
  }
  return removed
}

const isForeign = (config: ConsumerConfig): boolean => !isReaderConfig(config)
