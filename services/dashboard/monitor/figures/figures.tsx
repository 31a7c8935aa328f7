// Chart of the response time by location. The page's address names the range.
import type { LatencyChart } from '#shared/contracts/session/session-charts.ts'
import { latency } from '../../data/format.ts'
import { OverTime } from './over-time.tsx'

export function Figures({ id, name }: { id: string; name: string }) {
  return (
    <OverTime<LatencyChart>
      path={`/session/monitors/${encodeURIComponent(id)}/latency?figures=count,p95&`}
      linesOf={(chart, pointsOf) => ({
        label: `95th percentile of ${chart.step_seconds < 3_600 ? '5 minutes' : chart.step_seconds < 86_400 ? 'an hour' : 'a day'}`,
        series: chart.series.map(({ location, location_id, figures }) => ({
          name: location ?? location_id,
          points: pointsOf(figures, 'p95'),
        })),
        write: latency,
        fileName: `${name} response time`,
      })}
    />
  )
}
