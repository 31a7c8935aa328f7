// Requests about Observation addresses (docs/reference/v3.md, section 8).
import { Type } from 'typebox'
import type { AddressDocument } from '#shared/contracts/account.ts'
import { ask, Id, Nullable, Slug, TokenHash } from '#shared/contracts/common.ts'

/** Text as the caller sent it. The directory checks stricter rules. */
const Text = Type.String({ maxLength: 4_096 })

export const addressAsks = {
  /** Returns the address of a token. Null: the token is unknown, or its address or workspace is deleted. */
  'find-address': ask<AddressIdentity | null>()({ tokenHash: TokenHash }),
  /** Creates an address; a retry returns the same address. Errors: `validation` of `template` or `description`, `not_found`. */
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
   * Reserves a key for the Resource that a first report creates. If the key is already reserved, returns the id for which it is reserved,
   * else `subjectId`. Returns null if reports to the address have created the maximum number of Resources today. Errors: `validation` of
   * `key` if the workspace is full.
   */
  'reserve-reported': ask<{ subjectId: string } | null>()({ addressId: Id, workspaceId: Id, key: Slug, subjectId: Id }),
  /**
   * Checks that the workspace can get one more Resource. Returns null. Errors: `validation` of `key` if the workspace has its maximum of
   * unarchived Resources.
   */
  'require-resource-room': ask<null>()({ workspaceId: Id }),
  /**
   * Takes room for `more` checks a minute of a workspace that may make `most`. Returns null, or the number of checks a minute that it makes
   * already, if there is no such room.
   */
  'take-check-room': ask<{ perMinute: number } | null>()({
    workspaceId: Id,
    more: Type.Number({ exclusiveMinimum: 0 }),
    most: Type.Integer({ minimum: 1 }),
  }),
} as const

/**
 * An Observation address as the directory returns it for a token: its workspace, its only Template, and whether it needs a second factor.
 */
export type AddressIdentity = Pick<AddressDocument, 'id' | 'workspaceId' | 'template' | 'secondFactor'>
export type AddressView = Omit<AddressDocument, 'rev' | 'tokenHash' | 'made'>
