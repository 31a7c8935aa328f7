// An Incident of generation 3 as its keeper and the directory return it (docs/reference/v3.md, section 5). Instants in ms.
import type {
  AcknowledgedVia,
  ClosedReason,
  IncidentHistoryKind,
  IncidentState,
  NextStep,
} from '#shared/contracts/incidents/incident.ts'
import type { Condition, Evidence } from '#shared/contracts/subjects/verdict.ts'

export interface IncidentRecord {
  /** Internal id. */
  id: string
  /** The Resource of the Incident, with the name that the Resource has now. */
  resource: { id: string; key: string; name: string }
  /** Key that the rule had when the Incident opened. */
  rule: string
  /** True for the built-in rule of a website monitor, whose inputs are locations. */
  isOfLocations: boolean
  action: string | null
  isOpen: boolean
  condition: Condition
  explanation: string
  openedAt: number
  confirmedAt: number | null
  closedAt: number | null
  closedReason: ClosedReason | null
  effectiveAt: number
  acknowledgement: { by: string; at: number; via: AcknowledgedVia } | null
}

/** An open Incident, judged at the present time of its keeper. */
export interface IncidentNow {
  incident: IncidentRecord
  next: NextStep | null
}

/** State of the machine after one event. */
export interface PathStep {
  state: IncidentState
  at: number
  event: string
}

/** First and latest steps and records of an Incident; the omitted ones between them are only counted. */
export interface IncidentOutline {
  path: PathStep[]
  pathOmitted: number
  /** Sequences of the records that the history lists, ascending. */
  listed: number[]
  listedOmitted: number
}

/** One entry of the history. */
export interface RecordedTransition {
  sequence: number
  /** Effective time. */
  at: number
  kind: IncidentHistoryKind
  condition: Condition
  explanation: string
  /** Null if a command closed the Incident, because then no inputs were judged. */
  evidence: Evidence | null
}
