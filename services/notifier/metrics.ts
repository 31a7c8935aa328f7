// Metrics of the notifier.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Lanes } from './claim/lanes.ts'

const latencyBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200]

/** Registers a gauge whose value is read at each request for the metrics. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: `watchkeeper_notifier_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}

/** Returns a counter with a label. The counter exists from the start for each of `values`, so that a rate includes the first increment. */
export function labelledCounter(registry: Registry, name: string, help: string, label: string, values: readonly string[] = []) {
  const counter = new Counter({ name: `watchkeeper_notifier_${name}`, help, labelNames: [label], registers: [registry] })
  for (const value of values) counter.inc({ [label]: value }, 0)
  return counter
}

export type NotifierMetrics = ReturnType<typeof createMetrics>

export function createMetrics(registry: Registry, lanes: Lanes) {
  const registers = [registry]
  const results = ['delivered', 'refused', 'unreachable', 'abandoned']
  const outcomes = ['delivered', 'failed']
  addGauge(registry, 'in_flight', 'Deliveries claimed and on their way', () => lanes.running)
  addGauge(registry, 'queued', 'Deliveries due that wait in memory for room', () => lanes.queued)
  return {
    alerts: new Counter({ name: 'watchkeeper_notifier_alerts_total', help: 'Alerts dispatched', registers }),
    leftOut: labelledCounter(registry, 'unsent_alerts_total', 'Alerts that were sent to nobody, by reason', 'reason'),
    attempts: labelledCounter(registry, 'attempts_total', 'Attempts by result', 'result', results),
    deliveries: labelledCounter(registry, 'deliveries_total', 'Deliveries that ended, by outcome', 'outcome', outcomes),
    latency: new Histogram({
      name: 'watchkeeper_notifier_delivery_seconds',
      help: 'From the decision of an alert to its delivery',
      buckets: latencyBuckets,
      registers,
    }),
    tests: labelledCounter(registry, 'tests_total', 'Test messages by result', 'result'),
    overtaken: new Counter({
      name: 'watchkeeper_notifier_overtaken_total',
      help: 'Claims or outcomes refused because another notifier was first',
      registers,
    }),
  }
}
