// Requests about the credentials by which probers on other machines join the bus. The caller checks that an administrator sends the
// request.
import { Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'
import type { ProberCredentialDocument } from '#shared/contracts/prober-credential.ts'

export const proberAsks = {
  /**
   * Creates credentials for an existing location. A retry with the same id returns the same credentials. Fails if this bus has no keys to
   * sign them (invalid_state), if there are too many credentials, or if the id is revoked.
   */
  'create-prober-credential': Type.Object({
    id: Id,
    locationName: Type.String({ maxLength: 400 }),
    description: Type.String({ maxLength: 4_096 }),
  }),
  /** All credentials, oldest first, revoked ones included, without their secrets. */
  'list-prober-credentials': Type.Object({}),
  /** Revokes credentials and closes their connections before it responds. A retry returns the same response. */
  'delete-prober-credential': Type.Object({ credentialId: Id }),
} as const

export interface ProberCredentialView extends Omit<ProberCredentialDocument, 'rev'> {
  /** Null: the location is deleted. */
  locationName: string | null
}

export interface ProberAnswers {
  /** `credentials` is the text of the file. Only this response contains it. */
  'create-prober-credential': ProberCredentialView & { credentials: string }
  'list-prober-credentials': ProberCredentialView[]
  'delete-prober-credential': ProberCredentialView
}
