// Notes in the timeline what the installation says on its bus: every check as it is reported, every transition of the machine.
// It listens and sends nothing.
import { Compile } from 'typebox/compile'
import type { Bus } from '#shared/bus/port.ts'
import { parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { IncidentState } from '#shared/contracts/incidents/incident.ts'
import type { News } from '#shared/contracts/news.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Timeline } from './timeline.ts'

const results = Compile(CheckResult)

/** Resolves when both subscriptions are known to the server; they end with the connection. */
export async function watchInstallation(bus: Bus, now: () => number, timeline: Timeline): Promise<void> {
  await bus.subscribe(subjects.allObservations, ({ subject, body }) => {
    if (parseObservation(subject) !== null && results.Check(body)) timeline.note({ kind: 'check', at: now(), result: body })
  })
  const states = new Map<string, IncidentState>()
  await bus.subscribe(subjects.allStates, ({ body }) => {
    const news = body as News
    if (news.kind !== 'transition') return
    const { transition, incident } = news
    const from = states.get(transition.incidentId) ?? null
    states.set(transition.incidentId, transition.state as IncidentState)
    timeline.note({ kind: 'transition', at: now(), transition, incident, from })
  })
}
