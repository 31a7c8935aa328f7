// Requests about Observation addresses (docs/reference/v3.md, section 8).
import { Type } from 'typebox'
import type { AddressDocument } from '#shared/contracts/account.ts'
import { ask, Id, Nullable, Slug, TokenHash } from '#shared/contracts/common.ts'

/** Text as the caller sent it; the directory checks the tighter rules. */
const Text = Type.String({ maxLength: 4_096 })

export const addressAsks = {
  /** Returns null if the token is unknown, or if its address or workspace is deleted. */
  'find-address': ask<AddressIdentity | null>()({ tokenHash: TokenHash }),
  /** Creates an address; a retry returns the first. Errors: validation with `template` or `description`, not_found. */
  'create-address': ask<AddressView>()({
    id: Id,
    workspaceId: Id,
    tokenHash: TokenHash,
    /** Key of the only Template whose Resources the address may report on; null: any Resource of the workspace. */
    template: Nullable(Text),
    secondFactor: Type.Boolean(),
    description: Text,
  }),
  /** Addresses of the workspace, oldest first. */
  'list-addresses': ask<AddressView[]>()({ workspaceId: Id }),
  /** Deletes an address. Every gateway removes the address from its cache. Errors: not_found. */
  'delete-address': ask<{ id: string }>()({ workspaceId: Id, addressId: Id }),
  /**
   * Reserves a key for the Resource that a first report creates. Returns `subjectId`, or the id for which the key is reserved already.
   * Returns null if the address has created its maximum of Resources today. Errors: validation `key` if the workspace is full.
   */
  'reserve-reported': ask<{ subjectId: string } | null>()({ addressId: Id, workspaceId: Id, key: Slug, subjectId: Id }),
  /** Returns null. Errors: validation `key` if the workspace has its maximum of unarchived Resources. */
  'require-resource-room': ask<null>()({ workspaceId: Id }),
} as const

/** Target of the reports that are sent to an address. */
export type AddressIdentity = Pick<AddressDocument, 'id' | 'workspaceId' | 'template' | 'secondFactor'>
export type AddressView = Omit<AddressDocument, 'rev' | 'tokenHash' | 'made'>
