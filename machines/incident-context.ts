// The context of an incident: how it opens, when its running hold ends, and when its next reminder is due; and its orders. Pure.
import type { AlertKind } from '#shared/contracts/alert.ts'
import type { HistoryKind, IncidentContext } from '#shared/contracts/incident.ts'

/** What an incident is opened with. All instants in ms since the epoch. */
export interface IncidentInput {
  incidentId: string
  ruleKey: string
  at: number
  condition: 'problem' | 'no_data'
  confirmAfterMs: number
  closeAfterMs: number
  /** True of a Template's rule: its opening and its acknowledgement are announced, too (docs/reference/v3.md, 10.3). */
  announcesAll?: boolean
  /** A maintenance window runs at the opening. */
  muted?: boolean
}

/** An order for the owner. `record`: the transition is kept in the history under this kind. */
export type IncidentEffect = { type: 'record'; params: { kind: HistoryKind } } | { type: 'announce'; params: Announcement }

/** `held`: kept in the records, sent to nobody. */
export interface Announcement {
  kind: AlertKind
  reminder: boolean
  held: boolean
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
    announcesAll: input.announcesAll === true,
    opening: openingOf(input),
    ...unpaused,
    effectiveAt: input.at,
    deadlineAt: input.at + input.confirmAfterMs,
    reminderAt: null,
  }
}

/** An incident without a confirmation delay is confirmed at once: its opening is no news of its own. */
function openingOf({ announcesAll = false, muted = false, confirmAfterMs }: IncidentInput): IncidentContext['opening'] {
  if (!announcesAll || confirmAfterMs === 0) return 'silent'
  return muted ? 'held' : 'announced'
}

/** The first reminder instant after `at`, on the grid that the confirmation began; null once acknowledged. */
export function nextReminder(context: IncidentContext, at: number): number | null {
  if (context.acknowledgedAt !== null || context.confirmedAt === null) return null
  const passed = Math.floor((at - context.confirmedAt) / reminderMs)
  return context.confirmedAt + (Math.max(0, passed) + 1) * reminderMs
}
