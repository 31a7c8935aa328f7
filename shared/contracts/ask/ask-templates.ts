// Requests about Templates (docs/reference/v3.md, section 3).
import { Type } from 'typebox'
import { After, type Page } from '#shared/contracts/ask/page.ts'
import { Id } from '#shared/contracts/common.ts'
import type { SystemTemplate, Template } from '#shared/contracts/resources/template.ts'

/** A manifest as the caller sent it; only the manifest reader checks its shape. */
const Manifest = Type.Unknown()
/** `key` (the highest version) or `key@version`. */
const Reference = Type.String({ minLength: 1, maxLength: 100 })

export const templateAsks = {
  /**
   * Stores one revision. Errors: malformed and validation with `field` (a dotted path); invalid_state `Template revision exists`. A retry
   * also fails if the first attempt stored the revision; the caller then reads the revision.
   */
  'publish-template': Type.Object({ workspaceId: Id, manifest: Manifest }),
  /** Returns the Template that a manifest describes. Errors: as on publication, except for a revision that exists. */
  'read-manifest': Type.Object({ workspaceId: Id, manifest: Manifest }),
  /** A page of the workspace's own revisions, ordered by key and version. */
  'list-templates': Type.Object({ workspaceId: Id, after: After }),
  /** Null if neither the workspace nor the system has this revision; `damaged` if the stored revision cannot be read (v3 4.13). */
  'get-template': Type.Object({ workspaceId: Id, reference: Reference }),
  /** Number of unarchived Resources by `key@version` of their revision. Revisions without Resources are left out. */
  'count-template-uses': Type.Object({ workspaceId: Id }),
} as const

export interface TemplateAnswers {
  'publish-template': Template
  'read-manifest': Template
  'list-templates': Page<Template>
  'get-template': Template | SystemTemplate | 'damaged' | null
  'count-template-uses': Record<string, number>
}
