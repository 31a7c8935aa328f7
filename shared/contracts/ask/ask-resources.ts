// Requests about Resources of generation 3 (docs/reference/v3.md, sections 6 and 9). Only the keeper of a Resource writes it.
import { Type } from 'typebox'
import type { Page } from '#shared/contracts/ask/page.ts'
import { Id, Nullable } from '#shared/contracts/common.ts'
import { ListObservations, type ObservationEntry } from '#shared/contracts/observations/observation-log.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'

const Key = Type.String({ minLength: 1, maxLength: 400 })

/** Texts as the query contains them, each with the key of its field or label. */
const Filters = Type.Array(Type.Object({ key: Type.String({ maxLength: 16_384 }), value: Type.String({ maxLength: 16_384 }) }), {
  maxItems: 5,
})

/** Filters of a list of Resources. `template`: a key (any revision) or `key@version`; null: any Template. */
export const resourceFilters = {
  state: Type.Enum(['active', 'archived', 'all']),
  template: Nullable(Type.String({ minLength: 1, maxLength: 100 })),
  meta: Filters,
  labels: Filters,
}

export const resourceAsks = {
  /** A Resource by its id, else by its key, archived ones included; null: none. Rules show their last recorded verdict. */
  'get-resource': Type.Object({ workspaceId: Id, reference: Key }),
  /** The id of each Resource, archived or not, in the order of `references`; null: no such Resource. */
  'resolve-resources': Type.Object({ workspaceId: Id, references: Type.Array(Key, { minItems: 1, maxItems: 500 }) }),
  /** A page of the workspace's Resources, ordered by id. Errors: validation with the wrong query parameter as `field`. */
  'list-resources': Type.Object({
    workspaceId: Id,
    ...resourceFilters,
    after: Nullable(Id),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  'list-observations': ListObservations,
  /** Reserves exactly this key for a Resource to be created. Returns null. Errors: taken `key`. */
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
