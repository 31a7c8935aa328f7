// Removal of consumers that no process of the installation created. A server has at most 1,000 consumers per stream, so foreign ones may
// leave no room for the readers that every start needs.
import type { ConsumerConfig, JetStreamManager } from '@nats-io/jetstream'
import { declaredStreams } from '#shared/bus/declarations.ts'
import { isReaderConfig } from '#shared/bus/nats/nats-consumer.ts'
import { limits } from '#shared/limits/limits.ts'

/** Removes foreign consumers from all streams; returns their number. May be repeated. Rejects if the bus does not respond. */
export async function removeForeignConsumers(manager: JetStreamManager): Promise<number> {
  let removed = 0
  for (const stream of declaredStreams) {
    const names: string[] = []
    for await (const { name, config } of manager.consumers.list(stream)) if (isForeign(config)) names.push(name)
    for (let start = 0; start < names.length; start += limits.bus.removedAtOnce) {
      const slice = names.slice(start, start + limits.bus.removedAtOnce)
      // A missing consumer was removed by another process.
      await Promise.all(slice.map(name => manager.consumers.delete(stream, name).catch(() => undefined)))
    }
    removed += names.length
  }
  return removed
}

const isForeign = (config: ConsumerConfig): boolean => !isReaderConfig(config)
