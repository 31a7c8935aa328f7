// The page of a monitor. Shows state, open incidents, rules and signals. Sections below show charts, maintenance, the receivers of
// messages, and the monitor's past.
import { useEffect, useMemo } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { read } from '../data/api.ts'
import { takeFirst } from '../data/first.ts'
import { isClassic } from '../data/is-classic.ts'
import { createLoaded, type Loaded } from '../data/loaded.ts'
import { isSignedOut, may } from '../data/session.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { pageTitle } from '../data/title.ts'
import { enterWorkspaceOf } from '../data/workspace.ts'
import { addPageStyle } from '../parts/page-style.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { Figures } from './figures/figures.tsx'
import { ValueHistory } from './figures/value-history.tsx'
import { OpenIncidents } from './incidents/open-incidents.tsx'
import { chartTitle, isOfChecksAlone } from './known.ts'
import { Later } from './later.tsx'
import { AlertDelivery, EndActs, History, Log, Maintenance, Messages, Results, Runs, UptimeDays } from './lazy-parts.ts'
import style from './monitor.page.css'
import { MonitorHead } from './monitor-head.tsx'
import { Rules } from './rules.tsx'
import { Signals } from './signals.tsx'

addPageStyle(style)

/** Time in which events are collected, ms. One step of the keeper causes several events, which then cause only one request. */
const settleMs = 150

function Monitor({ params }: { params: Readonly<Record<string, string>> }) {
  const { id = '' } = params
  const monitor = useMemo(() => loadedMonitor(id), [id])
  useEffect(() => follow(id, monitor), [id, monitor])
  const detail = monitor.value.value
  const name = String(detail?.resource['name'] ?? 'Monitor')
  pageTitle.value = name
  if (detail === null) return <NotHere failure={monitor.failure.value} onRetry={() => void monitor.reload()} />
  const changed = () => void monitor.reload()
  return (
    <>
      <MonitorHead detail={detail} onChanged={changed} />
      <OpenIncidents detail={detail} />
      <div class="columns">
        <Rules detail={detail} />
        <Signals detail={detail} />
      </div>
      {hasSchedule(detail) && (
        <Later title="Runs">
          <Runs detail={detail} />
        </Later>
      )}
      {detail.values.length > 0 && (
        <>
          <Later title="Last results">
            <Results detail={detail} />
          </Later>
          <Later title={chartTitle(detail)} isTall>
            <Figures detail={detail} />
          </Later>
        </>
      )}
      {!isOfChecksAlone(detail) && (
        <Later title="Values" isTall>
          <ValueHistory detail={detail} />
        </Later>
      )}
      <Later title="Uptime">
        <UptimeDays detail={detail} />
      </Later>
      <Later title="Maintenance window">
        <Maintenance detail={detail} onChanged={changed} />
      </Later>
      {detail.row !== null && (
        <Later title="Who is notified">
          <AlertDelivery detail={detail} />
        </Later>
      )}
      <Later title="Incidents">
        <History detail={detail} />
      </Later>
      <Later title="Messages">
        <Messages detail={detail} />
      </Later>
      <Later title="Observation log">
        <Log detail={detail} />
      </Later>
      {may('editor') && detail.row !== null && (
        <Later title={`Archive${isClassic(detail) ? ' or delete' : ''}`}>
          <EndActs detail={detail} />
        </Later>
      )}
    </>
  )
}

/** Whether runs of a job are expected. */
const hasSchedule = ({ resource }: MonitorDetail): boolean =>
  ((resource['signals'] ?? []) as { kind: string }[]).some(({ kind }) => kind === 'schedule')

function NotHere({ failure, onRetry }: { failure: unknown; onRetry(): void }) {
  if (failure === null || isSignedOut.value) return <Loading />
  return <Failed page="monitor" error={failure} onRetry={onRetry} />
}

/** Returns the loaded monitor. Its first value is the data embedded in the page, if they belong to this monitor. */
function loadedMonitor(id: string): Loaded<MonitorDetail> {
  const first = takeFirst('monitor')
  const mine = first?.resource['id'] === id ? first : null
  return createLoaded(async () => {
    const detail = await read<MonitorDetail>(`/session/monitors/${encodeURIComponent(id)}`)
    enterWorkspaceOf(detail)
    return detail
  }, mine)
}

/** Reads the monitor unless its data are embedded in the page. Reads again after each event about the monitor. */
function follow(id: string, monitor: Loaded<MonitorDetail>): () => void {
  const reload = () => void monitor.reload()
  if (monitor.value.peek() === null) reload()
  const isWanted: IsWanted = (name, data) => {
    const { id: of, monitor: about } = data as { id?: unknown; monitor?: unknown }
    const isOfRow = (name === 'row' || name === 'gone') && of === id
    return name === 'reset' || name === 'opened' || isOfRow || (name !== 'reading' && about === id)
  }
  return onGatheredNews(settleMs, isWanted, reload)
}

export { Monitor as monitor }
