// Invalid reports of probers: counted by location, and logged at most once a minute for each location, with the first reason. A faulty
// prober may send any number of them.
import { Counter } from 'prom-client'
import { createSeldom } from '#shared/async/seldom.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import type { ServiceContext } from '#shared/service.ts'

export interface JunkReports {
  note(location: string, reason: string, count?: number): void
  /** Logs the counts that are not logged yet. */
  stop(): void
}

/** Maximum of locations with separate counts: more than an installation can have. */
const locationsMost = 1_000

/** Creates the counts of one service, whose name is part of the metric. */
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
