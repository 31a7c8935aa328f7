// An Incident of generation 3 as its keeper and the directory answer it (docs/reference/v3.md, section 5). Instants in ms.
import type { AcknowledgedVia, ClosedReason, IncidentHistoryKind, IncidentState, NextStep } from '#shared/contracts/incident.ts'
import type { Condition, Evidence } from '#shared/contracts/verdict.ts'

export interface IncidentRecord {
  /** Inside the system. */
  id: string
  /** As it is called now. */
  resource: { id: string; key: string; name: string }
  /** As it was called when the Incident opened. */
  rule: string
  /** Its rule is the one that website monitoring maintains, whose inputs are locations. */
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

/** An open Incident at its keeper's now. */
export interface IncidentNow {
  incident: IncidentRecord
  next: NextStep | null
}

/** The machine's state after an event. */
export interface PathStep {
  state: IncidentState
  at: number
  event: string
}

/** The first and the latest of each; those between are counted. */
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
  at: number
  kind: IncidentHistoryKind
  condition: Condition
  explanation: string
  /** Null of a closing by a command. */
  evidence: Evidence | null
}
