// Collections of roll-ups: the roll-ups, and for each partition the instants up to which it is rolled up.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const rollUpCollections = {
  rollUps: { writer: 'keeper', compact: true, columns: { data: 'text' }, indexes: [] },
  rollUpProgress: { writer: 'keeper', columns: {}, indexes: [] },
} satisfies Record<string, CollectionSpec>
