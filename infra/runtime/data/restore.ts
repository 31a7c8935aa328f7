// Creates a data folder from a backup. The folder must be new, so that nothing is overwritten. After a failure, the restored files are
// removed.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { embeddedStorePath } from '#shared/store/open-store.ts'
import type { BackupContent } from '#shared/store/port.ts'
import { readBackup, restoreSqliteFile } from '#shared/store/sqlite/sqlite-backup.ts'
import { startStep, usageError } from '../start-error.ts'
import { keptFiles } from './backup.ts'
import { prepareDataFolder, takeDataFolder, writeSecretFile } from './data-folder.ts'

/**
 * Files that a folder may contain and still count as empty. Every new file system has `lost+found`; an earlier check leaves the empty file
 * `start-lock`.
 */
const ignored: ReadonlySet<string> = new Set(['lost+found', 'start-lock'])

/** Returns whether a folder with this file may count as empty. */
export const isIgnored = (name: string): boolean => ignored.has(name)

/** Returns the restored content and the folder's absolute path. Throws a StartError. */
export async function restoreBackup(file: string, folder: string): Promise<BackupContent & { path: string }> {
  const content = await startStep(async () => readBackup(file))
  const path = await prepareDataFolder(folder)
  await requireEmpty(path)
  const taken = await takeDataFolder(path, 'restore')
  try {
    await startStep(() => fill(path, file, content))
    return { ...content, path }
  } finally {
    await taken.release()
  }
}

async function requireEmpty(path: string): Promise<void> {
  const [present] = (await readdir(path)).filter(name => !isIgnored(name))
  if (present === undefined) return
  throw usageError(
    `The data folder ${path} is not empty (it has ${present}): name one that is empty or does not exist (--data-dir).`,
  )
}

/** Writes the files of a backup, and the database last. A folder without a database does not count as used. */
async function fill(path: string, file: string, { files }: BackupContent): Promise<void> {
  const database = embeddedStorePath(path)
  const draft = `${database}.draft`
  const names = keptFiles.filter(name => files[name] !== undefined)
  try {
    restoreSqliteFile(file, draft)
    for (const name of names) {
      await mkdir(dirname(join(path, name)), { recursive: true, mode: 0o700 })
      await writeSecretFile(join(path, name), files[name] ?? '')
    }
    await rename(draft, database)
  } catch (error) {
    for (const made of [draft, `${draft}-journal`, join(path, 'bus'), ...names.map(name => join(path, name))])
      await rm(made, { recursive: true, force: true })
    throw error
  }
}
