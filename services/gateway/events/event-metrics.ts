// Metrics of the gateway's event streams.
import { Counter, Gauge, type Registry } from 'prom-client'
import { registeredMetric } from '#shared/observability/registered-metric.ts'

export interface EventMetrics {
  open(streams: number): void
  /** Counts one sent text. `streams`: number of streams to which the text was written. */
  sent(streams: number): void
  /** Counts a stream that was closed because its reader was too slow. */
  cut(): void
}

export function createEventMetrics(registry: Registry): EventMetrics {
  const open = registeredMetric(
    registry,
    'watchkeeper_gateway_event_streams',
    name => new Gauge({ name, help: 'Event streams of browsers that are open', registers: [registry] }),
  )
  const sent = counter(registry, 'watchkeeper_gateway_event_writes_total', 'Texts of events written, one for each stream')
  const cut = counter(
    registry,
    'watchkeeper_gateway_event_streams_cut_total',
    'Event streams cut because their reader was too slow',
  )
  return { open: streams => open.set(streams), sent: streams => sent.inc(streams), cut: () => cut.inc() }
}

const counter = (registry: Registry, metric: string, help: string): Counter =>
  registeredMetric(registry, metric, name => new Counter({ name, help, registers: [registry] }))
