// The open incidents of a monitor. Each incident has its own card, with rule, start, next deadline and machine.
import type { MonitorDetail, MonitorIncident } from '#shared/contracts/session/session-monitor.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { Countdown, Since } from '../../parts/time.tsx'
import { nextWords } from '../../words/next.ts'
import { inTone, stateOf } from '../../words/statuses.ts'
import { incidentWords } from '../../words/why.ts'
import { knownOf } from '../known.ts'
import { LastIncident } from './last-incident.tsx'
import { SmallMachine } from './small-machine.tsx'

export function OpenIncidents({ detail }: { detail: MonitorDetail }) {
  const open = detail.rules.flatMap(({ incident, ...rule }) => (incident ? [{ ...rule, incident }] : []))
  const known = knownOf(detail)
  if (open.length === 0) return <LastIncident detail={detail} />
  return (
    <section class="open-incidents" aria-label="Open incidents">
      {open.map(({ incident, ...rule }) => (
        <article key={incident.id} class="incident-card" style={inTone(stateOf(incident.state).tone)}>
          <h2>
            <StatusMark state={incident.state} /> <a href={`/incidents/${incident.id}`}>{rule.name}</a>
          </h2>
          <p>
            {incidentWords({ ...rule, incident }, known)} Trouble for <Since at={Date.parse(incident.trouble_since)} />.{' '}
            <Next incident={incident} />
          </p>
          <SmallMachine incident={incident} verdict={rule.verdict} />
        </article>
      ))}
    </section>
  )
}

function Next({ incident: { next, state } }: { incident: MonitorIncident }) {
  if (next === null)
    return <span class="dim">Nothing happens by time alone{state === 'pending' ? ' while the rule cannot decide' : ''}.</span>
  return (
    <>
      <b>Next:</b> {nextWords[next.what] ?? next.what} <Countdown at={Date.parse(next.at)} />.
    </>
  )
}
