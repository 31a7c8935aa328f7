// What is stored of roll-ups, and how far each partition is.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const rollUpCollections = {
  rollUps: { writer: 'keeper', compact: true, columns: { data: 'text' }, indexes: [] },
  rollUpProgress: { writer: 'keeper', columns: {}, indexes: [] },
} satisfies Record<string, CollectionSpec>
