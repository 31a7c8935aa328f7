// The subject document: the whole present state of one watched thing. It is the unit of commit: a compare-and-set on `rev` commits all
// decisions of a step.

import type { Stored } from '#shared/contracts/common.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { HistoryDocument, IncidentDocument, IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import type { MaintenanceSnapshot, WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { Answers } from '#shared/contracts/resources/template.ts'
import type { PolicyDocument, RulePolicy } from '#shared/contracts/subjects/policy.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { Evidence, Verdict } from '#shared/contracts/subjects/verdict.ts'
import type { WebsiteCheck } from '#shared/contracts/subjects/website.ts'

/** website: a website check defines it. custom: people define its signals and rules. template: a published Template defines it. */
export type SubjectKind = 'website' | 'custom' | 'template'

export interface SubjectDocument extends Stored {
  /** Id of one attempt of one commit, by which a keeper recognises its own write after an unknown outcome. */
  writer: string
  partition: number
  workspaceId: string
  /** Unique within the workspace; never changes. */
  slug: string
  name: string
  kind: SubjectKind
  /** `key@version`: `website-check@1` for a website monitor, also after it became a custom subject; null: a subject created as custom. */
  template: string | null
  /** The check that probers execute; null: none. */
  check: WebsiteCheck | null
  /** Null unless the kind is `template`. */
  templated: TemplateState | null
  /** Labels that people gave the subject. */
  labels: Record<string, string>
  createdAt: number
  updatedAt: number
  /** Instant of the archiving, after which the subject is read-only; null: not archived. */
  archivedAt: number | null
  /** Set on a tombstone: reads respond `not_found`, inputs are dropped. */
  deletedAt: number | null
  rules: RuleState[]
  /** Newest report of each location of a website monitor, by location id. */
  readings: Record<string, Reading>
  /** Signals and inputs of authored rules; null until the first one is created. */
  custom: CustomState | null
  /** The running maintenance window; null: none runs. */
  maintenance: MaintenanceSnapshot | null
  /** Number of incidents and of windows that the subject has had; the next one gets the next number. */
  incidents: number
  windows: number
  /** Latest instant of a judgement; an input with an earlier instant is judged at `judgedAt`. */
  judgedAt: number
  /** Instants up to which silence counted in that judgement; absent before the first judgement. */
  silenceTo?: SilenceAt
  /** Revision at the last change of the check entries; null: the subject has none. */
  checkRev: number | null
  /** Locations with a check entry, as written at `checkRev`; a take-over corrects the entries by this list. */
  checkLocations: string[]
  /** Lower bound of the next instant at which time alone changes the subject; null: never. */
  dueAt: number | null
  /** As `dueAt`, but after `judgedAt`, for a Template's rules. Set only if `dueAt` is already past because silence is held back. */
  laterAt?: number
  /** Outbox: writes elsewhere that this commit still has to make. */
  outbox: OutboxEntry[]
  /** 1 while the outbox is not empty (an indexed column). */
  hasOutbox: 0 | 1
  idempotency: IdempotencyRecord[]
  /** Reason why the last input could not be judged, and the number of such inputs since the last judgement; null after a judgement. */
  faulty: { at: number; reason: string; count: number } | null
}

/** State of a Resource of a published Template: its answers, and the Observations of its signals (v3 3 and 4). */
export interface TemplateState {
  answers: Answers
  /** Observations by signal key; absent: the signal has not reported. */
  heard: Record<string, HeardSignal>
}

/** State of a subject with signals or authored rules, beyond a website check. */
export interface CustomState {
  signals: SignalState[]
  /** Number of signals and of rules ever created; the next one gets the next number. */
  signalsMade: number
  rulesMade: number
  /** Latest instant that the keeper gave an observation, in microseconds; no two observations get the same instant. */
  stampedUs: number
  /** Number of accepted observations; the next one gets the next number. Absent: none yet. */
  accepted?: number
  /** Newest reading of each input of authored rules, by input key (`inputKeyOf`). */
  observed: Record<string, ObservedInput>
}

/** The newest accepted observation that an input selects; `observedAtUs` null: none yet. */
export interface ObservedInput {
  /** Instant at which the input was added to the rules; its grace period starts here. */
  addedAt: number
  /** Microseconds since the epoch. */
  observedAtUs: number | null
  /** Number of the observation among the accepted ones of the subject; absent if `observedAtUs` is null. */
  number?: number
  ok: boolean
  /** Set if the sender reported `no_data`; `ok` then has no meaning. */
  isNoData?: true
  value: number | null
  /** Error of the sender, cut for the evidence; null: none. */
  error: string | null
}

/** A rule with its verdict and its open incident. */
export interface RuleState {
  /** `availability` for the built-in rule, else `r<number>`; never used twice in a subject. */
  key: string
  slug: string
  name: string
  policyVersion: number
  policy: RulePolicy
  verdict: RuleVerdict | null
  incident: IncidentSnapshot | null
}

/** The last judgement of the rule, even if its verdict is `not_judged`, with its evidence. */
export interface RuleVerdict {
  verdict: Verdict
  since: number
  explanation: string
  evidence: Evidence
  /** True if any signal of the rule had reported. Only for a rule of a Template. */
  isHeard?: boolean
}

/** Newest report of one input; `slotAt` null: no report has arrived yet. */
export interface Reading {
  /** Instant at which the input was added to the rule; its grace period starts here. */
  addedAt: number
  /** Slot of the newest result; results of the same or an earlier slot change nothing. */
  slotAt: number | null
  /** End of the check, or instant of the pushed Observation. */
  at: number | null
  ok: boolean
  error: string | null
  statusCode: number | null
  totalMs: number | null
  /** Set if a sender reported it; a check that ended before `at` does not replace it. */
  isPushed?: true
}

/** One entry of the outbox: a write or removal that a committed subject still has to make in another collection. */
export type OutboxEntry =
  /** Inserted once; never changed afterwards. */
  | { mode: 'insert'; collection: 'history'; document: HistoryDocument }
  | { mode: 'insert'; collection: 'alerts'; document: AlertDocument }
  | { mode: 'insert'; collection: 'policies'; document: PolicyDocument }
  /** Written with the subject's rev, and only over a smaller rev. */
  | { mode: 'advance'; collection: 'incidents'; document: IncidentDocument }
  | { mode: 'advance'; collection: 'windows'; document: WindowDocument }
  /** Tags that the subject got or lost (shared/subjects/subject-tags.ts). Written with the subject's rev, only over a smaller rev. */
  | { mode: 'tags'; put: string[]; gone: string[] }
  /** A check entry: its new value, or null to remove it. Written only over a smaller rev. */
  | { mode: 'check'; locationId: string; rev: number; entry: CheckEntry | null }
  /** Removes all other documents of a deleted subject, in slices. */
  | { mode: 'remove-children' }
  /** Removes the observations of a deleted signal, in slices. */
  | { mode: 'remove-signal'; signalKey: string }

export type OutboxCheck = Extract<OutboxEntry, { mode: 'check' }>

/**
 * An idempotency record: the response to a command. A command with the same id gets the same bytes again. `reply` is null for a report. A
 * repeated report gets the instant `stampUs` again, so that it replaces its first copy.
 */
export interface IdempotencyRecord {
  id: string
  at: number
  reply: string | null
  /** For a report: the instant that the keeper assigned to the report's first observation, microseconds since the epoch. */
  stampUs?: number
}

/**
 * Tag of a subject (v3 9.2 to 9.4). id: `subjectTagId(workspace, tag, subject)`. `rev`: revision of the subject at which the tag was last
 * added or removed; a write with a smaller revision is ignored.
 */
export interface SubjectTagDocument extends Stored {
  /** 1: the tag is removed. The document stays for a while, so that a late write cannot add the tag again. */
  gone: 0 | 1
  /** Ms; null while the subject has the tag. */
  expireAt: number | null
}
