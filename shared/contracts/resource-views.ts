// A Resource as its keeper and the directory answer it (docs/reference/v3.md, section 6). Instants in ms.

import type { SubjectKind } from '#shared/contracts/subject.ts'
import type { WindowView } from '#shared/contracts/subject-views.ts'
import type { Answers, TemplateRoute } from '#shared/contracts/template.ts'
import type { WebsiteCheck } from '#shared/contracts/website.ts'

export interface ResourceView {
  id: string
  rev: number
  workspaceId: string
  key: string
  name: string
  kind: SubjectKind
  template: string | null
  /** Of a Resource of a published Template; null of others. */
  answers: Answers | null
  /** Of a website monitor; null of others. */
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
  /** The website's own reports no `no_data`. */
  isPlatform: boolean
}

/** `no_data`: its signals have reported, and it cannot decide. Null: none of them has. */
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

/** How one sent Observation was taken. */
export type ObservedResult =
  | { ok: true; signal: string; observation: string; createdSignal: boolean }
  | { ok: false; error: { code: string; message: string; details: string; facts?: { field?: string } } }
