// Metric of the live probers of each location, by the location's name.
import { Gauge, type Registry } from 'prom-client'
import type { LocationDocument } from '#shared/contracts/account.ts'
import { limits } from '#shared/limits/limits.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import type { Store } from '#shared/store/port.ts'

/**
 * Registers the metric. Each scrape reads the names of the locations; if the store is unavailable, it uses the names that the previous
 * scrape read.
 */
export function measureLiveProbers(registry: Registry, store: Store, activeWorkers: (locationId: string) => number): void {
  let locations: readonly LocationDocument[] = []
  registeredMetric(
    registry,
    'watchkeeper_directory_live_probers',
    name =>
      new Gauge({
        name,
        help: 'Live probers of each location',
        labelNames: ['location'],
        registers: [registry],
        async collect() {
          locations = await store.find('locations', { limit: limits.directory.listed }).catch(() => locations)
          this.reset()
          for (const location of locations) this.set({ location: location.name }, activeWorkers(location.id))
        },
      }),
  )
}
