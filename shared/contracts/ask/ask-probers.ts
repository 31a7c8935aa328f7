// Requests about credentials with which probers on other machines connect to the bus. The gateway checks that an administrator
// sends the request.
import { Type } from 'typebox'
import type { ProberCredentialDocument } from '#shared/contracts/account.ts'
import { ask, Id } from '#shared/contracts/common.ts'

export const proberAsks = {
  /**
   * Creates credentials for an existing location. `locationName`: its id or its name. A retry with the same id returns the same credentials. Only this response contains the
   * credentials. Fails if the bus has no keys that sign credentials (invalid_state), if there are too many credentials, or if the id is
   * revoked.
   */
  'create-prober-credential': ask<ProberCredentialView & { credentials: string }>()({
    id: Id,
    locationName: Type.String({ maxLength: 400 }),
    description: Type.String({ maxLength: 4_096 }),
  }),
  /** All credentials without their secrets, oldest first. Revoked credentials are included. */
  'list-prober-credentials': ask<ProberCredentialView[]>()({}),
  /** Revokes credentials and closes the connections that use them, then responds. A retry returns the same response. */
  'delete-prober-credential': ask<ProberCredentialView>()({ credentialId: Id }),
} as const

export interface ProberCredentialView extends Omit<ProberCredentialDocument, 'rev'> {
  /** Name of the location; null: the location is deleted. */
  locationName: string | null
}
