// The newest incident of a monitor that has no open incident. A message's link to an incident leads to this part of the page when the
// incident has closed.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { now } from '../../data/clock.ts'
import { sentence } from '../../data/format.ts'
import { Time } from '../../parts/time.tsx'
import { lasted, stateWords } from '../../words/incident.ts'
import { plainWords } from '../../words/silence.ts'

export function LastIncident({ detail: { last_incident: last, rules } }: { detail: MonitorDetail }) {
  if (last === null) return null
  const name = rules.find(({ key }) => key === last.rule)?.name ?? last.rule
  return (
    <p>
      Last incident: <a href={`/incidents/${last.id}`}>{name}</a>, <Time at={Date.parse(last.opened_at)} isLong />.{' '}
      {last.cause !== null && `${sentence(plainWords(last.cause, now.value))} `}
      {stateWords(last)}
      {last.closed_at !== null && ` after ${lasted(last)}`}.
    </p>
  )
}
