// Chart of the values of checks by location, such as the response time. The page's address names the range.
import type { LatencyChart } from '#shared/contracts/session/session-charts.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { valueWithUnit } from '../../data/format.ts'
import { chartTitle } from '../known.ts'
import { pathOfResource } from '../resource-path.ts'
import { OverTime } from './over-time.tsx'

export function Figures({ detail }: { detail: MonitorDetail }) {
  const unit = detail.values[0]?.unit ?? 'ms'
  return (
    <OverTime<LatencyChart>
      path={`${pathOfResource(detail)}/latency?figures=count,p95&`}
      linesOf={(chart, pointsOf) => ({
        label: `95th percentile of ${chart.step_seconds < 3_600 ? '5 minutes' : chart.step_seconds < 86_400 ? 'an hour' : 'a day'}`,
        series: chart.series.map(({ location, location_id, figures }) => ({
          name: location ?? location_id,
          points: pointsOf(figures, 'p95'),
        })),
        write: value => valueWithUnit(value, unit),
        fileName: `${String(detail.resource['name'])} ${chartTitle(detail).toLowerCase()}`,
      })}
    />
  )
}
