// Requests about Resources and Templates of generation 3 (docs/reference/v3.md, sections 3, 6 and 9). Only the keeper of a Resource writes
// it.
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable } from '#shared/contracts/common.ts'
import { ListObservations } from '#shared/contracts/observations/observation-log.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { SystemTemplate, Template } from '#shared/contracts/resources/template.ts'

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

/** A manifest as the caller sent it; only the manifest reader checks its shape. */
const Manifest = Type.Unknown()
/** `key` (the highest version) or `key@version`. */
const TemplateReference = Type.String({ minLength: 1, maxLength: 100 })

export const resourceAsks = {
  /** A Resource by its id, else by its key, archived ones included; null: none. Rules show their last recorded verdict. */
  'get-resource': ask<ResourceView | null>()({ workspaceId: Id, reference: Key }),
  /** The id of each Resource, archived or not, in the order of `references`; null: no such Resource. */
  'resolve-resources': ask<(ResolvedResource | null)[]>()({
    workspaceId: Id,
    references: Type.Array(Key, { minItems: 1, maxItems: 500 }),
  }),
  /** A page of the workspace's Resources, ordered by id. Errors: validation with the wrong query parameter as `field`. */
  'list-resources': ask<Page<ResourceView>>()({
    workspaceId: Id,
    ...resourceFilters,
    after: Nullable(Id),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  'list-observations': ListObservations,
  /** Reserves exactly this key for a Resource to be created. Returns null. Errors: taken `key`. */
  'reserve-key': ask<null>()({ workspaceId: Id, key: Key, subjectId: Id }),
  /**
   * Stores one revision. Errors: malformed and validation with `field` (a dotted path); invalid_state `Template revision exists`. A retry
   * also fails if the first attempt stored the revision; the caller then reads the revision.
   */
  'publish-template': ask<Template>()({ workspaceId: Id, manifest: Manifest }),
  /** Returns the Template that a manifest describes. Errors: as on publication, except for a revision that exists. */
  'read-manifest': ask<Template>()({ workspaceId: Id, manifest: Manifest }),
  /** A page of the workspace's own revisions, ordered by key and version. */
  'list-templates': ask<Page<Template>>()({ workspaceId: Id, after: After }),
  /** Null if neither the workspace nor the system has this revision; `damaged` if the stored revision cannot be read (v3 4.13). */
  'get-template': ask<Template | SystemTemplate | 'damaged' | null>()({ workspaceId: Id, reference: TemplateReference }),
  /** Number of unarchived Resources by `key@version` of their revision. Revisions without Resources are left out. */
  'count-template-uses': ask<Record<string, number>>()({ workspaceId: Id }),
} as const

export interface ResolvedResource {
  id: string
  key: string
  archivedAt: number | null
  /** `key@version`; null: a custom subject of generation 2. */
  template: string | null
}
