// Files of a configuration folder: every .yaml, .yml and .json file in it and its subfolders. Skips names that start with a dot. Does not
// follow links to folders. Never writes.
import { isUtf8 } from 'node:buffer'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '#shared/limits/limits.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'

const bounds = limits.configuration

/** Returns the texts of a folder or of one file, by path. Throws StartError, and FileFault for a file that is no text. */
export async function readFolder(folder: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  let bytes = 0
  for (const file of await filesOf(folder)) {
    const text = await readText(file)
    bytes += Buffer.byteLength(text)
    if (bytes > bounds.bytes) throw tooMuch(folder, `${bounds.bytes} bytes`)
    texts[file] = text
  }
  // Refuses an empty folder, because it means a wrong name or a failed checkout. With --prune, an empty folder would delete everything.
  if (bytes === 0) throw usageError(`${folder} holds no configuration: there is no object in any .yaml, .yml or .json file.`)
  return texts
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
      if (found.length + folders.length > bounds.files) throw tooMuch(folder, `${bounds.files} files and folders`)
    }
  }
  return found.sort()
}

/** Throws FileFault for a file that is larger than `most` bytes or not UTF-8. */
export async function readText(file: string, most: number = bounds.bytes): Promise<string> {
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
