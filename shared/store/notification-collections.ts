// Collections about notifications: the directory writes destinations and delivery tables, notifiers write deliveries and their outcomes.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const notificationCollections = {
  destinations: {
    writer: 'directory',
    columns: { number: 'integer', workspaceId: 'text', nameKey: 'text' },
    indexes: [
      { name: 'byNumber', fields: ['number'], unique: true },
      { name: 'byName', fields: ['workspaceId', 'nameKey'], unique: true },
    ],
  },
  transformations: {
    writer: 'directory',
    columns: { number: 'integer', workspaceId: 'text', nameKey: 'text' },
    indexes: [
      { name: 'byNumber', fields: ['number'], unique: true },
      { name: 'byName', fields: ['workspaceId', 'nameKey'], unique: true },
    ],
  },
  deliveryTables: {
    writer: 'directory',
    columns: { workspaceId: 'text' },
    indexes: [{ name: 'byWorkspace', fields: ['workspaceId', 'id'] }],
  },
  deliveries: {
    writer: 'notifier',
    columns: {
      open: 'integer',
      dueAt: 'integer',
      incidentId: 'text',
      destinationId: 'text',
      number: 'integer',
      alertId: 'text',
      alertKind: 'text',
    },
    indexes: [
      { name: 'byDueAt', fields: ['open', 'dueAt', 'id'] },
      { name: 'byIncident', fields: ['incidentId', 'destinationId', 'number'] },
    ],
    expires: true,
  },
  deliveryLog: {
    writer: 'notifier',
    columns: {
      workspaceId: 'text',
      destinationId: 'text',
      destinationNumber: 'integer',
      number: 'integer',
      incidentId: 'text',
      subjectId: 'text',
      shownInV2: 'integer',
      status: 'text',
      at: 'integer',
    },
    indexes: [
      { name: 'byWorkspace', fields: ['workspaceId', 'shownInV2', 'number'] },
      { name: 'byStatus', fields: ['workspaceId', 'shownInV2', 'status', 'number'] },
      { name: 'byLog', fields: ['workspaceId', 'number'] },
      { name: 'byOutcome', fields: ['workspaceId', 'status', 'number'] },
      { name: 'byDestination', fields: ['destinationNumber', 'number'] },
      { name: 'ofDestinationInV2', fields: ['destinationNumber', 'shownInV2', 'number'] },
      { name: 'ofDestinationByStatus', fields: ['destinationNumber', 'shownInV2', 'status', 'number'] },
      { name: 'ofDestinationByInstant', fields: ['destinationId', 'at', 'id'] },
      { name: 'ofDestinationByOutcome', fields: ['destinationId', 'status', 'at', 'id'] },
      { name: 'ofSubjectByInstant', fields: ['subjectId', 'at', 'id'] },
      { name: 'ofIncidentByInstant', fields: ['incidentId', 'at', 'id'] },
      { name: 'byNumber', fields: ['number'], unique: true },
    ],
    neverNull: ['number', 'at'],
    expires: true,
  },
  conditions: {
    writer: 'notifier',
    columns: { kind: 'text', raised: 'integer', dueAt: 'integer' },
    indexes: [
      { name: 'byKind', fields: ['kind', 'raised'] },
      { name: 'byRaised', fields: ['raised'] },
      { name: 'byDue', fields: ['dueAt'] },
    ],
  },
} as const satisfies Record<string, CollectionSpec>
