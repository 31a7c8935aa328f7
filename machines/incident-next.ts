// The next step that time alone makes in an open incident, asked of the machine itself. Pure. Rule: docs/reference/v3.md, 5.7.
import type { IncidentSnapshot, NextStep } from '#shared/contracts/incident.ts'
import { type IncidentEvent, incidentMachine } from './incident.ts'
import { transition } from './transition.ts'

interface Outlook {
  /** Whether its rule can decide now; if not, no hold comes to its end. */
  isDecided: boolean
  /** The end of the running maintenance window, ms, before which no reminder is sent; null: none runs. */
  mutedTo: number | null
}

const timed = [
  ['hold.elapsed', 'confirm'],
  ['recovery.elapsed', 'close'],
  ['reminder.due', 'remind'],
] as const

/** Null if nothing happens to it without a report. */
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
  // The window's end belongs to it no more.
  const { reminderAt } = moved({ type: 'reminder.missed', at: mutedTo - 1 })[0].context
  return reminderAt === null ? null : { what, at: reminderAt }
}
