// The figures of what the operator hears of.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Room } from '#shared/store/port.ts'
import type { Conditions } from './conditions.ts'

export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>

/** `room`: the disk as it was last looked at; null: unknown. */
export function createOperatorMetrics(registry: Registry, conditions: Conditions, room: () => Room | null) {
  const registers = [registry]
  new Gauge({
    name: 'watchkeeper_notifier_conditions',
    help: 'Conditions that hold (lost locations, keys about to end, a full disk, failing destinations, dead letters), by kind and name',
    labelNames: ['kind', 'name'],
    registers,
    collect() {
      this.reset()
      for (const { kind, name } of conditions.raised()) this.inc({ kind, name })
    },
  })
  new Gauge({
    name: 'watchkeeper_notifier_operator_unsent',
    help: 'Messages to the operator that wait to be taken',
    registers,
    collect() {
      this.set(conditions.all().reduce((sum, { unsent }) => sum + unsent.length, 0))
    },
  })
  const disk = (name: string, help: string, pick: (room: Room) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const known = room()
        this.set(known === null ? Number.NaN : pick(known))
      },
    })
  disk(
    'watchkeeper_notifier_store_free_bytes',
    'Free bytes of the disk under the store; NaN where it does not say',
    one => one.freeBytes,
  )
  disk('watchkeeper_notifier_store_bytes', 'Size of the disk under the store; NaN where it does not say', one => one.totalBytes)
  const messages = new Counter({
    name: 'watchkeeper_notifier_operator_messages_total',
    help: 'Attempts to send messages to the operator, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['delivered', 'retried', 'failed']) messages.inc({ outcome }, 0)
  return { messages }
}
