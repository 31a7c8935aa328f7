// Questions about Resources of generation 3 (docs/reference/v3.md, sections 6 and 9). Their keeper alone writes them.
import { Type } from 'typebox'
import { Id, Nullable } from '#shared/contracts/common.ts'
import { ListObservations, type ObservationEntry } from '#shared/contracts/observation-log.ts'
import type { Page } from '#shared/contracts/page.ts'
import type { ResourceView } from '#shared/contracts/resource-views.ts'

const Key = Type.String({ minLength: 1, maxLength: 400 })

/** Texts as they stand in the query, by the field's or the label's key. */
const Filters = Type.Array(Type.Object({ key: Type.String({ maxLength: 16_384 }), value: Type.String({ maxLength: 16_384 }) }), {
  maxItems: 5,
})

/** Filters of a list of Resources; each may be left open. `template`: a key, which means any revision, or `key@version`. */
export const resourceFilters = {
  state: Type.Enum(['active', 'archived', 'all']),
  template: Nullable(Type.String({ minLength: 1, maxLength: 100 })),
  meta: Filters,
  labels: Filters,
}

export const resourceAsks = {
  /** By id, else by key, archived ones too; null: none. Rules read as they were last recorded. */
  'get-resource': Type.Object({ workspaceId: Id, reference: Key }),
  /** Each as its id, archived or not, in the order of `references`; null: none. */
  'resolve-resources': Type.Object({ workspaceId: Id, references: Type.Array(Key, { minItems: 1, maxItems: 500 }) }),
  /** A page of the workspace's Resources by id. Refused: validation with the query parameter at fault as `field`. */
  'list-resources': Type.Object({
    workspaceId: Id,
    ...resourceFilters,
    after: Nullable(Id),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  'list-observations': ListObservations,
  /** Reserves exactly this key for a Resource about to be created. Answers null. Refused: taken `key`. */
  'reserve-key': Type.Object({ workspaceId: Id, key: Key, subjectId: Id }),
} as const

export interface ResolvedResource {
  id: string
  key: string
  archivedAt: number | null
  /** `key@version`; null: a custom subject of generation 2. */
  template: string | null
}

export interface ResourceAnswers {
  'get-resource': ResourceView | null
  'resolve-resources': (ResolvedResource | null)[]
  'list-resources': Page<ResourceView>
  'list-observations': ObservationEntry[]
  'reserve-key': null
}
