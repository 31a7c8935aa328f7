// The first API key: written to a file that only this user may read, and valid only after the write. Its value is never printed and never
// logged.
import { link, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BootstrapContext } from '../../../services/directory/people/bootstrap.ts'
import { writeSecretFile } from './data-folder.ts'

export interface FirstKey {
  path: string
  /** Workspace that the first start created. */
  workspaceId: string
}

/**
 * Prepares the installation for its first person and returns the path of the first key. Returns null if the file was removed or is on
 * another machine, or if its key is no longer valid. A file of another installation is renamed, never overwritten.
 */
export async function prepareFirstKey(
  context: BootstrapContext,
  options: { dataFolder: string; location: string },
): Promise<FirstKey | null> {
  const { bootstrap, confirmFirstKey, isWorkingKey } = await import('../../../services/directory/people/bootstrap.ts')
  const path = join(options.dataFolder, 'first-key')
  // Uses the key in the file again, because an earlier start may have been interrupted after the write of the file.
  const kept = await tokenIn(path)
  if (kept !== '') await confirmFirstKey(context, kept)
  const { firstKey, workspaceId } = await bootstrap(context, { location: options.location })
  if (firstKey !== null) {
    await moveAside(path)
    await writeSecretFile(path, `${firstKey}\n`)
    if (!(await confirmFirstKey(context, firstKey))) await rm(path, { force: true })
  }
  return (await isWorkingKey(context, await tokenIn(path))) ? { path, workspaceId } : null
}

const tokenIn = async (path: string): Promise<string> => (await readFile(path, 'utf8').catch(() => '')).trim()

/** Renames the file to `first-key.1`, or to the next free number. */
async function moveAside(path: string): Promise<void> {
  for (let number = 1; ; number++) {
    try {
      await link(path, `${path}.${number}`)
      await rm(path)
      return
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return
      if (code !== 'EEXIST') throw error
    }
  }
}
