// The last results of a monitor's checks from all locations, one bar for each, oldest first. They are read again when the monitor changes.
import { useEffect, useMemo } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { Bars } from '../../charts/bars.tsx'
import { askV3 } from '../../data/api.ts'
import { counted } from '../../data/format.ts'
import { createLoaded } from '../../data/loaded.ts'
import { Shown } from '../../parts/loaded.tsx'
import { pathOfResource } from '../resource-path.ts'
import { barsOf, type Result } from './result-bars.ts'

const shownResults = 40

export function Results({ detail }: { detail: MonitorDetail }) {
  const path = pathOfResource(detail)
  const results = useMemo(
    () => createLoaded(() => askV3<readonly Result[]>('GET', `${path}/observations?limit=${shownResults}`)),
    [path],
  )
  useEffect(() => void results.reload(), [results, detail])
  return (
    <Shown of={results}>
      {found => {
        if (found.length === 0) return <p class="dim">Nothing has been checked yet.</p>
        return (
          <figure class="results">
            <Bars label={counted(found.length, 'result')} bars={barsOf(found, detail)} page={10} />
          </figure>
        )
      }}
    </Shown>
  )
}
