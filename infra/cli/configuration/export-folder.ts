// `./watchkeeper export`: requests the workspace as files, then writes them. Before it reads anything, the command refuses a folder that is
// not empty.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ExportedConfiguration } from '#shared/contracts/session/configuration.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { counted } from '#shared/text/counted.ts'
import { firstLine } from '../../../services/gateway/configuration/export-files.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { oneLine, printJson, say, warn } from '../terminal/printing.ts'

export interface ExportOptions extends ApiOptions {
  force?: boolean
}

export async function exportFolder(folder: string, options: ExportOptions): Promise<void> {
  const before = await entriesOf(folder)
  if (before.length > 0 && !options.force) {
    throw new StartError(`The folder ${folder} is not empty: name another one, or say --force.`, exitCodes.refused)
  }
  await withWorkspace(options, async ({ api, root }) => {
    const request = { method: 'GET', path: `${root}/configuration`, waitMs: clientLimits.configurationMs } as const
    const { files: texts = {}, objects, omitted } = (await api.call(request)) as ExportedConfiguration
    const files = Object.keys(texts)
    requireInside(files)
    await replace(folder, texts)
    if (options.json) return printJson({ folder, files, objects, omitted })
    for (const path of files) say(join(folder, path))
    say(`${counted(objects, 'object')} in ${counted(files.length, 'file')}.`)
    for (const sentence of omitted) warn(sentence)
  })
}

/** Throws if a path leads out of the folder. A path contains the key of a Template, which comes from a server. */
function requireInside(paths: readonly string[]): void {
  const outside = paths.find(path => !/^[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)?$/.test(path))
  if (outside === undefined) return
  const sentence = `The server gives a Template a key that names no file (${oneLine(outside)}): nothing was written.`
  throw new StartError(sentence, exitCodes.refused)
}

/** Returns files and folders below the folder; empty: the folder does not exist. */
async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder, { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new StartError(`The folder ${folder} can't be read (${code}).`)
  }
}

/**
 * Writes the files of this export. First removes files of an earlier export that this export does not replace, because `apply` would read
 * them too.
 */
async function replace(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  try {
    const kept = new Set(Object.keys(files).map(path => join(folder, path)))
    for (const path of (await entriesOf(folder)).filter(name => name.endsWith('.yaml')).map(name => join(folder, name))) {
      if (!kept.has(path) && (await readFile(path, 'utf8')).startsWith(`${firstLine}\n`)) await rm(path)
    }
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { mode: 0o600 })
      // An existing file keeps its mode when it is written.
      await chmod(file, 0o600)
    }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The folder ${folder} can't be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}
