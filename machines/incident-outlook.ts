// Outlook of an open incident: the effect of each event that may come next, computed by the machine itself. Pure.

import type { IncidentSnapshot, IncidentState, NextStep } from '#shared/contracts/incidents/incident.ts'
import { incidentMachine } from './incident.ts'
import type { IncidentEffect, IncidentEvent } from './incident-types.ts'
import { transition } from './transition.ts'

type Open = Pick<IncidentSnapshot, 'value' | 'context'>

/** A possible next step. `at`: ms since the epoch. */
export interface Step {
  event: IncidentEvent['type']
  at: number
  to: IncidentState
  orders: IncidentEffect[]
}

export interface IncidentOutlook {
  /** Step that time alone makes at the deadline; null: there is no deadline, or the deadline changes nothing. */
  byTime: Step | null
  /** Steps that a judgement would make now: one for each verdict except the present one. */
  byReport: Step[]
}

const timed = { 'hold.elapsed': 'confirm', 'recovery.elapsed': 'close', 'reminder.due': 'remind' } as const

type Timed = keyof typeof timed

const judged = [
  ['problem.judged', 'problem'],
  ['no_data.judged', 'no_data'],
  ['ok.judged', 'ok'],
] as const

/** Instants in ms since the epoch. `mutedTo`: the end of the running maintenance window; null: no window runs. */
export function incidentOutlook(incident: Open, now: number, mutedTo: number | null): IncidentOutlook {
  const muted = mutedTo !== null && now < mutedTo
  return {
    byTime: stepByTime(incident, mutedTo),
    byReport: judged.flatMap(([type, verdict]) =>
      verdict === incident.context.condition ? [] : (stepBy(incident, { type, at: now, muted }) ?? []),
    ),
  }
}

/**
 * Returns the next step by time alone (v3 5.7); null: without a report nothing happens to the incident. `isDecided`: the incident's rule
 * can decide now; otherwise delays are paused. `mutedTo`: as above.
 */
export function nextStep(
  incident: Open,
  { isDecided, mutedTo }: { isDecided: boolean; mutedTo: number | null },
): NextStep | null {
  const step = stepByTime(incident, mutedTo)
  if (step === null) return null
  const what = timed[step.event as Timed]
  return what === 'remind' || isDecided ? { what, at: step.at } : null
}

function stepByTime(incident: Open, mutedTo: number | null): Step | null {
  for (const type of Object.keys(timed) as Timed[]) {
    const at = dueAt(incident, type, mutedTo)
    const step = at === null ? null : stepBy(incident, { type, at, muted: mutedTo !== null && at < mutedTo })
    if (step !== null) return step
  }
  return null
}

function stepBy(incident: Open, event: IncidentEvent): Step | null {
  const [next, orders] = transition(incidentMachine, restored(incident), event)
  const isOther = next.value !== incident.value || orders.length > 0
  return isOther ? { event: event.type, at: event.at, to: next.value, orders: orders as IncidentEffect[] } : null
}

function dueAt(incident: Open, type: Timed, mutedTo: number | null): number | null {
  const { deadlineAt } = incident.context
  if (type !== 'reminder.due' || deadlineAt === null || mutedTo === null || deadlineAt >= mutedTo) return deadlineAt
  // The window excludes its end: the first reminder after the window is sent.
  const missed = { type: 'reminder.missed', at: mutedTo - 1 } as const
  return transition(incidentMachine, restored(incident), missed)[0].context.reminderAt
}

const restored = ({ value, context }: Open) => incidentMachine.resolveState({ value, context })
