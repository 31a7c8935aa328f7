// Requests about ping addresses and ping keys (docs/reference/v3.md, section 17). Their texts are secrets: they stand in no error.
import { Type } from 'typebox'
import type { PingDocument, PingKeyDocument } from '#shared/contracts/account.ts'
import { ask, Id, SignalName, Slug } from '#shared/contracts/common.ts'
import { PingKeyText, PingSlug, PushToken, Uuid } from '#shared/contracts/observations/ping.ts'

const OfResource = { workspaceId: Id, subjectId: Id }
const Minted = { signal: SignalName, id: Uuid, pushToken: PushToken }

export const pingAsks = {
  /** Returns what a ping address names. Null: the address is unknown, or its Resource or workspace is archived or deleted. */
  'find-ping': ask<PingTarget | null>()({ id: Uuid }),
  /** Like `find-ping`, by push token. */
  'find-push': ask<PingTarget | null>()({ pushToken: PushToken }),
  /** Returns what a ping key and the key of a Resource name. Null: the ping key is unknown, or the Resource is archived. */
  'find-pinged': ask<PingedByKey | null>()({ key: PingKeyText, slug: PingSlug }),
  /** Returns the addresses of these signals of a Resource, in the same order. Makes those that nobody has asked for before. */
  'list-ping-addresses': ask<PingAddress[]>()({ ...OfResource, signals: Type.Array(SignalName, { maxItems: 16 }) }),
  /** Replaces the address of a signal by a new one; a retry returns the same. Every gateway forgets the old one. */
  'rotate-ping-address': ask<PingAddress>()({ ...OfResource, ...Minted }),
  /**
   * Stores the address of a Resource that is about to be created. Returns null. Errors: `taken` of `ping_id` or `push_token` if another
   * Resource has it. If the Resource is not created, the address is free a minute later.
   */
  'reserve-ping-address': ask<null>()({ ...OfResource, ...Minted }),
  /** Removes the address of a Resource that was not created. Returns null. */
  'release-ping-address': ask<null>()({ subjectId: Id, id: Uuid }),
  /** Makes a ping key; a retry returns the same. Errors: `taken` of `key`, `invalid_state`, `not_found`, `validation` of `description`. */
  'create-ping-key': ask<PingKeyView>()({
    id: Id,
    workspaceId: Id,
    key: PingKeyText,
    description: Type.String({ maxLength: 4_096 }),
  }),
  /** Ping keys of the workspace, oldest first. */
  'list-ping-keys': ask<PingKeyView[]>()({ workspaceId: Id }),
  /** Deletes a ping key. Every gateway forgets it. Errors: not_found. */
  'delete-ping-key': ask<{ id: string }>()({ workspaceId: Id, keyId: Id }),
  /**
   * Reserves a key for the Resource that a ping creates. If the key is already reserved, returns the id for which it is reserved, else
   * `subjectId`. Returns null if pings with the ping key have created the maximum number of Resources today. Errors: `validation` of `key`
   * if the workspace is full, `not_found` if the ping key is deleted.
   */
  'reserve-pinged': ask<{ subjectId: string } | null>()({ keyId: Id, workspaceId: Id, key: Slug, subjectId: Id }),
} as const

/** The scheduled signal of a Resource that a ping is for. */
export interface PingTarget extends Pick<PingDocument, 'workspaceId' | 'subjectId' | 'signal'> {
  /** Id of the ping key by which it was found; null: it was found by its own address. */
  keyId: string | null
}

/** `missing`: the workspace has no such Resource. `ambiguous`: the Resource has no scheduled signal, or several. */
export type PingedByKey = { target: PingTarget } | { missing: { workspaceId: string; keyId: string } } | { ambiguous: true }

export type PingAddress = Pick<PingDocument, 'id' | 'signal' | 'pushToken'>
export type PingKeyView = Omit<PingKeyDocument, 'rev' | 'made'>
