// Subjects and their parts as commands and reads return them, for all generations of the API. Instants in ms; instants of observations in
// µs.

import type { IncidentCourse, IncidentStatus } from '#shared/contracts/incidents/incident.ts'
import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { SignalKind } from '#shared/contracts/subjects/signal.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject-kind.ts'

export interface SubjectView {
  id: string
  rev: number
  workspaceId: string
  slug: string
  name: string
  kind: SubjectKind
  /**
   * `key@version` of the Template. A monitor with a check keeps it if it becomes a custom subject. Null: the subject was created as a custom
   * subject.
   */
  template: string | null
  /** The check that probers execute; null: the subject has no check. */
  check: StoredCheck | null
  createdAt: number
  updatedAt: number
}

export interface WebsiteView extends SubjectView {
  check: StoredCheck
}

/**
 * A subject with its signals and rules. The signal and the rule of the website check come first, the others in the order of their creation.
 */
export interface CustomSubjectView extends Omit<SubjectView, 'rev' | 'check' | 'updatedAt'> {
  signals: SignalView[]
  rules: RuleView[]
  /** The running maintenance window; null: no window is running. */
  maintenance: WindowView | null
}

export interface CustomSubjectSummary extends Pick<SubjectView, 'id' | 'workspaceId' | 'slug' | 'name'> {
  signalCount: number
  ruleCount: number
}

export interface SignalView {
  slug: string
  name: string
  /** `platform_http`: the signal of a website check, which has the slug of the subject. */
  kind: SignalKind
  /** A JSON object as text, as the client sent it. */
  meta: string
}

export interface RuleView {
  slug: string
  name: string
  /** True for the built-in rule `Reachability` of a website monitor. */
  builtIn: boolean
  policyVersion: number
  policy: Policy
}

export interface ObservationView {
  observedAtUs: number
  receivedAtUs: number
  status: 'ok' | 'problem'
  value: number | null
  error: string
  labels: Record<string, string>
  accepted: boolean
  rejectReason: RejectReason
}

export type RejectReason = 'accepted' | 'clock_skew' | 'late' | 'out_of_order' | 'out_of_retention'

export interface AcknowledgementView extends IncidentCourse {
  incidentId: string
  ruleSlug: string
  status: IncidentStatus
  acknowledgedAt: number
  acknowledgedBy: string
  /** True if this call recorded the acknowledgement. */
  recorded: boolean
}
