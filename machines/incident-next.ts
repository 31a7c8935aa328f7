// Next step of an open incident by time alone, computed by the machine itself (v3 5.7). Pure.
import type { IncidentSnapshot, NextStep } from '#shared/contracts/incidents/incident.ts'
import { incidentMachine } from './incident.ts'
import type { IncidentEvent } from './incident-types.ts'
import { transition } from './transition.ts'

interface Outlook {
  /** Whether the incident's rule can decide now; if not, no delay ends. */
  isDecided: boolean
  /** End of the running maintenance window, ms, before which no reminder is sent; null: no window runs. */
  mutedTo: number | null
}

const timed = [
  ['hold.elapsed', 'confirm'],
  ['recovery.elapsed', 'close'],
  ['reminder.due', 'remind'],
] as const

/** Returns the next step; null: without a report nothing happens to the incident. */
export function nextStep(
  { value, context }: Pick<IncidentSnapshot, 'value' | 'context'>,
  { isDecided, mutedTo }: Outlook,
): NextStep | null {
  const snapshot = incidentMachine.resolveState({ value, context })
  const moved = (event: IncidentEvent) => transition(incidentMachine, snapshot, event)
  const { deadlineAt: at } = context
  if (at === null) return null
  const step = timed.find(([type]) => moved({ type, at })[1].length > 0)
  if (step === undefined) return null
  const [, what] = step
  if (what !== 'remind') return isDecided ? { what, at } : null
  if (mutedTo === null || at >= mutedTo) return { what, at }
  // The window excludes its end.
  const { reminderAt } = moved({ type: 'reminder.missed', at: mutedTo - 1 })[0].context
  return reminderAt === null ? null : { what, at: reminderAt }
}
