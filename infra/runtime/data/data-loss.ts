// Losses that a start would not notice without this check: a database that is missing, older than before, or of another installation (ADR
// 25). Pure. A loss is returned as a sentence, which names the missing thing and the way to continue.
import { basename, dirname } from 'node:path'
import type { InspectedFile } from '#shared/store/sqlite/sqlite-inspect.ts'

/** The bus's record of the store. */
export interface KnownStore {
  installationId: string
  /**
   * Number of commits on the disk when this record was written to the bus, or of a shared store the number of its checkpoints; null: not
   * known.
   */
  commits: number | null
}

/** State of the store before the start changes anything. */
export interface FoundStore {
  /** Name of the store in sentences for people. */
  name: string
  /** Id of the installation; null: the store was never used. */
  installationId: string | null
  commits: number | null
  /** True: a database server, whose `commits` are the checkpoints that its keepers have written. */
  isShared?: true
}

const fromBackup =
  'restore a backup into an empty folder (./watchkeeper restore <file> --data-dir <folder>) and start on that one'

/** Returns the loss of a data folder's database; null: no loss. `beside`: names of found files that only a used folder has. */
export function lossOfFile(path: string, file: InspectedFile, beside: readonly string[]): string | null {
  if (!file.exists && beside.length > 0) {
    return (
      `The database ${path} is missing or empty, but the data folder was in use (it has ${beside.join(' and ')}): put the database ` +
      `back, or ${fromBackup}, or start with --accept-loss to begin without its data.`
    )
  }
  return file.exists && file.commits < file.leastCommits ? lostCommits(`The database ${path}`, path, file) : null
}

/** Returns the loss that a comparison with the bus's record shows; null: no loss. */
export function lossByBus(store: FoundStore, known: KnownStore): string | null {
  const { name, installationId, commits } = store
  const accept = 'start with --accept-loss to let this bus go on with this store'
  if (installationId === null) {
    return (
      `${name} is new, but the bus has worked with the store of the installation ${known.installationId}: put that store back, or ` +
      `${fromBackup}, or correct DATA_DIR, MONGODB_URL or NATS_URL, or ${accept}.`
    )
  }
  if (installationId !== known.installationId) {
    return (
      `${name} is that of the installation ${installationId}, but the bus is that of ${known.installationId}: correct DATA_DIR, ` +
      `MONGODB_URL or NATS_URL, or ${accept}.`
    )
  }
  if (commits === null || known.commits === null || commits >= known.commits) return null
  if (store.isShared) return setBack(name, commits, known.commits)
  return lostCommits(name, null, { commits, leastCommits: known.commits })
}

const setBack = (name: string, checkpoints: number, leastCheckpoints: number): string =>
  `${name} was set back to an earlier state: its keepers have written ${checkpoints} checkpoints there, and the bus knows of ` +
  `${leastCheckpoints}. Put the later state back, or start one process with --accept-loss to go on without what came after it.`

function lostCommits(
  name: string,
  path: string | null,
  { commits, leastCommits }: Pick<InspectedFile, 'commits' | 'leastCommits'>,
) {
  const log = path === null ? 'its write-ahead log' : `its write-ahead log ${basename(path)}-wal in ${dirname(path)}`
  return (
    `${name} lacks the last ${leastCommits - commits} of ${leastCommits} commits: ${log} is missing or damaged, or an older copy took ` +
    `its place. Put the right files back, or ${fromBackup}, or start with --accept-loss to go on without them.`
  )
}
