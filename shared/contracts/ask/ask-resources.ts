// Requests about Resources and Templates of generation 3 (docs/reference/v3.md, sections 3, 6 and 9). The directory only reads Resources;
// only the keeper of a Resource writes it.
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/reply.ts'
import { ask, Id, Nullable } from '#shared/contracts/common.ts'
import { ListObservations } from '#shared/contracts/observations/observation-log.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { AnyTemplate, Template } from '#shared/contracts/resources/template.ts'

const Key = Type.String({ minLength: 1, maxLength: 400 })

/** Filters by fields or labels. `key`: key of the field or label. `value`: required value, as the caller sent it. */
const Filters = Type.Array(Type.Object({ key: Type.String({ maxLength: 16_384 }), value: Type.String({ maxLength: 16_384 }) }), {
  maxItems: 5,
})

/**
 * Filters of a list of Resources. `template`: a key (any revision) or `key@version`; null: any Template. `isRedacted`: the reader sees
 * values in display form, so fields and labels are compared in display form; absent: as stored.
 */
export const resourceFilters = {
  state: Type.Enum(['active', 'archived', 'all']),
  template: Nullable(Type.String({ minLength: 1, maxLength: 100 })),
  meta: Filters,
  labels: Filters,
  isRedacted: Type.Optional(Type.Boolean()),
}

/** A manifest as the caller sent it; only the manifest reader checks its shape. */
const Manifest = Type.Unknown()
/** `key@version`, or `key`, which means the highest version. */
const TemplateReference = Type.String({ minLength: 1, maxLength: 100 })

export const resourceAsks = {
  /**
   * Returns the Resource with this id, or else with this key, even if it is archived. Null: there is no such Resource. The rules in the
   * result have the last stored verdict.
   */
  'get-resource': ask<ResourceView | null>()({ workspaceId: Id, reference: Key }),
  /** For each reference, the Resource that it names, even if it is archived. Null: the reference names no Resource. */
  'resolve-resources': ask<(ResolvedResource | null)[]>()({
    workspaceId: Id,
    references: Type.Array(Key, { minItems: 1, maxItems: 500 }),
  }),
  /** A page of the workspace's Resources, ordered by id. Errors: `validation`, whose `field` names the invalid query parameter. */
  'list-resources': ask<Page<ResourceView>>()({
    workspaceId: Id,
    ...resourceFilters,
    after: Nullable(Id),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  'list-observations': ListObservations,
  /** Reserves exactly this key for a Resource to be created. Returns null. Errors: `taken`, with `key` as the field. */
  'reserve-key': ask<null>()({ workspaceId: Id, key: Key, subjectId: Id }),
  /**
   * Stores one revision. Errors: `invalid_state` (`Template revision exists`); `malformed` or `validation` with `field` (a dotted place).
   * If the first attempt stored the revision, a retry fails with `invalid_state`; the caller then reads the revision.
   */
  'publish-template': ask<Template>()({ workspaceId: Id, manifest: Manifest }),
  /** Returns the Template that a manifest describes, and stores nothing. Errors: those of `publish-template`, except `invalid_state`. */
  'read-manifest': ask<Template>()({ workspaceId: Id, manifest: Manifest }),
  /** A page of the workspace's own Template revisions, ordered by key and version. */
  'list-templates': ask<Page<Template>>()({ workspaceId: Id, after: After }),
  /**
   * Returns a Template. Null: neither the workspace nor the system has this revision. `damaged`: the stored revision cannot be read (v3
   * 4.13).
   */
  'get-template': ask<AnyTemplate | 'damaged' | null>()({ workspaceId: Id, reference: TemplateReference }),
  /**
   * For each revision (`key@version`), the number of unarchived Resources that are bound to it. Revisions without Resources are omitted.
   */
  'count-template-uses': ask<Record<string, number>>()({ workspaceId: Id }),
} as const

export interface ResolvedResource {
  id: string
  key: string
  archivedAt: number | null
  /** `key@version` of the Template; null: the Resource is a custom subject of generation 2. */
  template: string | null
}
