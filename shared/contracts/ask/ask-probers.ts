// Requests about the credentials by which probers on other machines join the bus. The caller checks that an administrator sends the
// request.
import { Type } from 'typebox'
import type { ProberCredentialDocument } from '#shared/contracts/account.ts'
import { ask, Id } from '#shared/contracts/common.ts'

export const proberAsks = {
  /**
   * Creates credentials for an existing location; the same id gets the same credentials. Only this response contains the credentials. Fails
   * if this bus has no keys to sign them (invalid_state), if there are too many credentials, or if the id is revoked.
   */
  'create-prober-credential': ask<ProberCredentialView & { credentials: string }>()({
    id: Id,
    locationName: Type.String({ maxLength: 400 }),
    description: Type.String({ maxLength: 4_096 }),
  }),
  /** All credentials, oldest first, revoked ones included, without their secrets. */
  'list-prober-credentials': ask<ProberCredentialView[]>()({}),
  /** Revokes credentials and closes their connections before it responds. A retry returns the same response. */
  'delete-prober-credential': ask<ProberCredentialView>()({ credentialId: Id }),
} as const

export interface ProberCredentialView extends Omit<ProberCredentialDocument, 'rev'> {
  /** Null: the location is deleted. */
  locationName: string | null
}
