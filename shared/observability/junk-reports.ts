// Invalid reports of probers. A faulty prober may send any number of invalid reports. So invalid reports are counted by location. A
// location has at most one log line a minute, with the reason of the first invalid report.
import { Counter } from 'prom-client'
import { createSeldom } from '#shared/async/seldom.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import type { ServiceContext } from '#shared/service.ts'

export interface JunkReports {
  note(location: string, reason: string, count?: number): void
  /** Logs the counts that are not logged yet. */
  stop(): void
}

/** Largest number of locations with counts of their own. An installation cannot have so many locations. */
const locationsMost = 1_000

/** Creates the counts of one service. The service's name is part of the metric's name. */
export function createJunkReports(
  service: 'directory' | 'keeper',
  { metrics, clock, logger }: Pick<ServiceContext, 'metrics' | 'clock' | 'logger'>,
): JunkReports {
  const counter = registeredMetric(metrics, `watchkeeper_${service}_junk_reports_total`, name => {
    return new Counter({ name, help: 'Invalid reports dropped', labelNames: ['location'], registers: [metrics] })
  })
  const counted = new Set<string>()
  const seldom = createSeldom<string>(clock, (location, reason, count) =>
    logger.warn({ location, reason, count }, 'invalid reports dropped'),
  )
  return {
    note: (named, reason, count = 1) => {
      const location = counted.has(named) || counted.size < locationsMost ? named : 'others'
      counted.add(location)
      counter.inc({ location }, count)
      seldom.note(location, reason, count)
    },
    stop: seldom.stop,
  }
}
