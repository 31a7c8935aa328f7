// Metrics of the conditions of the installation, and of messages to its operator.

import { Gauge, type Registry } from 'prom-client'
import type { Room } from '#shared/store/port.ts'
import { addGauge, labelledCounter } from '../metrics.ts'
import type { Conditions } from './conditions.ts'

export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>

/** `room` returns the latest state of the disk; null: unknown. */
export function createOperatorMetrics(registry: Registry, conditions: Conditions, room: () => Room | null) {
  new Gauge({
    name: 'watchkeeper_notifier_conditions',
    help: 'Conditions that hold (lost locations, keys about to end, a full disk, failing destinations, dead letters), by kind and name',
    labelNames: ['kind', 'name'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { kind, name } of conditions.raised()) this.inc({ kind, name })
    },
  })
  addGauge(registry, 'operator_unsent', 'Messages to the operator that wait to be taken', () =>
    conditions.all().reduce((sum, { unsent }) => sum + unsent.length, 0),
  )
  const freeBytes = () => room()?.freeBytes ?? Number.NaN
  addGauge(registry, 'store_free_bytes', 'Free bytes of the disk under the store; NaN where it does not say', freeBytes)
  const totalBytes = () => room()?.totalBytes ?? Number.NaN
  addGauge(registry, 'store_bytes', 'Size of the disk under the store; NaN where it does not say', totalBytes)
  const outcomes = ['delivered', 'retried', 'failed']
  const help = 'Attempts to send messages to the operator, by outcome'
  return { messages: labelledCounter(registry, 'operator_messages_total', help, 'outcome', outcomes) }
}
