// Requests about Incidents of generation 3 (docs/reference/v3.md, sections 5 and 9). The directory only reads Incidents; only the keeper of
// an Incident writes it.
import { type Static, Type } from 'typebox'
import { resourceFilters } from '#shared/contracts/ask/ask-resources.ts'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Instant, Nullable, TokenHash } from '#shared/contracts/common.ts'
import type { IncidentOutline, IncidentRecord, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import type { ResponseDocument } from '#shared/contracts/incidents/response.ts'

const Switch = Nullable(Type.Boolean())
const Reference = Type.String({ minLength: 1, maxLength: 400 })

/**
 * Filters of a list of Incidents. A filter that is null or an empty list selects all Incidents. A list contains only Incidents that match
 * all filters.
 */
export const IncidentFilters = Type.Object({
  ...resourceFilters,
  /** Ids or keys of Resources; an unknown id or key matches nothing. */
  resources: Type.Array(Reference, { maxItems: 2 }),
  /** Key of the rule in generation 3. */
  rule: Nullable(Reference),
  isOpen: Switch,
  isConfirmed: Switch,
  isAcknowledged: Switch,
})
export type IncidentFilters = Static<typeof IncidentFilters>

export type IncidentResponse = Omit<ResponseDocument, 'id' | 'rev' | 'subjectId' | 'incidentId'>

export const incidentAsks = {
  /**
   * A page of the workspace's Incidents, newest first. Every page may be short or empty, even if more pages follow. Errors: `validation`,
   * whose `field` names the invalid query parameter. The same error is returned if `template`, `meta` and `labels` together match too many
   * Resources.
   */
  'list-incidents': ask<Page<IncidentRecord>>()({
    workspaceId: Id,
    filters: IncidentFilters,
    after: After,
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  /**
   * Returns the Incident with this internal id, open or closed. Returns null if the workspace has no such Incident, or if its Resource is
   * deleted.
   */
  'read-incident': ask<IncidentRecord | null>()({ workspaceId: Id, incidentId: Id }),
  /**
   * Returns what an acknowledge link is about. Null: its token is wrong or has expired, or its Incident or its destination is gone. The
   * other members are what the token says, unproven.
   */
  'read-acknowledge-link': ask<AcknowledgeLink | null>()({
    tokenHash: TokenHash,
    keyId: Id,
    incidentId: Id,
    destinationId: Id,
    expiresAt: Instant,
  }),
  /** Ends all acknowledge links. Returns null. */
  'rotate-acknowledge-links': ask<null>()({}),
  /** Returns what servers answered to failed checks, as it is kept with the Incident, oldest first. */
  'list-incident-responses': ask<IncidentResponse[]>()({ incidentId: Id }),
  /** The states that an Incident has had so far, and the sequence numbers of the records in its history. */
  'outline-incident': ask<IncidentOutline>()({ incidentId: Id }),
  /** Returns the records with the given sequence numbers, in the given order. Returns as many as fit into one page, but at least one. */
  'read-transitions': ask<RecordedTransition[]>()({
    incidentId: Id,
    sequences: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 500 }),
  }),
} as const

/** What an acknowledge link is about. `incident`: as last recorded. */
export interface AcknowledgeLink {
  workspaceId: string
  destination: { id: string; name: string }
  incident: IncidentRecord
}
