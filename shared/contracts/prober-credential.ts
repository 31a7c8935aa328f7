// Stored credential of a prober on another machine. Never contains its secret.
import type { Stored } from '#shared/contracts/common.ts'

export interface ProberCredentialDocument extends Stored {
  locationId: string
  /** Identifies the credentials on the bus; not a secret. */
  publicKey: string
  description: string
  createdAt: number
  /** Null: valid. Once set it stays, because the list of revoked keys on the bus needs it for ever. */
  revokedAt: number | null
}
