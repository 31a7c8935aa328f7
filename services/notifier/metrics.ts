// Metrics of the notifier.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Lanes } from './claim/lanes.ts'

const latencyBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200]

export type NotifierMetrics = ReturnType<typeof createMetrics>

export function createMetrics(registry: Registry, lanes: Lanes) {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('watchkeeper_notifier_in_flight', 'Deliveries claimed and on their way', () => lanes.running())
  gauge('watchkeeper_notifier_queued', 'Deliveries due that wait in memory for room', () => lanes.queued())
  const byOutcome = (name: string, help: string, label: string, values: readonly string[]) => {
    const counter = new Counter({ name, help, labelNames: [label], registers })
    // Present from the start: a rate counts the first one too.
    for (const value of values) counter.inc({ [label]: value }, 0)
    return counter
  }
  return {
    alerts: new Counter({ name: 'watchkeeper_notifier_alerts_total', help: 'Alerts dispatched', registers }),
    leftOut: new Counter({
      name: 'watchkeeper_notifier_unsent_alerts_total',
      help: 'Alerts that nobody was told about, by reason',
      labelNames: ['reason'],
      registers,
    }),
    attempts: byOutcome('watchkeeper_notifier_attempts_total', 'Attempts by result', 'result', [
      'delivered',
      'refused',
      'unreachable',
      'abandoned',
    ]),
    deliveries: byOutcome('watchkeeper_notifier_deliveries_total', 'Deliveries that ended, by outcome', 'outcome', [
      'delivered',
      'failed',
    ]),
    latency: new Histogram({
      name: 'watchkeeper_notifier_delivery_seconds',
      help: 'From the decision of an alert to its delivery',
      buckets: latencyBuckets,
      registers,
    }),
    tests: new Counter({
      name: 'watchkeeper_notifier_tests_total',
      help: 'Test messages by what came of them',
      labelNames: ['result'],
      registers,
    }),
    overtaken: new Counter({
      name: 'watchkeeper_notifier_overtaken_total',
      help: 'Claims or outcomes refused because another notifier was first',
      registers,
    }),
  }
}
