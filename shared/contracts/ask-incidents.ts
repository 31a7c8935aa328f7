// Questions about Incidents of generation 3 (docs/reference/v3.md, sections 5 and 9). Their keeper alone writes them.
import { type Static, Type } from 'typebox'
import { resourceFilters } from '#shared/contracts/ask-resources.ts'
import { Id, Nullable } from '#shared/contracts/common.ts'
import type { IncidentOutline, IncidentRecord, RecordedTransition } from '#shared/contracts/incident-views.ts'
import { After, type Page } from '#shared/contracts/page.ts'

const Switch = Nullable(Type.Boolean())
const Reference = Type.String({ minLength: 1, maxLength: 400 })

/** Null and an empty list filter nothing; all filters are AND-ed. */
export const IncidentFilters = Type.Object({
  /** Of the Incidents' Resources. */
  ...resourceFilters,
  /** Each an id or a key; one that is unknown matches nothing. */
  resources: Type.Array(Reference, { maxItems: 2 }),
  /** As generation 3 names it. */
  rule: Nullable(Reference),
  isOpen: Switch,
  isConfirmed: Switch,
  isAcknowledged: Switch,
})
export type IncidentFilters = Static<typeof IncidentFilters>

export const incidentAsks = {
  /**
   * A page of the workspace's Incidents, newest first. It may be short, or empty, and have a next one. Refused: validation with the query
   * parameter at fault as `field`, also where `template`, `meta` and `labels` match too many Resources.
   */
  'list-incidents': Type.Object({
    workspaceId: Id,
    filters: IncidentFilters,
    after: After,
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  /** By its internal id, open or closed; null: the workspace has none, or its Resource is deleted. */
  'read-incident': Type.Object({ workspaceId: Id, incidentId: Id }),
  /** The states of an Incident so far, and which of its records its history has. */
  'outline-incident': Type.Object({ incidentId: Id }),
  /** Records by their sequence, in the order asked: the first ones, as many as a page holds, one at least. */
  'read-transitions': Type.Object({
    incidentId: Id,
    sequences: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 500 }),
  }),
} as const

export interface IncidentAnswers {
  'list-incidents': Page<IncidentRecord>
  'read-incident': IncidentRecord | null
  'outline-incident': IncidentOutline
  'read-transitions': RecordedTransition[]
}
