// A preview: Observations judged in their own time by the rules of a Template that need not be published. Nothing is stored.
// Rule: docs/reference/v3.md, 3.11.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'
import type { ClosedReason, IncidentHistoryKind } from '#shared/contracts/incident.ts'
import { Observe } from '#shared/contracts/resource-commands.ts'
import type { RuleStatus } from '#shared/contracts/resource-views.ts'
import type { Template } from '#shared/contracts/template.ts'
import type { Condition, DecisionInput } from '#shared/contracts/verdict.ts'

/** The most Observations of one preview. They bound its work: each moves a bounded number of deadlines. */
export const previewObservations = 500

/** Refused: validation with `field`: the key of an answer, a dotted place in `observations`, or `at`. */
export const Preview = Type.Object({
  /** As its reader made it. */
  template: Type.Unsafe<Template>(Type.Object({})),
  /** `meta` as it was sent. */
  answers: Type.Record(Type.String(), Type.Unknown()),
  /** Each has its instant. */
  observations: Type.Array(Observe.properties.observations.items, { maxItems: previewObservations }),
  /** Microseconds since the epoch; null: the instant of the last Observation. */
  atUs: Nullable(Type.Integer()),
})
export type Preview = Static<typeof Preview>

export interface PreviewEvidence {
  inputs: DecisionInput[]
  omitted: number
  truncated: boolean
}

export interface PreviewEntry {
  at: number
  kind: IncidentHistoryKind
  condition: Condition
  explanation: string
  evidence: PreviewEvidence | null
}

/** Instants in ms. */
export interface PreviewIncident {
  openedAt: number
  confirmedAt: number | null
  closedAt: number | null
  closedReason: ClosedReason | null
  history: PreviewEntry[]
  /** Its oldest entries, left out because an answer is bounded. */
  historyOmitted: number
}

export interface PreviewRule {
  key: string
  status: RuleStatus
  explanation: string | null
  evidence: PreviewEvidence
  /** In the order in which they opened. */
  incidents: PreviewIncident[]
  /** The oldest ones, left out because an answer is bounded. */
  incidentsOmitted: number
}
