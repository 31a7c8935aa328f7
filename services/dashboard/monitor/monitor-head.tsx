// The head of a monitor's page: the monitor's state with start and reason, the next transition, and the actions on the monitor.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../data/clock.ts'
import { sentence } from '../data/format.ts'
import { go } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'
import { openIncidents } from '../monitors/open-incidents.ts'
import { ActButtons, useActs } from '../monitors/use-acts.tsx'
import { ButtonLink } from '../parts/button.tsx'
import { useKeys } from '../parts/keys/keys.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { Countdown, Since, Time } from '../parts/time.tsx'
import { nextWords } from '../words/next.ts'
import { plainWords } from '../words/silence.ts'
import { incidentWords } from '../words/why.ts'
import { knownOf } from './known.ts'
import { Ends } from './lazy-parts.ts'

interface Props {
  detail: MonitorDetail
  /** Called after an action on the monitor. */
  onChanged(): void
}

export function MonitorHead({ detail, onChanged }: Props) {
  const { row, resource, values } = detail
  const name = String(resource['name'])
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a>
      </p>
      <div class="monitor-head">
        <h1 dir="auto">{name}</h1>
        {row === null ? <span class="dim">Archived</span> : <StatusMark state={row.status} />}
        {row?.maintenance_until != null && <StatusMark state="maintenance" />}
        {row?.since != null && (
          <span class="dim">
            for <Since at={Date.parse(row.since)} />
          </span>
        )}
        {row !== null && <Acts detail={detail} onChanged={onChanged} />}
      </div>
      {row?.watched != null && <p class="dim watched">{row.watched}</p>}
      {row !== null && values.some(({ ends }) => ends !== null) && <Ends detail={detail} />}
      <Why detail={detail} />
    </>
  )
}

function Why({ detail }: { detail: MonitorDetail }) {
  const { row } = detail
  if (row === null) return <p class="dim">An archived monitor is not judged. Its history stays.</p>
  const next = row.incident?.next
  return (
    <p class="why-now" aria-live={row.status === 'unknown' ? 'polite' : undefined}>
      <span>{whyNotUp(detail)} </span>
      {next != null && (
        <span>
          <b>Next:</b> {nextWords[next.what] ?? next.what} <Countdown at={Date.parse(next.at)} />.{' '}
        </span>
      )}
      {row.incident?.acknowledged != null && (
        <span>
          Acknowledged by {row.incident.acknowledged.by} at <Time at={Date.parse(row.incident.acknowledged.at)} />.{' '}
        </span>
      )}
      {row.maintenance_until !== null && (
        <span>
          Messages are held back; maintenance ends in <Countdown at={Date.parse(row.maintenance_until)} />.
        </span>
      )}
    </p>
  )
}

/** Returns why the monitor is not up: the words about its worst incident, else those of its row. Empty if nothing is wrong. */
function whyNotUp(detail: MonitorDetail): string {
  const { row, rules } = detail
  if (row?.incident == null) return row?.why == null ? '' : sentence(plainWords(row.why, now.value))
  const rule = rules.find(({ incident }) => incident?.id === row.incident?.id)
  return (rule && incidentWords(rule, knownOf(detail))) ?? sentence(row.incident.explanation)
}

function Acts({ detail: { row, kind }, onChanged }: Props) {
  const { begin, dialog } = useActs({ rows: () => (row === null ? [] : [row]), onDone: onChanged })
  const mayEdit = may('editor') && kind !== 'custom'
  const edit = pathTo('editMonitor', { id: row?.id ?? '' })
  useKeys(mayEdit ? [{ key: 'e', words: 'Edit', run: () => go(edit) }] : [])
  return (
    <div class="acts head-acts">
      <ActButtons begin={begin} canTake={row !== null && openIncidents([row]).length > 0} look="main" />
      {mayEdit && <ButtonLink href={edit}>Edit</ButtonLink>}
      {dialog}
    </div>
  )
}
