// A row of the list: state, name, reason, next deadline, start of the state, and figures.
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { serverNow } from '../data/clock.ts'
import { percent, valueWithUnit } from '../data/format.ts'
import { lazy } from '../parts/lazy.tsx'
import { Sign, StatusMark } from '../parts/status-mark.tsx'
import { Countdown, Since } from '../parts/time.tsx'
import { nextWords } from '../words/next.ts'
import { plainWords } from '../words/silence.ts'
import { figures } from './figures.ts'
import { cursor, selection } from './view.ts'

const EndNote = lazy(() => import('./end-note.tsx').then(it => it.EndNote))

interface RowProps {
  index: number
  row: MonitorRow | undefined
  onToggle(row: MonitorRow): void
}

export function Row({ index, row, onToggle }: RowProps) {
  if (row === undefined) return <WaitingRow index={index} />
  const isChosen = selection.has(row.id)
  const why = whyNotUp(row)
  const isTabStop = cursor.value === index || (cursor.value === -1 && index === 0)
  return (
    <tr class="row" data-index={index} data-chosen={isChosen} aria-rowindex={index + 2}>
      <td class="choose">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Choose ${row.name}`}
          checked={isChosen}
          onChange={() => onToggle(row)}
        />
      </td>
      <td class="state">
        <StatusMark state={row.status} />
      </td>
      <td class="name" colSpan={why === '' ? 2 : 1}>
        <a
          href={`/monitors/${row.id}`}
          tabIndex={isTabStop ? 0 : -1}
          title={row.watched === null ? row.name : `${row.name}: ${row.watched}`}
          dir="auto"
        >
          {row.name}
        </a>
        <Marks row={row} />
        <Ends id={row.id} />
        <span class="kind watched">{row.watched ?? row.template ?? 'reports'}</span>
      </td>
      {why !== '' && (
        <td class="why dim" title={why}>
          <span>{why}</span>
        </td>
      )}
      <td class="next">
        <Next row={row} />
      </td>
      <td class="since number">{row.since === null ? '–' : <Since at={Date.parse(row.since)} />}</td>
      <Figures id={row.id} />
    </tr>
  )
}

/** Returns why a monitor is not up: the cause before the explanation of its rule. Empty for a monitor that is up. */
const whyNotUp = ({ incident, why }: MonitorRow): string =>
  plainWords((incident === null ? why : (incident.cause ?? incident.explanation)) ?? '', serverNow())

function WaitingRow({ index }: { index: number }) {
  return (
    <tr class="row" data-index={index} aria-rowindex={index + 2}>
      <td colSpan={8} class="dim waiting">
        …
      </td>
    </tr>
  )
}

function Marks({ row }: { row: MonitorRow }) {
  const by = row.incident?.acknowledged?.by
  return (
    <>
      {by !== undefined && (
        <span class="mark" title={`Acknowledged by ${by}`}>
          <Sign tone="closed" />
          {row.incident?.next && <span class="hidden">, acknowledged by {by}</span>}
        </span>
      )}
      {row.maintenance_until !== null && (
        <span class="mark" title="In maintenance">
          <Sign tone="maintenance" />
          <span class="hidden">, in maintenance</span>
        </span>
      )}
      {row.incidents > 1 && <span class="kind">{row.incidents} incidents</span>}
    </>
  )
}

function Ends({ id }: { id: string }) {
  const ends = figures.value.get(id)?.ends
  return ends ? <EndNote ends={ends} /> : null
}

function Next({ row }: { row: MonitorRow }) {
  const { next, acknowledged } = row.incident ?? {}
  if (next) {
    return (
      <>
        {nextWords[next.what] ?? next.what} <Countdown at={Date.parse(next.at)} />
      </>
    )
  }
  if (acknowledged) return <>acknowledged by {acknowledged.by}</>
  if (row.maintenance_until === null) return null
  return (
    <>
      window ends in <Countdown at={Date.parse(row.maintenance_until)} />
    </>
  )
}

function Figures({ id }: { id: string }) {
  const figure = figures.value.get(id)
  return (
    <>
      <td class="p95 number">{valueWithUnit(figure?.p95 ?? null, figure?.unit ?? 'ms')}</td>
      <td class="uptime number">{percent(figure?.uptime_30d ?? null)}</td>
    </>
  )
}
