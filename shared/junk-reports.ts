// Invalid reports of probers: counted by location, and logged once a minute for each with the first reason. A prober may send any number.
import { Counter } from 'prom-client'
import { registeredMetric } from '#shared/registered-metric.ts'
import { createSeldom } from '#shared/seldom.ts'
import type { Surroundings } from '#shared/service.ts'

export interface JunkReports {
  note(location: string, reason: string, count?: number): void
  /** Says what is not said yet. */
  stop(): void
}

/** Locations that are counted by themselves; more than there can be. */
const locationsMost = 1_000

/** Counts for one service, which names the metric. */
export function createJunkReports(
  service: 'directory' | 'keeper',
  { metrics, clock, logger }: Pick<Surroundings, 'metrics' | 'clock' | 'logger'>,
): JunkReports {
  const counter = registeredMetric(metrics, `watchkeeper_${service}_junk_reports_total`, name => {
    return new Counter({ name, help: 'Reports dropped that are none', labelNames: ['location'], registers: [metrics] })
  })
  const counted = new Set<string>()
  const seldom = createSeldom<string>(clock, (location, reason, count) =>
    logger.warn({ location, reason, count }, 'reports dropped that are none'),
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
