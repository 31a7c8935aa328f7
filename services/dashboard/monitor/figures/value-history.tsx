// Chart of the values that senders have reported on one signal, with the thresholds and baselines of the signal's rules.
import type { ValueChart } from '#shared/contracts/session/session-charts.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { query, setQuery } from '../../data/router.ts'
import { signalName } from '../../words/places.ts'
import { pathOfResource } from '../resource-path.ts'
import { declaredSignals } from '../signals.tsx'
import { OverTime } from './over-time.tsx'
import { valueLines } from './values.ts'

export function ValueHistory({ detail }: { detail: MonitorDetail }) {
  const { resource, signals, locations } = detail
  const declared = declaredSignals(detail)
  const usual = signals.find(({ value }) => value !== null)?.signal ?? declared[0]
  const asked = query.value.get('signal')
  const signal = declared.find(key => key === asked) ?? usual
  if (signal === undefined) return <p class="dim">It has no signal yet.</p>
  return (
    <>
      {declared.length > 1 && (
        <p class="acts">
          <label>
            Signal{' '}
            <select class="input choice" value={signal} onChange={event => setQuery({ signal: event.currentTarget.value })}>
              {declared.map(key => (
                <option key={key} value={key}>
                  {signalName(key, locations)}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      <OverTime<ValueChart>
        key={signal}
        path={`${pathOfResource(detail)}/values?signal=${encodeURIComponent(signal)}&figures=count,min,mean,max&`}
        linesOf={(chart, pointsOf) => valueLines(chart, pointsOf, `${String(resource['name'])} ${signal}`)}
      />
    </>
  )
}
