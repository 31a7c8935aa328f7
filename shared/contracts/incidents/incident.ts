// An incident in its three stored forms: the machine's snapshot in the subject's document, the incident's own document for reads, and the
// history entries.
import type { RecordedEvent, Stored } from '#shared/contracts/common.ts'
import type { Condition, Evidence } from '#shared/contracts/subjects/verdict.ts'

/** Stored state of an incident's machine, from which the machine is restored. */
export interface IncidentSnapshot {
  machine: 'incident'
  version: number
  value: IncidentState
  context: IncidentContext
  /** Number of recorded transitions so far. The next history entry gets the next number. */
  transitions: number
  /** Number of alerts so far. The next alert gets the next number. */
  alerts: number
  /** Texts of the rule at the time when the incident opened. */
  words: IncidentWords
  /** Absent: the incident opened before causes were stored, and no judgement has named one since. */
  cause?: IncidentCause | null
}

/**
 * Cause of an incident: the failing reason that appeared last. A silence is the cause only as long as nothing has failed. An incident keeps
 * its cause while it recovers and after its close.
 */
export interface IncidentCause {
  /** The failing input. Null: the rule names no failing input, and `reason` is the explanation of the rule. */
  input: string | null
  /** True: `input` is the id of a location. False: it is the key of a signal, or null. */
  isLocation: boolean
  /** The reason as reported. It may quote an address with credentials: `causeText` redacts it. */
  reason: string
  /** Instant of the report, ms; null: the input has never reported, or `input` is null. */
  at: number | null
  isSilence: boolean
}

/** Texts of a rule, copied when its incident opens. If the rule is later renamed or removed, the copies stay unchanged. */
export interface IncidentWords {
  /** `key`: the rule's slug, or its key in a Template. */
  rule: { key: string; name: string }
  /** Instruction for the person who gets the message; null: the rule belongs to no Template. */
  action: string | null
}

export type IncidentState = 'pending' | 'problem' | 'noData' | 'recovering' | 'closed'

/** Main instants in the course of an incident, ms since the epoch. */
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
  /** Instant at which the latest change took effect. A change is the opening, another condition, the confirmation or the close. */
  effectiveAt: number
  closedReason: ClosedReason | null
  acknowledgedAt: number | null
  acknowledgedBy: string | null
  acknowledgedVia: AcknowledgedVia | null
  /** Next instant at which time alone changes this incident: the end of a delay, or a reminder. Null: there is no such instant. */
  deadlineAt: number | null
}

export interface IncidentContext extends IncidentFacts {
  incidentId: string
  /** Instant since which the rule has not been ok. The confirmation delay starts at this instant. Null: the rule is ok. */
  badSince: number | null
  /** Start of a pause of the running delay. The delay pauses while the rule cannot decide. Null: the delay is not paused. */
  pausedAt: number | null
  /** Total duration of the pauses of the running delay that have already ended, ms. */
  pausedMs: number
  /** Instant before which the recovery does not close the incident, because its rule was flapping (v3 4.14). Absent: no such instant. */
  flapsUntil?: number
  confirmAfterMs: number
  closeAfterMs: number
  /** Strongest message about this incident that was sent so far: `problem` is stronger than `no_data`. */
  announced: 'nothing' | 'no_data' | 'problem'
  /** True if maintenance held back the problem message and no other message was sent. The next reminder then sends the problem message. */
  problemHeld: boolean
  /** True for a rule of a Template: messages are also sent about the opening and the acknowledgement of its incidents. */
  announcesAll: boolean
  /** Message about the opening. `announced`: sent. `held`: held back by maintenance. `silent`: the rule sends no such message. */
  opening: 'silent' | 'held' | 'announced'
  /** Instant of the next reminder; null: no reminder is planned. */
  reminderAt: number | null
}

/** Ways by which a person acknowledges: a program, the dashboard, an agent, or the link in a message. */
export const acknowledgedVias = ['api', 'ui', 'mcp', 'link'] as const
export type AcknowledgedVia = (typeof acknowledgedVias)[number]

/** Next change of an open incident that time alone causes, and its instant (ms since the epoch). */
export interface NextStep {
  what: 'confirm' | 'close' | 'remind'
  at: number
}

export type ClosedReason = 'recovered' | 'rule_removed' | 'resource_archived'

/** The five statuses of generations 1 and 2 (reference/incidents 1.2). */
export type IncidentStatus = 'problem' | 'pending' | 'recovering' | 'no_data' | 'ok'

export interface IncidentDocument extends Stored, IncidentWords, IncidentFacts {
  subjectId: string
  /** The key by which people name the subject; it never changes. */
  resourceKey: string
  workspaceId: string
  /** Key of the rule in generation 3: the key in the rule's Template, or the slug of an authored rule (an indexed column). */
  ruleShown: string
  number: number
  /** 1 while the incident is open, else 0 (an indexed column). */
  open: 0 | 1
  /** Facts by which generation 3 filters incidents, packed into one number by shared/incidents/incident-facets.ts (an indexed column). */
  facets: number
  status: IncidentStatus
  explanation: string
  evidence: Evidence
  /** Null: no judgement has named a cause. Absent: stored before causes were; `storedCause` derives it. */
  cause?: IncidentCause | null
}

/**
 * Kinds of history entries. A timeline shows the kinds from `pending` to `acknowledged` (reference/incidents 7.1). Only a replay needs the
 * other kinds.
 */
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

/** Kinds of history entries that generation 3 shows (docs/reference/v3.md, 5.2). */
export type IncidentHistoryKind = 'opened' | 'confirmed' | 'verdict_changed' | 'closed'

/** One transition of an incident, stored so that the incident can be replayed from its records. id: `<incident>.<sequence>`. */
export interface HistoryDocument extends Stored {
  incidentId: string
  subjectId: string
  sequence: number
  /** 1 if generation 3 lists the transition, else 0 (v3 5.2; an indexed column). */
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
