// Collections of roll-ups, and of the progress of each partition.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const rollUpCollections = {
  rollUps: { writer: 'keeper', compact: true, columns: { data: 'text' }, indexes: [] },
  rollUpProgress: { writer: 'keeper', columns: {}, indexes: [] },
} satisfies Record<string, CollectionSpec>
