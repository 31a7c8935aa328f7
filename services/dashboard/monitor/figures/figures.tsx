// Chart of the response time by location. The page's address names the range.
import type { LatencyChart } from '#shared/contracts/session/session-charts.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { latency } from '../../data/format.ts'
import { pathOfResource } from '../resource-path.ts'
import { OverTime } from './over-time.tsx'

export function Figures({ detail }: { detail: MonitorDetail }) {
  return (
    <OverTime<LatencyChart>
      path={`${pathOfResource(detail)}/latency?figures=count,p95&`}
      linesOf={(chart, pointsOf) => ({
        label: `95th percentile of ${chart.step_seconds < 3_600 ? '5 minutes' : chart.step_seconds < 86_400 ? 'an hour' : 'a day'}`,
        series: chart.series.map(({ location, location_id, figures }) => ({
          name: location ?? location_id,
          points: pointsOf(figures, 'p95'),
        })),
        write: latency,
        fileName: `${String(detail.resource['name'])} response time`,
      })}
    />
  )
}
