// Values of the signals that senders report: one signal at a time, with the thresholds or baselines of its rules.
import type { ComponentType } from 'preact'
import type { ValueChart } from '#shared/contracts/session/session-charts.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { query, setQuery } from '../../data/router.ts'
import type { OverTimeProps } from './over-time.tsx'
import { valueLines } from './values.ts'

interface ValueHistoryProps {
  detail: MonitorDetail
  /** The chart, which the page has loaded: an import of its own would cost the page one more request. */
  OverTime: ComponentType<OverTimeProps<ValueChart>>
}

export function ValueHistory({ detail, OverTime }: ValueHistoryProps) {
  const { resource, signals } = detail
  const declared = ((resource['signals'] ?? []) as { key: string }[]).map(({ key }) => key)
  const usual = signals.find(({ value }) => value !== null)?.signal ?? declared[0]
  const asked = query.value.get('signal')
  const signal = declared.find(key => key === asked) ?? usual
  if (signal === undefined) return <p class="dim">It has no signal yet.</p>
  const path = `/session/monitors/${encodeURIComponent(String(resource['id']))}/values`
  return (
    <>
      {declared.length > 1 && (
        <p class="acts">
          <label>
            Signal{' '}
            <select class="input choice" value={signal} onChange={event => setQuery({ signal: event.currentTarget.value })}>
              {declared.map(key => (
                <option key={key} value={key}>
                  {key}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      <OverTime
        key={signal}
        path={`${path}?signal=${encodeURIComponent(signal)}&figures=count,min,mean,max&`}
        linesOf={(chart, pointsOf) => valueLines(chart, pointsOf, `${String(resource['name'])} ${signal}`)}
      />
    </>
  )
}
