// A folder of secrets on disk. Only the folder's owner may enter the folder. All users may read the files in sub-folders, because a
// container runs as another user and sees only the mounted sub-folder.
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { randomId } from '#shared/text/ids.ts'
import { writeSecretFile } from '../runtime/data/data-folder.ts'
import { usageError } from '../runtime/start-error.ts'

/** Texts of the files, by path relative to the folder. */
export type SecretFiles = ReadonlyMap<string, string>

/** Creates the folder with all files. If one write fails, nothing remains. Throws a StartError if the folder exists or can't be made. */
export async function createSecretFolder(folder: string, files: SecretFiles): Promise<void> {
  const draft = `${folder}.${randomId(6)}`
  try {
    await mkdir(draft, { mode: 0o700 })
    await writeAll(draft, files)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    throw usageError(`The folder ${folder} can't be made (${code}): name one that does not exist.`)
  }
}

/** Replaces each file atomically; other files stay. Throws a StartError if a file can't be written. */
export async function replaceSecretFiles(folder: string, files: SecretFiles): Promise<void> {
  await writeAll(folder, files).catch(({ code }: NodeJS.ErrnoException) => {
    throw usageError(`The folder ${folder} can't be written (${code}): correct its rights.`)
  })
}

/** Throws a StartError if the folder can't be read. */
export async function readSecretFolder(folder: string): Promise<SecretFiles> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = found.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
    const texts = await Promise.all(paths.map(path => readFile(path, 'utf8')))
    return new Map(paths.map((path, index) => [relative(folder, path), texts[index] ?? '']))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageError(`The folder ${folder} can't be read (${code}): name the folder of a cluster's secrets.`)
  }
}

async function writeAll(folder: string, files: SecretFiles): Promise<void> {
  for (const [path, text] of files) {
    const file = join(folder, path)
    const parent = dirname(file)
    await mkdir(parent, { recursive: true })
    await writeSecretFile(file, text)
    if (parent === folder) continue
    await chmod(parent, 0o755)
    await chmod(file, 0o644)
  }
}
