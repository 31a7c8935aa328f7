// The subject document: the whole present state of one watched thing. One write of this document, a compare-and-set on `rev`, commits all
// decisions of a step.

import type { Stored } from '#shared/contracts/common.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { HistoryDocument, IncidentDocument, IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import type { MaintenanceSnapshot, WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { HeldAnswers, ResponseDocument } from '#shared/contracts/incidents/response.ts'
import type { CheckEntry, CheckList } from '#shared/contracts/observations/check.ts'
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { PingBodyDocument } from '#shared/contracts/observations/ping.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { Answers } from '#shared/contracts/resources/template.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { PolicyDocument, RulePolicy } from '#shared/contracts/subjects/policy.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject-kind.ts'
import type { Evidence, Verdict } from '#shared/contracts/subjects/verdict.ts'

export interface SubjectDocument extends Stored {
  /**
   * Id of one attempt of one commit. If a write gets no response, the keeper reads the document again and recognises its own write by this
   * id.
   */
  writer: string
  partition: number
  workspaceId: string
  /** Slug of the subject. It is unique within the workspace and never changes. */
  slug: string
  name: string
  kind: SubjectKind
  /**
   * `key@version` of the subject's Template. A monitor with a check keeps it if it becomes a custom subject. Null: the subject was created
   * as a custom subject.
   */
  template: string | null
  /** The check that probers execute; null: the subject has no check. */
  check: StoredCheck | null
  /** State of a subject of the kind `template`; null for other kinds. */
  templated: TemplateState | null
  /** Labels that people gave the subject. */
  labels: Record<string, string>
  createdAt: number
  updatedAt: number
  /** Instant of the archiving, after which the subject is read-only; null: not archived. */
  archivedAt: number | null
  /**
   * Instant of the deletion; null: not deleted. A deleted subject stays as a tombstone: reads respond `not_found`, and inputs are dropped.
   */
  deletedAt: number | null
  rules: RuleState[]
  /** Newest report of each source, that is, of each check at each of its locations (shared/subjects/sources.ts). */
  readings: Record<string, Reading>
  /** Signals, and the inputs of authored rules; null until the first signal or rule is created. */
  custom: CustomState | null
  /** Answers of servers to failed checks. Absent: none is held. */
  answers?: HeldAnswers
  /** The running maintenance window; null: no window is running. */
  maintenance: MaintenanceSnapshot | null
  /** Number of incidents, and number of windows, that the subject has had. A new incident or window gets the next number of its kind. */
  incidents: number
  windows: number
  /** Instant of the latest judgement. An input with an earlier instant is judged at `judgedAt`. */
  judgedAt: number
  /** For each kind of report, the instant up to which silence counted in the latest judgement. Absent: no judgement yet. */
  silenceTo?: SilenceAt
  /** Revision of this document at the last change of the check entries; null: the subject has no check entries. */
  checkRev: number | null
  /**
   * Ids of the locations that have a check entry since revision `checkRev`. A keeper that takes over the partition corrects the entries by
   * this list.
   */
  checkLocations: string[]
  /** Lower bound of the next instant at which time alone changes the subject; null: never. */
  dueAt: number | null
  /**
   * Lower bound of the next instant after `judgedAt` at which time alone changes a Template's rule. Set only while `dueAt` lies in the past
   * because silence is held back.
   */
  laterAt?: number
  /** Outbox: writes to other collections that this commit still has to make. */
  outbox: OutboxEntry[]
  /** 1 while the outbox is not empty (an indexed column). */
  hasOutbox: 0 | 1
  idempotency: IdempotencyRecord[]
  /**
   * Set while inputs cannot be judged; null after a judgement. `reason`: why the last input could not be judged. `count`: number of inputs
   * since the last judgement that could not be judged.
   */
  faulty: { at: number; reason: string; count: number } | null
}

/** State of a Resource of a published Template: its answers, and the Observations of its signals (v3 3 and 4). */
export interface TemplateState {
  answers: Answers
  /** Observations by signal key. A signal that has not reported is absent. */
  heard: Record<string, HeardSignal>
  /** What is remembered of scheduled signals, by signal key. Absent: the Template has none. */
  schedules?: Record<string, ScheduleState>
  /** Signals that probers check, also those that the present Template lacks. Absent: no Template of the Resource had any. */
  checks?: CheckedSignal[]
}

/** Signals and authored rules of a subject, beyond those of a website check. */
export interface CustomState {
  signals: SignalState[]
  /** Number of signals, and number of rules, that were ever created. The next signal or rule gets the next number. */
  signalsMade: number
  rulesMade: number
  /** Latest instant that the keeper itself assigned to an observation, in microseconds. It never assigns the same instant twice. */
  stampedUs: number
  /**
   * Number of accepted observations so far. The next accepted observation gets the next number. Absent: no observation was accepted yet.
   */
  accepted?: number
  /** Newest reading of each input of authored rules, by input key (`inputKeyOf`). */
  observed: Record<string, ObservedInput>
}

/** The newest accepted observation that an input selects. `observedAtUs` null: the input has not selected an observation yet. */
export interface ObservedInput {
  /** Instant at which the input was added to the rules; its grace period starts here. */
  addedAt: number
  /** Instant of the observation, microseconds since the epoch. */
  observedAtUs: number | null
  /** Number of the observation among the accepted observations of the subject; absent if `observedAtUs` is null. */
  number?: number
  ok: boolean
  /** Set if the sender reported `no_data`; `ok` then has no meaning. */
  isNoData?: true
  value: number | null
  /** Error text of the sender, shortened for the evidence; null: none was sent. */
  error: string | null
}

/** A rule with its verdict and its open incident. */
export interface RuleState {
  /** Internal key: `availability` for the built-in rule, else `r<number>`. A subject never uses the same key for another rule. */
  key: string
  slug: string
  name: string
  policyVersion: number
  policy: RulePolicy
  verdict: RuleVerdict | null
  incident: IncidentSnapshot | null
  /**
   * Instants of the newest changes of the result, ms, oldest first: at most as many as `wait.flapping` of the Template's rule counts.
   * Absent: the rule counts no changes, or was not judged since it does.
   */
  changes?: number[]
}

/** Result of the last judgement of a rule, with its evidence. The verdict may be `not_judged`. */
export interface RuleVerdict {
  verdict: Verdict
  since: number
  explanation: string
  evidence: Evidence
  /** Set only for a rule of a Template: true if any signal of the rule had reported before the judgement. */
  isHeard?: boolean
  /** Set if the rule was flapping (v3 4.14). */
  isFlapping?: true
}

/** Newest report of one location. `slotAt` null: no report has arrived yet. */
export interface Reading {
  /** Instant at which the input was added to the rule; its grace period starts here. */
  addedAt: number
  /** Slot of the newest check result. Results of the same or an earlier slot change nothing. */
  slotAt: number | null
  /** Instant of the reading: end of the check, or instant of the pushed Observation. */
  at: number | null
  ok: boolean
  error: string | null
  statusCode: number | null
  totalMs: number | null
  /** Set if a sender reported the reading. The result of a check that ended before `at` does not replace such a reading. */
  isPushed?: true
  /** Why the location's prober could not make the newest check, a sentence. Absent: it could. */
  cannot?: string
  /** Set with `cannot` if nobody makes the check there, because no live prober of the location can. It has had no result then. */
  isUnmade?: true
}

/** One entry of the outbox: a write or removal that a committed subject still has to make in another collection. */
export type OutboxEntry =
  /** Document that is inserted once and never changed afterwards. */
  | { mode: 'insert'; collection: 'history'; document: HistoryDocument }
  | { mode: 'insert'; collection: 'alerts'; document: AlertDocument }
  | { mode: 'insert'; collection: 'policies'; document: PolicyDocument }
  /** Document that gets the subject's `rev` as its own. It replaces a stored document only if the stored `rev` is smaller. */
  | { mode: 'advance'; collection: 'incidents'; document: IncidentDocument }
  | { mode: 'advance'; collection: 'windows'; document: WindowDocument }
  | { mode: 'advance'; collection: 'responses'; document: ResponseDocument }
  | { mode: 'advance'; collection: 'pingBodies'; document: PingBodyDocument }
  /**
   * Tags that the subject got or lost (shared/subjects/subject-tags.ts). A tag gets the subject's `rev` as its own, and replaces a stored
   * tag only if the stored `rev` is smaller.
   */
  | { mode: 'tags'; put: string[]; gone: string[] }
  /** A check entry. `entry`: new value; null: the entry is removed. The write replaces a stored entry only if the stored rev is smaller. */
  | { mode: 'check'; locationId: string; rev: number; entry: CheckEntry | CheckList | null }
  /** Removes all other documents of a deleted subject, in slices. */
  | { mode: 'remove-children' }
  /** Removes the observations of a deleted signal, in slices. */
  | { mode: 'remove-signal'; signalKey: string }

export type OutboxCheck = Extract<OutboxEntry, { mode: 'check' }>

/**
 * An idempotency record: the response to a command. A command with the same id gets the same bytes again. For a report, `reply` is null,
 * because a repeated report is handled again. The repeated report gets the same instant `stampUs`, and so replaces the observation that was
 * stored first.
 */
export interface IdempotencyRecord {
  id: string
  at: number
  reply: string | null
  /** Set for a report: instant that the keeper assigned to the first observation of the report, microseconds since the epoch. */
  stampUs?: number
}

/**
 * Tag of a subject (v3 9.2 to 9.4). id: `subjectTagId(workspace, tag, subject)`. `rev`: revision of the subject at which the tag was last
 * added or removed. A write with a smaller revision is ignored.
 */
export interface SubjectTagDocument extends Stored {
  /** 1 if the tag was removed, else 0. The document of a removed tag stays for a while, so that a late write cannot add the tag again. */
  gone: 0 | 1
  /** Expiry of the document of a removed tag, ms since the epoch; null while `gone` is 0. */
  expireAt: number | null
}
