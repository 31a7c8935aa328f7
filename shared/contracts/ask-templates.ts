// Questions about Templates (docs/reference/v3.md, section 3).
import { Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'
import { After, type Page } from '#shared/contracts/page.ts'
import type { SystemTemplate, Template } from '#shared/contracts/template.ts'

/** A manifest as it was sent: its reader is the only judge of its shape. */
const Manifest = Type.Unknown()
/** `key`, which means the highest version, or `key@version`. */
const Reference = Type.String({ minLength: 1, maxLength: 100 })

export const templateAsks = {
  /**
   * Stores one revision. Refused: malformed and validation with `field` (a dotted place); invalid_state `Template revision exists`.
   * A retry of what was stored is refused as well: whoever retries reads the revision.
   */
  'publish-template': Type.Object({ workspaceId: Id, manifest: Manifest }),
  /** The Template that a manifest describes; refuses what publication would refuse, except a revision that exists. */
  'read-manifest': Type.Object({ workspaceId: Id, manifest: Manifest }),
  /** A page of the workspace's own revisions, by key and version. */
  'list-templates': Type.Object({ workspaceId: Id, after: After }),
  /** Null if the workspace has no such revision and no system Template has this name. `damaged`: it is stored and cannot be read (v3 4.13). */
  'get-template': Type.Object({ workspaceId: Id, reference: Reference }),
} as const

export interface TemplateAnswers {
  'publish-template': Template
  'read-manifest': Template
  'list-templates': Page<Template>
  'get-template': Template | SystemTemplate | 'damaged' | null
}
