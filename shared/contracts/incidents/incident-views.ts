// An Incident of generation 3 as its keeper and the directory return it (docs/reference/v3.md, section 5). Instants in ms.
import type {
  AcknowledgedVia,
  ClosedReason,
  IncidentCause,
  IncidentHistoryKind,
  IncidentState,
  NextStep,
} from '#shared/contracts/incidents/incident.ts'
import type { Condition, Evidence } from '#shared/contracts/subjects/verdict.ts'

export interface IncidentRecord {
  /** Internal id. */
  id: string
  /** The Resource of the Incident, with its present name. */
  resource: { id: string; key: string; name: string }
  /** Key that the rule had when the Incident opened. */
  rule: string
  /** True for the built-in rule of a website monitor, whose inputs are locations. */
  isOfLocations: boolean
  action: string | null
  isOpen: boolean
  condition: Condition
  cause: IncidentCause | null
  explanation: string
  openedAt: number
  confirmedAt: number | null
  closedAt: number | null
  closedReason: ClosedReason | null
  effectiveAt: number
  acknowledgement: { by: string; at: number; via: AcknowledgedVia } | null
}

/** An open Incident as its keeper has just judged it. */
export interface IncidentNow {
  incident: IncidentRecord
  next: NextStep | null
}

/** One step of an Incident's machine: an event, and the state after this event. */
export interface PathStep {
  state: IncidentState
  at: number
  event: string
}

/**
 * The first and the latest steps and records of an Incident. Steps and records in the middle are omitted; only the number of omitted ones
 * is given.
 */
export interface IncidentOutline {
  path: PathStep[]
  pathOmitted: number
  /** Sequence numbers of the records that the history lists, ascending. */
  listed: number[]
  listedOmitted: number
}

export interface RecordedTransition {
  sequence: number
  /** Effective time. */
  at: number
  kind: IncidentHistoryKind
  condition: Condition
  explanation: string
  /** Evidence of the transition. Null if a command closed the Incident, because a command judges no inputs. */
  evidence: Evidence | null
}
