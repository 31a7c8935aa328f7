// The possible next transitions of an incident, by the deadline and by other verdicts. A replay shows the transition that followed.
import type { OutlookStep } from '#shared/contracts/session/session-incidents.ts'
import { now } from '../data/clock.ts'
import { isSameDay } from '../data/format.ts'
import { Countdown, Time } from '../parts/time.tsx'
import { byReportWords, byTimeWords, happenedNext } from './next.ts'
import type { IncidentPage } from './page-state.ts'

export function WhatNext({ page }: { page: IncidentPage }) {
  const moment = page.moment.value
  if (moment === null) return null
  const { record, index, isLive } = moment
  return (
    <section aria-labelledby="next">
      <h2 id="next">{isLive ? 'What happens next' : 'What happened next'}</h2>
      {isLive ? <Next page={page} /> : <p>{happenedNext(record, page.records.all.value[index + 1])}</p>}
    </section>
  )
}

function Next({ page }: { page: IncidentPage }) {
  const outlook = page.records.latest.value?.outlook ?? null
  if (outlook === null) return <p>Nothing: it is over.</p>
  const { by_time: step, by_report: others } = outlook
  const isConfirmed = page.incident.value.value?.confirmed_at != null
  return (
    <>
      {step === null ? <p>Nothing by time alone: the next verdict decides.</p> : <ByTime step={step} />}
      <ul class="plain">
        {others.map(other => (
          <li key={other.event}>{byReportWords(other, isConfirmed)}</li>
        ))}
      </ul>
    </>
  )
}

function ByTime({ step }: { step: OutlookStep }) {
  const at = Date.parse(step.at)
  const isToday = isSameDay(at, now.value)
  return (
    <p>
      <strong>
        {isToday ? 'At' : 'On'} <Time at={at} isLong={!isToday} />
      </strong>{' '}
      (in <Countdown at={at} />) {byTimeWords(step)}.
    </p>
  )
}
