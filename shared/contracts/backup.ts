// Request for a backup of the embedded store over the bus, and its response.
import { type Static, Type } from 'typebox'

export const BackupRequest = Type.Object({})

export const BackupMade = Type.Object({
  /** Path of the backup file, in the data folder of the service that wrote it. The caller removes the file. */
  path: Type.String(),
  bytes: Type.Integer(),
  installationId: Type.String(),
  /** The backup contains every write that was acknowledged before this instant, ms since the epoch. */
  at: Type.Integer(),
})
export type BackupMade = Static<typeof BackupMade>
