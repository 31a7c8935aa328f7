// A credential given to a prober on another machine, as the directory remembers it: never its secret.
import type { Stored } from '#shared/contracts/common.ts'

export interface ProberCredentialDocument extends Stored {
  locationId: string
  publicKey: string
  description: string
  createdAt: number
  /** Null while it is good; once set it stays, because the bus must be told for ever. */
  revokedAt: number | null
}
