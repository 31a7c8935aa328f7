// Input, events and orders of the incident machine.
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { AcknowledgedVia, HistoryKind } from '#shared/contracts/incidents/incident.ts'

/** Input of a new incident. All instants in ms since the epoch. */
export interface IncidentInput {
  incidentId: string
  ruleKey: string
  at: number
  condition: 'problem' | 'no_data'
  confirmAfterMs: number
  closeAfterMs: number
  /** True for a Template's rule: the incident's opening and its acknowledgement are announced too (v3 10.3). */
  announcesAll?: boolean
  /** Whether a maintenance window runs at the opening. */
  muted?: boolean
}

/**
 * `muted`: a maintenance window runs, so problems and silences are not announced (reference/messages 2.5). Absent: no window runs.
 * `provisional`: the verdict would change if the silence that is held back counted. After a provisional verdict the machine's owner ends no
 * delay (ADR 22).
 */
export type IncidentEvent =
  | { type: 'problem.judged'; at: number; muted?: boolean }
  | { type: 'no_data.judged'; at: number }
  | { type: 'ok.judged'; at: number; provisional?: boolean }
  /** The confirmation delay ends while the rule is judged not ok. */
  | { type: 'hold.elapsed'; at: number; muted?: boolean }
  /** The recovery delay ends while the rule is judged ok. */
  | { type: 'recovery.elapsed'; at: number }
  /** The rule of a Template can no longer decide: the running delay pauses (v3 4.7). */
  | { type: 'unknown.judged'; at: number }
  /** The rule decides again, with the same verdict: the paused delay resumes. */
  | { type: 'known.judged'; at: number }
  | { type: 'reminder.due'; at: number; muted?: boolean }
  /** The instant of a reminder has passed without a reminder. The reminder is skipped, never sent late. */
  | { type: 'reminder.missed'; at: number }
  | { type: 'incident.acknowledged'; at: number; by: string; via: AcknowledgedVia }
  | { type: 'policy.replaced'; at: number; confirmAfterMs: number; closeAfterMs: number; provisional?: boolean }
  | { type: 'rule.removed'; at: number }
  | { type: 'subject.archived'; at: number }

/** Effect that the machine's owner carries out. `record`: store the transition in the history under this kind. */
export type IncidentEffect = { type: 'record'; params: { kind: HistoryKind } } | { type: 'announce'; params: Announcement }

/** Message about the incident. `held`: only recorded, not sent. */
export interface Announcement {
  kind: AlertKind
  reminder: boolean
  held: boolean
}
