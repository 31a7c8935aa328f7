// Files of a configuration folder: every .yaml, .yml and .json file in it and its subfolders. Skips names that start with a dot. Does not
// follow links to folders. Never writes.
import { isUtf8 } from 'node:buffer'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { type PlacedObject, readObjects } from '../../../services/gateway/configuration/document.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'

/**
 * Returns the objects of a folder or of one file, sorted by file name. `say` receives the progress. Throws StartError, and FileFault for
 * a fault in a file.
 */
export async function readFolder(folder: string, say: (text: string) => void = () => {}): Promise<PlacedObject[]> {
  const files = await filesOf(folder)
  const objects: PlacedObject[] = []
  let bytes = 0
  for (const file of files) {
    const text = await readText(file)
    bytes += Buffer.byteLength(text)
    if (bytes > clientLimits.configurationBytes) throw tooMuch(folder, `${clientLimits.configurationBytes} bytes`)
    objects.push(...readObjects(file, text, { onRead: share => say(`${Math.round(100 * share)} % of ${file} read …`) }))
    if (objects.length > clientLimits.configurationObjects) throw tooMuch(folder, `${clientLimits.configurationObjects} objects`)
  }
  // Refuses an empty folder, because it means a wrong name or a failed checkout. With --prune, an empty folder would delete everything.
  if (objects.length === 0)
    throw usageError(`${folder} holds no configuration: there is no object in any .yaml, .yml or .json file.`)
  return objects
}

async function filesOf(folder: string): Promise<string[]> {
  const found: string[] = []
  const folders: string[] = []
  const entry = await stat(folder).catch(failure(folder))
  if (entry.isFile()) return [folder]
  folders.push(folder)
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const inside = next
    for (const entry of await readdir(inside, { withFileTypes: true }).catch(failure(inside))) {
      const path = join(inside, entry.name)
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) folders.push(path)
      else if (/\.(ya?ml|json)$/i.test(entry.name)) found.push(path)
      if (found.length + folders.length > clientLimits.configurationFiles) {
        throw tooMuch(folder, `${clientLimits.configurationFiles} files and folders`)
      }
    }
  }
  return found.sort()
}

/** Throws FileFault for a file that is larger than `most` bytes or not UTF-8. */
export async function readText(file: string, most: number = clientLimits.configurationFileBytes): Promise<string> {
  const { size } = await stat(file).catch(failure(file))
  if (size > most) throw new FileFault(file, '', `it has more than ${most} bytes`)
  const bytes = await readFile(file).catch(failure(file))
  if (isUtf8(bytes)) return bytes.toString('utf8').replace(/^\uFEFF/, '')
  throw new FileFault(file, '', 'it is not UTF-8')
}

const tooMuch = (folder: string, what: string) =>
  usageError(`${folder} holds more than ${what}: name the folder of the configuration.`)

const failure =
  (path: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    if (code === 'ENOENT') throw new StartError(`There is no file or folder ${path}.`, exitCodes.notFound)
    throw new StartError(`${path} can't be read (${code}).`)
  }
