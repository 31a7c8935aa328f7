// A Resource as its keeper and the directory return it (docs/reference/v3.md, section 6). Instants in ms.

import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import type { Answers, TemplateRoute } from '#shared/contracts/resources/template.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject.ts'
import type { WebsiteCheck } from '#shared/contracts/subjects/website.ts'

export interface ResourceView {
  id: string
  rev: number
  workspaceId: string
  key: string
  name: string
  kind: SubjectKind
  template: string | null
  /** The Resource's answers to the fields of a published Template; null: another kind of subject. */
  answers: Answers | null
  /** Check of a website monitor; null: another kind of subject. */
  check: WebsiteCheck | null
  labels: Record<string, string>
  createdAt: number
  archivedAt: number | null
  signals: ResourceSignalView[]
  rules: ResourceRuleView[]
  maintenance: WindowView | null
}

export interface ResourceSignalView {
  id: string
  key: string
  kind: 'heartbeat' | 'periodic' | 'event'
  /** True for the signal of a website check, which never has the state `no_data`. */
  isPlatform: boolean
}

/** `no_data`: the rule's signals have reported, but the rule cannot decide. Null: none of its signals has reported. */
export type RuleStatus = 'problem' | 'ok' | 'no_data' | null

export interface ResourceRuleView {
  key: string
  signals: string[]
  status: RuleStatus
  explanation: string | null
  since: number | null
  /** Internal id; null: none. */
  openIncident: string | null
  standing: 'unconfirmed' | 'problem' | 'no_data' | 'recovering' | null
  action: string | null
  destination: string | null
  routes: TemplateRoute[] | null
}

/** Outcome of one sent Observation. */
export type ObservedResult =
  | { ok: true; signal: string; observation: string; createdSignal: boolean }
  | { ok: false; error: { code: string; message: string; details: string; facts?: { field?: string } } }
