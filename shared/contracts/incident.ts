// An incident: the machine's persisted snapshot inside its subject, the document that is read, and its history entries.
import type { RecordedEvent, Stored } from '#shared/contracts/common.ts'
import type { Condition, Evidence } from '#shared/contracts/verdict.ts'

/** A machine's state without the machine: what is kept, and from which it is rebuilt. */
export interface IncidentSnapshot {
  machine: 'incident'
  version: number
  value: IncidentState
  context: IncidentContext
  /** Transitions recorded so far; numbers the next history entry. */
  transitions: number
  /** Messages told so far; numbers the next alert. */
  alerts: number
  /** The rule's words when the incident opened. */
  words: IncidentWords
}

/** How a rule was called when its incident opened, also after the rule is renamed or removed. */
export interface IncidentWords {
  /** `key`: as people know the rule (its slug, or its key in a Template). */
  rule: { key: string; name: string }
  /** The text that tells a person what to do; null: it is no Template's rule. */
  action: string | null
}

export type IncidentState = 'pending' | 'problem' | 'noData' | 'recovering' | 'closed'

/** Instants in ms since the epoch. */
export interface IncidentContext {
  incidentId: string
  ruleKey: string
  troubleSince: number
  /** Since when the rule is continuously not ok; the confirm hold counts from here. Null while it is ok. */
  badSince: number | null
  condition: Condition
  confirmedAt: number | null
  wellSince: number | null
  /** Since when the running hold stands still, because the rule cannot decide; null while it runs. */
  pausedAt: number | null
  /** How long the running hold stood still before, ms. */
  pausedMs: number
  /** When the latest change took effect: opened, another condition, confirmed, closed. */
  effectiveAt: number
  closedAt: number | null
  closedReason: ClosedReason | null
  confirmAfterMs: number
  closeAfterMs: number
  acknowledgedAt: number | null
  acknowledgedBy: string | null
  acknowledgedVia: AcknowledgedVia | null
  /** What people were told of this incident so far. */
  announced: 'nothing' | 'no_data' | 'problem'
  /** Maintenance held the problem message, and nothing was told before or since: the next reminder tells it. */
  problemHeld: boolean
  /** Of a Template's rule: its opening and its acknowledgement are announced, too. */
  announcesAll: boolean
  /** Whether its opening was announced, or held back by maintenance; silent: there is no such message. */
  opening: 'silent' | 'held' | 'announced'
  /** The next instant at which time alone moves this incident (a hold's end or a reminder); null: none. */
  deadlineAt: number | null
  /** The next reminder; null while none is due. */
  reminderAt: number | null
}

/** The door by which a person took note. */
export type AcknowledgedVia = 'api' | 'ui' | 'mcp'

/** The next step that time alone makes in an open incident, and its instant (ms since the epoch). */
export interface NextStep {
  what: 'confirm' | 'close' | 'remind'
  at: number
}

export type ClosedReason = 'recovered' | 'rule_removed' | 'resource_archived'

/** The five words of generations 1 and 2 (spec A, States). */
export type IncidentStatus = 'problem' | 'pending' | 'recovering' | 'no_data' | 'ok'

export interface IncidentDocument extends Stored, IncidentWords {
  subjectId: string
  /** The key by which people name the subject; it never changes. */
  resourceKey: string
  workspaceId: string
  ruleKey: string
  /** The rule as generation 3 names it: its key in its Template, the slug of an authored one (an indexed column). */
  ruleShown: string
  number: number
  /** 1 while open (an indexed column). */
  open: 0 | 1
  /** The facts that lists of generation 3 filter by, as one number made by shared/incident-facets.ts (an indexed column). */
  facets: number
  status: IncidentStatus
  condition: Condition
  troubleSince: number
  confirmedAt: number | null
  wellSince: number | null
  closedAt: number | null
  closedReason: ClosedReason | null
  acknowledgedAt: number | null
  acknowledgedBy: string | null
  acknowledgedVia: AcknowledgedVia | null
  /** When the latest recorded transition took effect. */
  effectiveAt: number
  explanation: string
  evidence: Evidence
  /** The next instant at which time alone moves this incident. */
  deadlineAt: number | null
}

/** The kinds that a timeline shows (spec D 1, Incident life), then those kept for replay alone. */
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

/** The kinds that generation 3 shows (docs/reference/v3.md, 5.2). */
export type IncidentHistoryKind = 'opened' | 'confirmed' | 'verdict_changed' | 'closed'

/** One transition of an incident, kept so that the incident can be replayed from its records. id: `<incident>.<sequence>`. */
export interface HistoryDocument extends Stored {
  incidentId: string
  subjectId: string
  sequence: number
  /** 1: a transition that generation 3 lists (v3 5.2; an indexed column). */
  listed: 0 | 1
  kind: HistoryKind
  at: number
  machine: string
  version: number
  event: RecordedEvent
  /** The machine's state and deadline after it. */
  state: string
  deadlineAt: number | null
  condition: Condition
  verdict: string
  explanation: string
  evidence: Evidence | null
}
