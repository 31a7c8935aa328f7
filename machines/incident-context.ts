// The context of an incident: how it opens, when its running hold ends, and when its next reminder is due. Pure.
import type { IncidentContext } from '#shared/contracts/incident.ts'

/** What an incident is opened with. All instants in ms since the epoch. */
export interface IncidentInput {
  incidentId: string
  ruleKey: string
  at: number
  condition: 'problem' | 'no_data'
  confirmAfterMs: number
  closeAfterMs: number
}

/** The pause between reminders: fixed, counted from the confirmation (spec A, Events). */
const reminderMs = 4 * 3_600_000

/** Of a hold that begins. */
export const unpaused = { pausedAt: null, pausedMs: 0 }

/** When the running hold ends: the time that it stood still does not count. */
export function holdEnd(context: IncidentContext): number {
  if (context.wellSince !== null) return context.wellSince + context.pausedMs + context.closeAfterMs
  return (context.badSince ?? context.troubleSince) + context.pausedMs + context.confirmAfterMs
}

/** Of the actor without input that `transition.ts` makes of each machine and nobody starts. */
export const noInput: IncidentInput = {
  incidentId: '',
  ruleKey: '',
  at: 0,
  condition: 'problem',
  confirmAfterMs: 0,
  closeAfterMs: 0,
}

export function openContext(input: IncidentInput): IncidentContext {
  return {
    incidentId: input.incidentId,
    ruleKey: input.ruleKey,
    troubleSince: input.at,
    badSince: input.at,
    condition: input.condition,
    confirmedAt: null,
    wellSince: null,
    closedAt: null,
    closedReason: null,
    confirmAfterMs: input.confirmAfterMs,
    closeAfterMs: input.closeAfterMs,
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedVia: null,
    announced: 'nothing',
    problemHeld: false,
    ...unpaused,
    effectiveAt: input.at,
    deadlineAt: input.at + input.confirmAfterMs,
    reminderAt: null,
  }
}

/** The first reminder instant after `at`, on the grid that the confirmation began; null once acknowledged. */
export function nextReminder(context: IncidentContext, at: number): number | null {
  if (context.acknowledgedAt !== null || context.confirmedAt === null) return null
  const passed = Math.floor((at - context.confirmedAt) / reminderMs)
  return context.confirmedAt + (Math.max(0, passed) + 1) * reminderMs
}
