// Questions about Observation addresses (docs/reference/v3.md, section 8).
import { Type } from 'typebox'
import { Id, Nullable, Slug, TokenHash } from '#shared/contracts/common.ts'

/** As it was sent: the directory has the finer rules. */
const Text = Type.String({ maxLength: 4_096 })

export const addressAsks = {
  /** Null if the token is unknown or its address or workspace is deleted. */
  'find-address': Type.Object({ tokenHash: TokenHash }),
  /** A repeat with the same id and hash returns the first. Refused: validation with `template` or `description`, not_found. */
  'create-address': Type.Object({
    id: Id,
    workspaceId: Id,
    tokenHash: TokenHash,
    /** The key of the one Template whose Resources it reports on; null: any Resource of the workspace. */
    template: Nullable(Text),
    secondFactor: Type.Boolean(),
    description: Text,
  }),
  /** Those of the workspace, the oldest first. */
  'list-addresses': Type.Object({ workspaceId: Id }),
  /** Every gateway forgets it. Refused: not_found. */
  'delete-address': Type.Object({ workspaceId: Id, addressId: Id }),
  /**
   * The Resource that a first report makes: `subjectId`, whose key is then reserved, or the one for which the key is reserved already.
   * Null: the address has made as many Resources today as it may. Refused: validation `key` if the workspace is full.
   */
  'reserve-reported': Type.Object({ addressId: Id, workspaceId: Id, key: Slug, subjectId: Id }),
  /** Null. Refused: validation `key` if the workspace has as many unarchived Resources as it may. */
  'require-resource-room': Type.Object({ workspaceId: Id }),
} as const

/** Where a report goes that was sent to an address. */
export interface AddressIdentity {
  id: string
  workspaceId: string
  template: string | null
  secondFactor: boolean
}

export interface AddressView extends AddressIdentity {
  description: string
  createdAt: number
}

export interface AddressAnswers {
  'find-address': AddressIdentity | null
  'create-address': AddressView
  'list-addresses': AddressView[]
  'delete-address': { id: string }
  'reserve-reported': { subjectId: string } | null
  'require-resource-room': null
}
