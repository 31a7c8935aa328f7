// Subjects and their parts as commands and reads return them, for all generations of the API. Instants in ms, those of observations in µs.

import type { IncidentCourse, IncidentStatus } from '#shared/contracts/incidents/incident.ts'
import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { SignalKind } from '#shared/contracts/subjects/signal.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject.ts'
import type { WebsiteCheck } from '#shared/contracts/subjects/website.ts'

export interface SubjectView {
  id: string
  rev: number
  workspaceId: string
  slug: string
  name: string
  kind: SubjectKind
  /** `website-check@1`, also for a website monitor that became a custom subject; null: a subject created as custom. */
  template: string | null
  /** Null: the subject has no check. */
  check: WebsiteCheck | null
  createdAt: number
  updatedAt: number
}

export interface WebsiteView extends SubjectView {
  check: WebsiteCheck
}

/** A subject with its signals and rules by creation, those of the website check first. */
export interface CustomSubjectView extends Omit<SubjectView, 'rev' | 'check' | 'updatedAt'> {
  signals: SignalView[]
  rules: RuleView[]
  /** The running window; null: none runs. */
  maintenance: WindowView | null
}

export interface CustomSubjectSummary extends Pick<SubjectView, 'id' | 'workspaceId' | 'slug' | 'name'> {
  signalCount: number
  ruleCount: number
}

export interface SignalView {
  slug: string
  name: string
  /** `platform_http`: the signal of a website check, whose slug is the subject's. */
  kind: SignalKind
  /** A JSON object as text, as the client sent it. */
  meta: string
}

export interface RuleView {
  slug: string
  name: string
  /** True for the built-in rule Reachability of a website monitor. */
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
