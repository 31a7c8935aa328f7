// Outlook of an open incident: its possible next transitions. The incident machine itself computes them. Pure.

import type { IncidentSnapshot, IncidentState, NextStep } from '#shared/contracts/incidents/incident.ts'
import { incidentMachine } from './incident.ts'
import type { IncidentEffect, IncidentEvent } from './incident-types.ts'
import { transition } from './transition.ts'

type Open = Pick<IncidentSnapshot, 'value' | 'context'>

/** A possible next transition. `at`: instant of the transition, ms since the epoch. */
export interface Step {
  event: IncidentEvent['type']
  at: number
  to: IncidentState
  orders: IncidentEffect[]
}

export interface IncidentOutlook {
  /** Transition that happens at the deadline if no report arrives before; null: no deadline is set, or the deadline changes nothing. */
  byTime: Step | null
  /** Transitions that a judgement would cause now: at most one for each verdict other than the present verdict. */
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
  const snapshot = restored(incident)
  return {
    byTime: stepByTime(snapshot, mutedTo),
    byReport: judged.flatMap(([type, verdict]) =>
      verdict === snapshot.context.condition ? [] : (stepBy(snapshot, { type, at: now, muted }) ?? []),
    ),
  }
}

/**
 * Returns the next step that time alone causes (v3 5.7); null: the incident stays unchanged until a report arrives. `isDecided`: true if
 * the incident's rule can decide now; false: delays are paused. `mutedTo`: end of the running maintenance window, ms; null: no window runs.
 */
export function nextStep(
  incident: Open,
  { isDecided, mutedTo }: { isDecided: boolean; mutedTo: number | null },
): NextStep | null {
  const step = stepByTime(restored(incident), mutedTo)
  if (step === null) return null
  const what = timed[step.event as Timed]
  return what === 'remind' || isDecided ? { what, at: step.at } : null
}

const restored = ({ value, context }: Open) => incidentMachine.resolveState({ value, context })

type Snapshot = ReturnType<typeof restored>

function stepByTime(snapshot: Snapshot, mutedTo: number | null): Step | null {
  for (const type of Object.keys(timed) as Timed[]) {
    const at = dueAt(snapshot, type, mutedTo)
    const step = at === null ? null : stepBy(snapshot, { type, at, muted: mutedTo !== null && at < mutedTo })
    if (step !== null) return step
  }
  return null
}

function stepBy(snapshot: Snapshot, event: IncidentEvent): Step | null {
  const [next, orders] = transition(incidentMachine, snapshot, event)
  const isOther = next.value !== snapshot.value || orders.length > 0
  return isOther ? { event: event.type, at: event.at, to: next.value, orders: orders as IncidentEffect[] } : null
}

function dueAt(snapshot: Snapshot, type: Timed, mutedTo: number | null): number | null {
  const { deadlineAt } = snapshot.context
  if (type !== 'reminder.due' || deadlineAt === null || mutedTo === null || deadlineAt >= mutedTo) return deadlineAt
  // The end instant is no part of the window, so a reminder that is due exactly at the end is sent. The last missed reminder is 1 ms
  // earlier.
  const missed = { type: 'reminder.missed', at: mutedTo - 1 } as const
  return transition(incidentMachine, snapshot, missed)[0].context.reminderAt
}
