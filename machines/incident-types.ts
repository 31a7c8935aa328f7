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
  /** True if a maintenance window runs at the opening. */
  muted?: boolean
}

/**
 * `muted`: true if a maintenance window runs, so that problems and silences are not announced (reference/messages 2.5).
 * `provisional`: true if silence does not count yet, and the verdict would differ if silence counted. After a provisional verdict, the
 * machine's owner sends no event that ends a delay (ADR 22).
 */
export type IncidentEvent =
  | { type: 'problem.judged'; at: number; muted?: boolean }
  | { type: 'no_data.judged'; at: number }
  /** `flapsUntil`: the rule is flapping, and the recovery ends at this instant at the earliest. */
  | { type: 'ok.judged'; at: number; provisional?: boolean; flapsUntil?: number }
  /** With the change of the verdict that was judged just now, the rule is flapping (v3 4.14). */
  | { type: 'flapping.counted'; at: number; muted?: boolean }
  /** The confirmation delay has ended, and the rule is still judged not ok. */
  | { type: 'hold.elapsed'; at: number; muted?: boolean }
  /** The recovery delay has ended, and the rule is still judged ok. */
  | { type: 'recovery.elapsed'; at: number }
  /** The rule of a Template can no longer decide: the running delay pauses (v3 4.7). */
  | { type: 'unknown.judged'; at: number }
  /** The rule decides again, with the same verdict: the paused delay resumes. */
  | { type: 'known.judged'; at: number }
  | { type: 'reminder.due'; at: number; muted?: boolean }
  /** A reminder was due and was not sent. The reminder is skipped, never sent late. */
  | { type: 'reminder.missed'; at: number }
  | { type: 'incident.acknowledged'; at: number; by: string; via: AcknowledgedVia }
  | { type: 'policy.replaced'; at: number; confirmAfterMs: number; closeAfterMs: number; provisional?: boolean }
  | { type: 'rule.removed'; at: number }
  | { type: 'subject.archived'; at: number }

/**
 * Effect that the machine's owner carries out. `record` stores the transition in the incident's history as an entry of this kind.
 * `announce` sends a message.
 */
export type IncidentEffect = { type: 'record'; params: { kind: HistoryKind } } | { type: 'announce'; params: Announcement }

/** Message about the incident. `held`: the message is recorded but not sent. */
export interface Announcement {
  kind: AlertKind
  reminder: boolean
  held: boolean
}
