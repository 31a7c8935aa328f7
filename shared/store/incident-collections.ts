// Collections of incidents: the incidents, their records and responses, and the alerts about them. Only keepers write them, and notifiers the
// state of alerts.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const incidentCollections = {
  responses: {
    writer: 'keeper',
    columns: { subjectId: 'text', incidentId: 'text', at: 'integer' },
    indexes: [
      { name: 'byIncident', fields: ['incidentId', 'at'] },
      { name: 'ofSubject', fields: ['subjectId', 'id'] },
    ],
  },
  incidents: {
    writer: 'keeper',
    columns: {
      subjectId: 'text',
      workspaceId: 'text',
      ruleKey: 'text',
      ruleShown: 'text',
      open: 'integer',
      facets: 'integer',
      troubleSince: 'integer',
    },
    indexes: [
      { name: 'bySubject', fields: ['subjectId', 'troubleSince', 'id'] },
      { name: 'byOpenness', fields: ['workspaceId', 'open', 'troubleSince', 'id'] },
      { name: 'ofSubjectByOpenness', fields: ['subjectId', 'open', 'troubleSince', 'id'] },
      { name: 'byOpening', fields: ['workspaceId', 'troubleSince', 'id'] },
      { name: 'byFacets', fields: ['workspaceId', 'facets', 'troubleSince', 'id'] },
      { name: 'byRule', fields: ['workspaceId', 'ruleShown', 'facets', 'troubleSince', 'id'] },
    ],
    neverNull: ['troubleSince'],
  },
  history: {
    writer: 'keeper',
    columns: { incidentId: 'text', subjectId: 'text', sequence: 'integer', listed: 'integer', at: 'integer' },
    indexes: [
      { name: 'byIncident', fields: ['incidentId', 'sequence'], unique: true },
      { name: 'byListing', fields: ['incidentId', 'listed', 'sequence'] },
      { name: 'bySubject', fields: ['subjectId', 'at'] },
    ],
    neverNull: ['sequence', 'at'],
  },
  alerts: {
    writer: 'keeper',
    columns: { subjectId: 'text', incidentId: 'text', number: 'integer', state: 'text', decidedAt: 'integer' },
    indexes: [
      { name: 'byDecision', fields: ['state', 'decidedAt', 'id'] },
      { name: 'byIncident', fields: ['incidentId', 'number'], unique: true },
      { name: 'ofSubject', fields: ['subjectId', 'id'] },
    ],
    expires: true,
  },
} as const satisfies Record<string, CollectionSpec>
