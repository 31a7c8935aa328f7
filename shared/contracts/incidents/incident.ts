// An incident: the machine snapshot in the subject's document, the document for reads, and the history entries.
import type { RecordedEvent, Stored } from '#shared/contracts/common.ts'
import type { Condition, Evidence } from '#shared/contracts/subjects/verdict.ts'

/** Stored state of an incident's machine, from which the machine is restored. */
export interface IncidentSnapshot {
  machine: 'incident'
  version: number
  value: IncidentState
  context: IncidentContext
  /** Number of recorded transitions; the next history entry gets the next number. */
  transitions: number
  /** Number of alerts; the next alert gets the next number. */
  alerts: number
  /** Texts of the rule at the time when the incident opened. */
  words: IncidentWords
}

/** Texts of a rule, copied when its incident opens. They stay unchanged if the rule is later renamed or removed. */
export interface IncidentWords {
  /** `key`: the rule's slug, or its key in a Template. */
  rule: { key: string; name: string }
  /** Instruction for the person who gets the message; null: the rule belongs to no Template. */
  action: string | null
}

export type IncidentState = 'pending' | 'problem' | 'noData' | 'recovering' | 'closed'

/** Course of an incident. Instants in ms since the epoch. */
export interface IncidentCourse {
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  closedAt: number | null
}

/** Facts of an incident that its machine and its document share. */
interface IncidentFacts extends IncidentCourse {
  ruleKey: string
  condition: Condition
  /** Effective time of the latest change: opened, other condition, confirmed, closed. */
  effectiveAt: number
  closedReason: ClosedReason | null
  acknowledgedAt: number | null
  acknowledgedBy: string | null
  acknowledgedVia: AcknowledgedVia | null
  /** Next instant at which time alone changes this incident (end of a delay, or a reminder); null: none. */
  deadlineAt: number | null
}

export interface IncidentContext extends IncidentFacts {
  incidentId: string
  /** Start of the uninterrupted time in which the rule is not ok; the confirmation delay counts from here. Null: the rule is ok. */
  badSince: number | null
  /** Start of the running delay's pause, while the rule cannot decide; null: the delay is not paused. */
  pausedAt: number | null
  /** Total of the earlier pauses of the running delay, ms. */
  pausedMs: number
  confirmAfterMs: number
  closeAfterMs: number
  /** The strongest message about this incident that was sent so far. */
  announced: 'nothing' | 'no_data' | 'problem'
  /** True if maintenance held the problem message and no other message was sent; the next reminder then sends it. */
  problemHeld: boolean
  /** True for a rule of a Template: its opening and acknowledgement send messages too. */
  announcesAll: boolean
  /** Message about the opening: announced, held by maintenance, or silent (the rule sends no such message). */
  opening: 'silent' | 'held' | 'announced'
  /** Instant of the next reminder; null: none is planned. */
  reminderAt: number | null
}

/** Client by which a person acknowledged. */
export type AcknowledgedVia = 'api' | 'ui' | 'mcp'

/** Next step that time alone makes in an open incident, and its instant (ms since the epoch). */
export interface NextStep {
  what: 'confirm' | 'close' | 'remind'
  at: number
}

export type ClosedReason = 'recovered' | 'rule_removed' | 'resource_archived'

/** The five statuses of generations 1 and 2 (reference/incidents 1.2). */
export type IncidentStatus = 'problem' | 'pending' | 'recovering' | 'no_data' | 'ok'

export interface IncidentDocument extends Stored, IncidentWords, IncidentFacts {
  subjectId: string
  /** Key of the subject for people; never changes. */
  resourceKey: string
  workspaceId: string
  /** Key of the rule in generation 3: its key in its Template, or the slug of an authored rule (an indexed column). */
  ruleShown: string
  number: number
  /** 1 while open (an indexed column). */
  open: 0 | 1
  /** Facts for the filters of generation 3, packed into a number by shared/incidents/incident-facets.ts (an indexed column). */
  facets: number
  status: IncidentStatus
  explanation: string
  evidence: Evidence
}

/** Kinds that a timeline shows (reference/incidents 7.1), then kinds that only a replay needs. */
export type HistoryKind =
  | 'pending'
  | 'problem'
  | 'no data'
  | 'recovering'
  | 'closed'
  | 'acknowledged'
  | 'reminder'
  | 'reminder missed'
  | 'policy replaced'
  | 'hold paused'
  | 'hold resumed'

/** Kinds that generation 3 shows (docs/reference/v3.md, 5.2). */
export type IncidentHistoryKind = 'opened' | 'confirmed' | 'verdict_changed' | 'closed'

/** One transition of an incident, stored so that the incident can be replayed from its records. id: `<incident>.<sequence>`. */
export interface HistoryDocument extends Stored {
  incidentId: string
  subjectId: string
  sequence: number
  /** 1: generation 3 lists the transition (v3 5.2; an indexed column). */
  listed: 0 | 1
  kind: HistoryKind
  at: number
  machine: string
  version: number
  event: RecordedEvent
  /** State and deadline of the machine after the transition. */
  state: string
  deadlineAt: number | null
  condition: Condition
  verdict: string
  explanation: string
  evidence: Evidence | null
}
