// Readers who see values in display form, without secrets: scoped keys and viewers. Reference: docs/reference/v3.md, 11.2.
import type { Identity } from '#shared/contracts/ask/ask.ts'
import { roleIn } from './access.ts'

/** Whether values of a workspace are redacted for a caller. The values are redacted for a scoped key and for a viewer. */
export const isRedactedIn = (workspaceId: string, { scope, memberships }: Identity): boolean =>
  scope !== null || roleIn({ memberships }, workspaceId) === 'viewer'

/**
 * Whether values that belong to no workspace are redacted for a caller. A full key of an editor or owner of at least one workspace reads
 * them unredacted.
 */
export const isRedactedAnywhere = ({ scope, memberships }: Identity): boolean =>
  scope !== null || memberships.every(({ role }) => role === 'viewer')
