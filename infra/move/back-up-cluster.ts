// Backup of an installation with MongoDB: its documents as of one instant in the file of an embedded store, with the keys that the settings
// have. The same file as that of an installation with an embedded store. If the server cannot read as of one instant, nothing may run.
import { mkdir, rename, rm } from 'node:fs/promises'
import { collections } from '#shared/store/collections.ts'
import { embeddedStorePath, openStoredForms, renumber } from '#shared/store/open-store.ts'
import type { BackupContent, Store, StoreSnapshot } from '#shared/store/port.ts'
import { StoreError } from '#shared/store/port.ts'
import { completeBackup } from '#shared/store/sqlite/sqlite-backup.ts'
import { keysOfFile } from '../runtime/bus/open-bus.ts'
import { readKeptFiles } from '../runtime/data/backup.ts'
import { secretsKeyFile } from '../runtime/data/kept-secrets-key.ts'
import { installationSettingId } from '../runtime/data/known-installation.ts'
import { exitCodes, notFoundError, StartError, startStep } from '../runtime/start-error.ts'
import { copyStore } from './copy-store.ts'
import { type ClusterPlace, nameOf } from './place.ts'
import { removeProgress } from './progress.ts'
import { openPlace, type SideOptions } from './side.ts'
import { isRunning } from './source.ts'
import { busKeysFile, noteSalt } from './target.ts'

export interface ClusterBackupOptions extends SideOptions {
  place: ClusterPlace
  /** Path of a file that does not exist yet. */
  file: string
  onProgress(text: string): void
}

/** Writes the backup and returns its content. Throws a StartError; then there is no file. */
export async function backUpCluster(options: ClusterBackupOptions): Promise<BackupContent> {
  const { file, settings } = options
  const folder = `${file}.draft`
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  try {
    const { number, ...content } = await startStep(() => fill(folder, options))
    await startStep(() => renumber(folder, number))
    completeBackup(embeddedStorePath(folder), { ...content, files: await filesOf(settings) })
    await rename(embeddedStorePath(folder), file)
    return content
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(folder: string, options: ClusterBackupOptions): Promise<BackupContent & { number: number }> {
  const { place, clock, logger, settings } = options
  const { store, number } = await openPlace(place, 'source', options)
  try {
    const [installation = null] = await store.get('settings', [installationSettingId])
    if (installation === null) throw notFoundError(`There is no installation in ${nameOf(place)}.`)
    const target = await openStoredForms({ dataFolder: folder, logger })
    try {
      const snapshot = await openAtOneInstant(store, options)
      const at = clock.now()
      try {
        await copyStore({ ...options, source: snapshot === null ? store : halves(snapshot, store), target })
      } finally {
        await snapshot?.close()
      }
      await removeProgress(target)
      await noteSalt(target, settings.SQIDS_SALT)
      return { installationId: installation.value, at, files: {}, number }
    } finally {
      await target.close()
    }
  } finally {
    await store.close()
  }
}

/** Returns null if the server cannot read as of one instant, but nothing runs. */
async function openAtOneInstant(store: Store, options: ClusterBackupOptions): Promise<StoreSnapshot | null> {
  try {
    return (await store.snapshot?.()) ?? null
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'permanent') throw error
    if (!(await isRunning(options.place, options))) return null
    throw new StartError(`${error.message} Or stop all directories, keepers and notifiers for the backup.`, exitCodes.refused)
  }
}

/**
 * Rows that are written before the subject that they belong to may be newer than the subject, as after a crash. They are the most by far, and
 * the past of the database would not last for them.
 */
const mayBeNewer = ({ compact, gathered }: { compact?: true; gathered?: true }): boolean => compact === true && gathered !== true

const halves = (snapshot: StoreSnapshot, store: Store): Pick<Store, 'find'> => ({
  find: (collection, query) =>
    mayBeNewer(collections[collection]) ? store.find(collection, query) : snapshot.find(collection, query),
})

async function filesOf(settings: ClusterBackupOptions['settings']): Promise<Record<string, string>> {
  const keys = await keysOfFile(settings)
  return {
    ...(await readKeptFiles(settings.DATA_DIR)),
    ...(settings.SECRETS_KEY === '' ? {} : { [secretsKeyFile]: `${settings.SECRETS_KEY}\n` }),
    ...(keys === null ? {} : { [busKeysFile]: `${JSON.stringify(keys, null, 2)}\n` }),
  }
}
