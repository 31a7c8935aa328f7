// A preview: Observations judged in simulated time by the rules of a Template, published or not. Stores nothing. Rule:
// docs/reference/v3.md, 3.11.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'
import type { IncidentRecord, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import { Observe } from '#shared/contracts/resources/resource-commands.ts'
import type { RuleStatus } from '#shared/contracts/resources/resource-views.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { DecisionInput, Evidence } from '#shared/contracts/subjects/verdict.ts'

/** Maximum number of Observations of one preview. It bounds the work: each Observation moves a bounded number of deadlines. */
export const previewObservations = 500

/** Errors: validation with `field`: the key of an answer, a dotted path in `observations`, or `at`. */
export const Preview = Type.Object({
  /** Template that the manifest reader returned. */
  template: Type.Unsafe<Template>(Type.Object({})),
  /** `meta` as the caller sent it. */
  answers: Type.Record(Type.String(), Type.Unknown()),
  /** Observations, each with its instant. */
  observations: Type.Array(Observe.properties.observations.items, { maxItems: previewObservations }),
  /** End of the preview, microseconds since the epoch; null: the instant of the last Observation. */
  atUs: Nullable(Type.Integer()),
})
export type Preview = Static<typeof Preview>

export type PreviewEvidence = Evidence<DecisionInput>

export interface PreviewEntry extends Omit<RecordedTransition, 'sequence' | 'evidence'> {
  evidence: PreviewEvidence | null
}

/** Instants in ms. */
export interface PreviewIncident extends Pick<IncidentRecord, 'openedAt' | 'confirmedAt' | 'closedAt' | 'closedReason'> {
  history: PreviewEntry[]
  /** Number of the oldest entries that are left out, because the response is bounded. */
  historyOmitted: number
}

export interface PreviewRule {
  key: string
  status: RuleStatus
  explanation: string | null
  evidence: PreviewEvidence
  /** Incidents in the order in which they opened. */
  incidents: PreviewIncident[]
  /** Number of the oldest incidents that are left out, because the response is bounded. */
  incidentsOmitted: number
}
