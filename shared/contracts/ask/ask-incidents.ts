// Requests about Incidents of generation 3 (docs/reference/v3.md, sections 5 and 9). Only the keeper of an Incident writes it.
import { type Static, Type } from 'typebox'
import { resourceFilters } from '#shared/contracts/ask/ask-resources.ts'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable } from '#shared/contracts/common.ts'
import type { IncidentOutline, IncidentRecord, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'

const Switch = Nullable(Type.Boolean())
const Reference = Type.String({ minLength: 1, maxLength: 400 })

/** Filters of a list of Incidents. Null and an empty list filter nothing; an Incident must match all filters. */
export const IncidentFilters = Type.Object({
  /** Filters on the Resources of the Incidents. */
  ...resourceFilters,
  /** Ids or keys of Resources; an unknown id or key matches nothing. */
  resources: Type.Array(Reference, { maxItems: 2 }),
  /** Key of the rule as generation 3 names it. */
  rule: Nullable(Reference),
  isOpen: Switch,
  isConfirmed: Switch,
  isAcknowledged: Switch,
})
export type IncidentFilters = Static<typeof IncidentFilters>

export const incidentAsks = {
  /**
   * A page of the workspace's Incidents, newest first. Every page except the last may be short or empty. Errors: validation with the wrong
   * query parameter as `field`, also if `template`, `meta` and `labels` match too many Resources.
   */
  'list-incidents': ask<Page<IncidentRecord>>()({
    workspaceId: Id,
    filters: IncidentFilters,
    after: After,
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  /** An Incident by its internal id, open or closed. Returns null if the workspace has no such Incident, or if its Resource is deleted. */
  'read-incident': ask<IncidentRecord | null>()({ workspaceId: Id, incidentId: Id }),
  /** The states that an Incident has had so far, and the sequences of the records in its history. */
  'outline-incident': ask<IncidentOutline>()({ incidentId: Id }),
  /** Returns the records with the given sequences, in the given order: as many as fit one page, at least one. */
  'read-transitions': ask<RecordedTransition[]>()({
    incidentId: Id,
    sequences: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 500 }),
  }),
} as const
