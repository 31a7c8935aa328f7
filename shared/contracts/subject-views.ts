// Subjects and their parts as commands and reads answer them: what the dialects need, instants in ms (observations: µs).

import type { IncidentStatus } from '#shared/contracts/incident.ts'
import type { Policy } from '#shared/contracts/policy.ts'
import type { SignalKind } from '#shared/contracts/signal.ts'
import type { SubjectKind } from '#shared/contracts/subject.ts'
import type { WebsiteCheck } from '#shared/contracts/website.ts'

export interface SubjectView {
  id: string
  rev: number
  workspaceId: string
  slug: string
  name: string
  kind: SubjectKind
  /** `website-check@1`, also of a website monitor that became custom; null for a subject made by hand. */
  template: string | null
  /** Null where nothing is checked: a subject made by hand. */
  check: WebsiteCheck | null
  createdAt: number
  updatedAt: number
}

export interface WebsiteView extends SubjectView {
  check: WebsiteCheck
}

/** A subject with its signals and rules, in the order in which they were made; the platform's own first. */
export interface CustomSubjectView {
  id: string
  workspaceId: string
  slug: string
  name: string
  kind: SubjectKind
  template: string | null
  signals: SignalView[]
  rules: RuleView[]
  /** The running window; null while none runs. */
  maintenance: WindowView | null
  createdAt: number
}

export interface CustomSubjectSummary {
  id: string
  workspaceId: string
  slug: string
  name: string
  signalCount: number
  ruleCount: number
}

export interface SignalView {
  slug: string
  name: string
  /** `platform_http` is website monitoring's own: its slug is the subject's. */
  kind: SignalKind
  /** A JSON object as text, as it was sent. */
  meta: string
}

export interface RuleView {
  slug: string
  name: string
  /** True for the Reachability rule that website monitoring maintains. */
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

export interface WindowView {
  startedAt: number
  endsAt: number
  cancelledAt: number | null
  /** Display name of who started it. */
  by: string
}

export interface AcknowledgementView {
  incidentId: string
  ruleSlug: string
  status: IncidentStatus
  acknowledgedAt: number
  acknowledgedBy: string
  /** True when this call wrote the acknowledgement. */
  recorded: boolean
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  closedAt: number | null
}
