// A backup of the embedded store, as it is asked for over the bus and answered.
import { type Static, Type } from 'typebox'

export const BackupRequest = Type.Object({})

export const BackupMade = Type.Object({
  /** The file, in the data folder of whoever made it: whoever asked takes it away. */
  path: Type.String(),
  bytes: Type.Integer(),
  installationId: Type.String(),
  /** Everything that was acknowledged by then is in it, ms since the epoch. */
  at: Type.Integer(),
})
export type BackupMade = Static<typeof BackupMade>
