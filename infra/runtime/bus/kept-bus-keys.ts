// Keys of the embedded bus: created at the first start and stored in the data folder, readable only by this user. They never change, so
// that credentials of remote probers stay valid.
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BusKeys, makeBusKeys, parseBusKeys } from '#shared/bus/probers/bus-keys.ts'
import type { Clock } from '#shared/time/clock.ts'
import { writeSecretFile } from '../data/data-folder.ts'

export interface KeptBusKeys {
  keys: BusKeys
  /** Credentials file of the installation's own services and commands. */
  houseCredentialsFile: string
}

/**
 * Throws an Error with a sentence if the keys are damaged. If the server has data but its keys are missing, throws too, because no remote
 * prober could connect after new keys were created. With `acceptLoss`, creates new keys for this server instead.
 */
export async function keptBusKeys(dataFolder: string, clock: Clock, acceptLoss = false): Promise<KeptBusKeys> {
  const folder = resolve(dataFolder, 'bus')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'keys.json')
  const present = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`The keys of the bus in ${file} can't be read (${error.code}): correct the rights of that file.`)
  })
  if (present === null && !acceptLoss && (await stat(join(folder, 'jetstream')).catch(() => null))) {
    throw new Error(
      `The keys of the bus in ${file} are missing: put a copy back, or start with --accept-loss, which makes all prober credentials void.`,
    )
  }
  const keys = present === null ? makeBusKeys(clock.now()) : parseBusKeys(present)
  if (keys === null) {
    throw new Error(
      `The keys of the bus in ${file} are damaged: put a copy back, or remove the file and start with --accept-loss, which makes all prober credentials void.`,
    )
  }
  if (present === null) await writeSecretFile(file, `${JSON.stringify(keys, null, 2)}\n`)
  const houseCredentialsFile = join(folder, 'house.creds')
  await writeSecretFile(houseCredentialsFile, keys.houseCredentials)
  return { keys, houseCredentialsFile }
}
