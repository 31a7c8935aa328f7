// A preview: the rules of a Template, published or not, judge given Observations in simulated time. Stores nothing. Reference:
// docs/reference/v3.md, 3.11.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'
import type { IncidentRecord, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import { Observe } from '#shared/contracts/resources/resource-commands.ts'
import type { RuleStatus } from '#shared/contracts/resources/resource-views.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { DecisionInput, Evidence } from '#shared/contracts/subjects/verdict.ts'

/**
 * Maximum number of Observations of one preview. This maximum bounds the work, because one Observation moves only a bounded number of
 * deadlines.
 */
export const previewObservations = 500

/** Request for a preview. Errors: `validation`, whose `field` is the key of an answer, a dotted place in `observations`, or `at`. */
export const Preview = Type.Object({
  /** Template that the manifest reader returned. */
  template: Type.Unsafe<Template>(Type.Object({})),
  /** `meta` as the caller sent it. */
  answers: Type.Record(Type.String(), Type.Unknown()),
  /** Observations, each with its instant. */
  observations: Type.Array(Observe.properties.observations.items, { maxItems: previewObservations }),
  /** End of the preview, microseconds since the epoch; null: the instant of the last Observation. */
  atUs: Nullable(Type.Integer()),
  /** Workspace and person for whom it is made, so that keepers are fair to both; absent: the gateway has an earlier version. */
  workspaceId: Type.Optional(Type.String()),
  callerId: Type.Optional(Type.String()),
})
export type Preview = Static<typeof Preview>

export type PreviewEvidence = Evidence<DecisionInput>

export interface PreviewEntry extends Omit<RecordedTransition, 'sequence' | 'evidence'> {
  evidence: PreviewEvidence | null
}

/** An incident of a preview. Instants in ms. */
export interface PreviewIncident extends Pick<IncidentRecord, 'openedAt' | 'confirmedAt' | 'closedAt' | 'closedReason'> {
  history: PreviewEntry[]
  /** Number of entries that are left out, because the response is bounded. The oldest entries are left out first. */
  historyOmitted: number
}

export interface PreviewRule {
  key: string
  status: RuleStatus
  explanation: string | null
  evidence: PreviewEvidence
  /** Incidents in the order in which they opened. */
  incidents: PreviewIncident[]
  /** Number of incidents that are left out, because the response is bounded. The oldest incidents are left out first. */
  incidentsOmitted: number
}
