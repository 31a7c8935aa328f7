// Questions about the credentials by which probers on other machines join the bus. Who may ask (administrators) is decided by the asker.
import { Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'

export const proberAsks = {
  /**
   * Credentials for a location that exists. A repeat with the same id answers the same credentials. Refused where this bus has no
   * keys to make them with (invalid_state), where there are too many, and where the id was revoked.
   */
  'create-prober-credential': Type.Object({
    id: Id,
    locationName: Type.String({ maxLength: 400 }),
    description: Type.String({ maxLength: 4_096 }),
  }),
  /** All of them, oldest first, revoked ones too; never their secrets. */
  'list-prober-credentials': Type.Object({}),
  /** Revokes: whoever is connected with it is cut off before this is answered. A repeat answers the same. */
  'delete-prober-credential': Type.Object({ credentialId: Id }),
} as const

export interface ProberCredentialView {
  id: string
  locationId: string
  /** Null where the location is gone. */
  locationName: string | null
  /** By which the bus knows it; no secret. */
  publicKey: string
  description: string
  createdAt: number
  /** Null while it is good. */
  revokedAt: number | null
}

export interface ProberAnswers {
  /** `credentials` is the text of the file; it is in this answer and nowhere else. */
  'create-prober-credential': ProberCredentialView & { credentials: string }
  'list-prober-credentials': ProberCredentialView[]
  'delete-prober-credential': ProberCredentialView
}
