// Metrics of a prober. Owns their names. The labels of a metric are resolved once, not at every check, which saves time.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { registeredMetric } from '#shared/observability/registered-metric.ts'

export interface ProberMetrics {
  passed: { inc(): void }
  failed: { inc(): void }
  shed: { inc(): void }
  skipped: { inc(count?: number): void }
  dropped: { inc(count?: number): void }
  /** Time between a slot and the start of its check, s. */
  lateness: { observe(seconds: number): void }
  duration: { observe(seconds: number): void }
  monitors: { set(count: number): void }
  inFlight: { set(count: number): void }
  buffered: { set(count: number): void }
  unreadable: { set(count: number): void }
}

/** Returns the metrics of one prober. Several probers may share a registry, because their labels differ. */
export function createMetrics(registry: Registry, location: string, prober: string): ProberMetrics {
  const checks = registeredMetric(registry, 'watchkeeper_prober_checks_total', name => {
    return new Counter({ name, help: 'Checks made, by result', labelNames: ['location', 'result'], registers: [registry] })
  })
  const counter = (what: string, help: string) => {
    const counted = registeredMetric(
      registry,
      `watchkeeper_prober_${what}_total`,
      name => new Counter({ name, help, labelNames: ['location'], registers: [registry] }),
    ).labels(location)
    // A counter must exist from the start, so that a rate includes its first event.
    counted.inc(0)
    return counted
  }
  const gauge = (what: string, help: string) =>
    registeredMetric(
      registry,
      `watchkeeper_prober_${what}`,
      name => new Gauge({ name, help, labelNames: ['location', 'prober'], registers: [registry] }),
    ).labels(location, prober)
  const histogram = (what: string, help: string, buckets: number[]) => {
    const observed = registeredMetric(
      registry,
      `watchkeeper_prober_${what}_seconds`,
      name => new Histogram({ name, help, buckets, labelNames: ['location'], registers: [registry] }),
    )
    observed.zero({ location })
    return observed.labels(location)
  }
  return {
    passed: checks.labels(location, 'ok'),
    failed: checks.labels(location, 'failed'),
    shed: counter('shed', 'Due checks left out because the prober could not keep up'),
    skipped: counter('skipped', 'Slots passed over because the previous check still ran or the process was paused'),
    dropped: counter('dropped', 'Results dropped because the buffer was full while the bus was away'),
    lateness: histogram(
      'lateness',
      'Time between a slot and the start of its check',
      [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    ),
    duration: histogram('check_duration', 'Time that a check took', [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
    monitors: gauge('monitors', 'Monitors that this prober runs'),
    inFlight: gauge('checks_in_flight', 'Checks under way'),
    buffered: gauge('buffered_results', 'Results that the bus has not acknowledged'),
    unreadable: gauge(
      'unreadable_entries',
      'Check entries that are damaged or of a newer version, so that their monitors may not be checked',
    ),
  }
}
