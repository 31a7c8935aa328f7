// A Resource as its keeper and the directory return it (docs/reference/v3.md, section 6). Instants in ms.

import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import type { Answers, TemplateRoute, TemplateSignal } from '#shared/contracts/resources/template.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Agreement } from '#shared/contracts/subjects/checked-signal.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject-kind.ts'

export interface ResourceView {
  id: string
  rev: number
  workspaceId: string
  key: string
  name: string
  kind: SubjectKind
  template: string | null
  /** The Resource's answers to the fields of its published Template; null: the subject has no published Template. */
  answers: Answers | null
  /** Sealed answers to secret fields, which nobody is shown. Absent: it has none. */
  secrets?: Answers
  /** Check of a website monitor; null: the subject has no check. */
  check: StoredCheck | null
  /** Delays of the installation, s, for a monitor that names none; null: the subject has no check. */
  usualDelays: { confirmAfter: number; recoverAfter: number } | null
  labels: Record<string, string>
  createdAt: number
  archivedAt: number | null
  signals: ResourceSignalView[]
  /** Checked signals of the Template. Absent: it has none. */
  checks?: ResourceCheckView[]
  rules: ResourceRuleView[]
  maintenance: WindowView | null
}

export interface ResourceSignalView {
  id: string
  key: string
  kind: TemplateSignal['kind']
  /** True for a signal that probers check, which never has the state `no_data`. */
  isPlatform: boolean
  /** Runs of a scheduled signal. Absent: it has another kind. */
  schedule?: ScheduleView
}

/** Runs of a scheduled signal. Instants in ms. */
export interface ScheduleView {
  /**
   * The first that fits: `down`: a run is missed, or the newest one failed. `started`: one is under way. `late`: one is expected and has not
   * come. `new`: none has ended.
   */
  state: 'down' | 'started' | 'late' | 'up' | 'new'
  expectedAt: number | null
  /** Instant from which a run is missed unless something comes; null: none is expected. */
  missedAt: number | null
  startedAt: number | null
  /** The newest end; null: no run has ended. */
  last: { at: number; state: 'ok' | 'problem'; seconds: number | null; exitStatus: number | null } | null
}

export interface ResourceCheckView {
  signal: string
  /** Key of the kind of check. */
  type: string
  everySeconds: number
  agreement: Agreement
  locations: {
    id: string
    /** State of the newest report; null: there is none. */
    state: 'ok' | 'problem' | null
    value: number | null
    at: number | null
    reason: string | null
    /** Why the prober could not make the newest check; null: it could. */
    cannot: string | null
  }[]
}

/** Status of a rule. `no_data`: signals of the rule have reported, but the rule cannot decide. Null: no signal of the rule has reported. */
export type RuleStatus = 'problem' | 'ok' | 'no_data' | null

export interface ResourceRuleView {
  key: string
  signals: string[]
  status: RuleStatus
  explanation: string | null
  since: number | null
  /** Internal id of the rule's open incident; null: no incident is open. */
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
