// Outlook of an open incident: the effect of each event that may come next, computed by the machine itself. Pure.
import type { IncidentSnapshot, IncidentState } from '#shared/contracts/incidents/incident.ts'
import { incidentMachine } from './incident.ts'
import type { IncidentEffect, IncidentEvent } from './incident-types.ts'
import { transition } from './transition.ts'

/** A possible next step. `at`: ms since the epoch. */
export interface Step {
  event: IncidentEvent['type']
  at: number
  to: IncidentState
  orders: IncidentEffect[]
}

export interface IncidentOutlook {
  /** Step by time alone, at the deadline; null: nothing is due, or no delay runs. */
  byTime: Step | null
  /** Steps by the next judgement if it happened now: one for each verdict other than the present verdict. */
  byReport: Step[]
}

const timed = ['hold.elapsed', 'recovery.elapsed', 'reminder.due'] as const
const judged = [
  ['problem.judged', 'problem'],
  ['no_data.judged', 'no_data'],
  ['ok.judged', 'ok'],
] as const

/** Instants in ms since the epoch. `mutedTo`: the end of the running maintenance window; null: no window runs. */
export function incidentOutlook(
  { value, context }: Pick<IncidentSnapshot, 'value' | 'context'>,
  now: number,
  mutedTo: number | null,
): IncidentOutlook {
  const snapshot = incidentMachine.resolveState({ value, context })
  const mutedAt = (at: number) => mutedTo !== null && at < mutedTo
  const stepBy = (event: IncidentEvent): Step | null => {
    const [next, orders] = transition(incidentMachine, snapshot, event)
    const isOther = next.value !== value || orders.length > 0
    return isOther ? { event: event.type, at: event.at, to: next.value, orders: orders as IncidentEffect[] } : null
  }
  const dueAt = (type: (typeof timed)[number]): number | null => {
    const { deadlineAt } = context
    if (type !== 'reminder.due' || deadlineAt === null || mutedTo === null || deadlineAt >= mutedTo) return deadlineAt
    // The window excludes its end: the first reminder after the window is sent.
    const missed = { type: 'reminder.missed', at: mutedTo - 1 } as const
    return transition(incidentMachine, snapshot, missed)[0].context.reminderAt
  }
  const due = timed.map(type => {
    const at = dueAt(type)
    return at === null ? null : stepBy({ type, at, muted: mutedAt(at) })
  })
  return {
    byTime: due.find(step => step !== null) ?? null,
    byReport: judged.flatMap(([type, verdict]) =>
      verdict === context.condition ? [] : (stepBy({ type, at: now, muted: mutedAt(now) }) ?? []),
    ),
  }
}
