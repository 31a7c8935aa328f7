// Collections of a workspace's configuration: destinations, payload templates, Templates, delivery tables.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const configurationCollections = {
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
  templates: {
    writer: 'directory',
    columns: { workspaceId: 'text', key: 'text', version: 'integer', bytes: 'integer' },
    indexes: [{ name: 'byVersion', fields: ['workspaceId', 'key', 'version'], unique: true }],
  },
  deliveryTables: {
    writer: 'directory',
    columns: { workspaceId: 'text' },
    indexes: [{ name: 'byWorkspace', fields: ['workspaceId', 'id'] }],
  },
} satisfies Record<string, CollectionSpec>
