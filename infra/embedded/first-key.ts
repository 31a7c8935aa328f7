// The first API key: kept in a file that only this user may read, and put to work only when it is there. Its value is never
// printed and never logged.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BootstrapSurroundings } from '../../services/directory/bootstrap.ts'
import { writeSecretFile } from './data-folder.ts'

export interface FirstKey {
  path: string
  /** The workspace that the first start made. */
  workspaceId: string
}

/**
 * Readies the installation for its first person and answers where the first key lies; null where there is no such file (it was
 * taken away, or this is not where the installation was started first), or its key no longer works.
 */
export async function prepareFirstKey(
  surroundings: BootstrapSurroundings,
  options: { dataFolder: string; location: string },
): Promise<FirstKey | null> {
  const { bootstrap, confirmFirstKey, isWorkingKey } = await import('../../services/directory/bootstrap.ts')
  const path = join(options.dataFolder, 'first-key')
  const { firstKey, workspaceId } = await bootstrap(surroundings, { location: options.location })
  if (firstKey !== null) {
    await writeSecretFile(path, `${firstKey}\n`)
    if (!(await confirmFirstKey(surroundings, firstKey))) await rm(path, { force: true })
  }
  const token = (await readFile(path, 'utf8').catch(() => '')).trim()
  return (await isWorkingKey(surroundings, token)) ? { path, workspaceId } : null
}
