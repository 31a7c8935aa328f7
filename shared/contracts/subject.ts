// The subject document: one watched thing, its whole present state, and the unit of commit. Replacing it by compare-and-set
// on `rev` is the commit of everything a step decided.
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { CheckEntry } from '#shared/contracts/check.ts'
import type { Stored } from '#shared/contracts/common.ts'
import type { HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { HistoryDocument, IncidentDocument, IncidentSnapshot } from '#shared/contracts/incident.ts'
import type { MaintenanceSnapshot, WindowDocument } from '#shared/contracts/maintenance.ts'
import type { PolicyDocument, RulePolicy } from '#shared/contracts/policy.ts'
import type { SignalState } from '#shared/contracts/signal.ts'
import type { SilenceAt } from '#shared/contracts/silence.ts'
import type { Answers } from '#shared/contracts/template.ts'
import type { Evidence, Verdict } from '#shared/contracts/verdict.ts'
import type { WebsiteCheck } from '#shared/contracts/website.ts'

/** website: website monitoring maintains it. custom: people do, by hand. template: a published Template says what it is. */
export type SubjectKind = 'website' | 'custom' | 'template'

export interface SubjectDocument extends Stored {
  /** Who wrote this revision: unique to one attempt of one commit, so that an unknown outcome can be settled by reading back. */
  writer: string
  partition: number
  workspaceId: string
  /** Unique within the workspace; never changes. */
  slug: string
  name: string
  kind: SubjectKind
  /** `key@version`: `website-check@1` of a website monitor, also after it became custom; null for a subject made by hand. */
  template: string | null
  /** The check that probers make; null if nothing is checked. */
  check: WebsiteCheck | null
  /** Null of every other kind than template. */
  templated: TemplateState | null
  /** Labels that people gave it. */
  labels: Record<string, string>
  createdAt: number
  updatedAt: number
  /** Once it is archived, it is read and nothing more; null before. */
  archivedAt: number | null
  /** Set on a tombstone: reads answer not found, inputs drop. */
  deletedAt: number | null
  rules: RuleState[]
  /** What each location of a website monitor last reported, by location id. */
  readings: Record<string, Reading>
  /** Signals and authored rules' inputs; null until there is the first of them. */
  custom: CustomState | null
  /** The running maintenance window; null while none runs. */
  maintenance: MaintenanceSnapshot | null
  /** How many incidents and windows this subject has had; they number the next. */
  incidents: number
  windows: number
  /** The latest instant that was judged: inputs that arrive with an older one are judged at this. */
  judgedAt: number
  /** The instants up to which silence was counted in that judgement; absent until there is one. */
  silenceTo?: SilenceAt
  /** The rev at which the check entries last changed; null while the subject has none. */
  checkRev: number | null
  /** The locations whose check entries exist, as `checkRev` wrote them; the take-over reconciles by it. */
  checkLocations: string[]
  /** A lower bound of the next instant at which time alone changes something; null: never. */
  dueAt: number | null
  /** If `dueAt` has passed and is left due: the first instant behind `judgedAt` at which time alone may change a Template's rule. Else absent. */
  laterAt?: number
  /** What this commit still has to write elsewhere. */
  pending: Pending[]
  /** 1 while `pending` is not empty (an indexed column). */
  hasPending: 0 | 1
  receipts: Receipt[]
  /** Why it could not be judged, and of how many inputs since it was last judged; null once it is judged. */
  faulty: { at: number; reason: string; count: number } | null
}

/** State of a Resource of a published Template: its answers and its signals' Observations (docs/reference/v3.md, sections 3 and 4). */
export interface TemplateState {
  answers: Answers
  /** By signal key; absent: nothing was reported there. */
  heard: Record<string, HeardSignal>
}

/** What a subject has beyond website monitoring. */
export interface CustomState {
  signals: SignalState[]
  /** How many signals and rules there have been; they number the next. */
  signalsMade: number
  rulesMade: number
  /** The latest stamp that an observation got here, microseconds: no two get the same, however fast they come. */
  stampedUs: number
  /** How many observations were accepted; they number the next. Absent until there is one. */
  accepted?: number
  /** What each input of authored rules last read of its signal, by input key (`inputKeyOf`). */
  observed: Record<string, ObservedInput>
}

/** The newest accepted observation that an input selects; `observedAtUs` null: none yet. */
export interface ObservedInput {
  /** When the input became part of the subject's rules: it is young for its grace from here. */
  addedAt: number
  /** Microseconds since the epoch. */
  observedAtUs: number | null
  /** Which of the subject's accepted observations it is; absent where `observedAtUs` is null. */
  number?: number
  ok: boolean
  /** The sender reported that there is no evidence: `ok` says nothing. */
  isNoData?: true
  value: number | null
  /** The sender's error, cut for evidence; null when none. */
  error: string | null
}

/** A rule and where it stands. */
export interface RuleState {
  /** `availability` of the built-in rule, else `r<number>`: unique in the subject for ever. */
  key: string
  slug: string
  name: string
  policyVersion: number
  policy: RulePolicy
  verdict: RuleVerdict | null
  incident: IncidentSnapshot | null
}

/** How the rule was last judged, also where that is `not_judged`. `evidence` is what it was decided from. */
export interface RuleVerdict {
  verdict: Verdict
  since: number
  explanation: string
  evidence: Evidence
  /** Of a Template's rule alone: whether any of its signals had reported. */
  isHeard?: boolean
}

/** What one input last reported. An input without a report has `slotAt` null. */
export interface Reading {
  /** When the input became part of the rule: it is young for its grace from here. */
  addedAt: number
  /** The slot of the newest result; older or equal slots change nothing. */
  slotAt: number | null
  /** When that check ended, or the instant of the Observation that was pushed. */
  at: number | null
  ok: boolean
  error: string | null
  statusCode: number | null
  totalMs: number | null
  /** A sender reported it: a check that ended before `at` does not replace it. */
  isPushed?: true
}

/** What a committed subject still has to write or to remove elsewhere. */
export type Pending =
  /** Written once; never changed by a later stamp. */
  | { mode: 'insert'; collection: 'history'; document: HistoryDocument }
  | { mode: 'insert'; collection: 'alerts'; document: AlertDocument }
  | { mode: 'insert'; collection: 'policies'; document: PolicyDocument }
  /** Stamped with the subject's rev, and written only over a smaller stamp. */
  | { mode: 'advance'; collection: 'incidents'; document: IncidentDocument }
  | { mode: 'advance'; collection: 'windows'; document: WindowDocument }
  /** Tags that the subject got and lost: see shared/subject-tags.ts. Stamped as those that advance. */
  | { mode: 'tags'; put: string[]; gone: string[] }
  /** A check entry: its new value, or null to remove it; only over a smaller rev. */
  | { mode: 'check'; locationId: string; rev: number; entry: CheckEntry | null }
  /** Everything that hangs on a deleted subject, removed in slices. */
  | { mode: 'remove-children' }
  /** The observations of a deleted signal, removed in slices. */
  | { mode: 'remove-signal'; signalKey: string }

export type PendingCheck = Extract<Pending, { mode: 'check' }>

/**
 * The answer that a command got; a repeated id gets it again, word for word. A report's is null: repeated, it is stamped `at` again, so
 * that it replaces itself.
 */
export interface Receipt {
  id: string
  at: number
  reply: string | null
  /** Of a report: the stamp of its first observation, in microseconds. */
  stampUs?: number
}
