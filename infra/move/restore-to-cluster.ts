// A backup as the store of a cluster: its documents go to an empty database. May end at any point and be run again.
import { mkdir, rm } from 'node:fs/promises'
import { embeddedStorePath } from '#shared/store/open-store.ts'
import type { BackupContent } from '#shared/store/port.ts'
import { readBackup, restoreSqliteFile } from '#shared/store/sqlite/sqlite-backup.ts'
import { digestOfSalt, incidentSaltId } from '../runtime/data/incident-salt.ts'
import { startStep } from '../runtime/start-error.ts'
import { copyStore } from './copy-store.ts'
import { writeMark } from './marks.ts'
import { type ClusterPlace, nameOf } from './place.ts'
import { removeProgress } from './progress.ts'
import { openPlace, type SideOptions } from './side.ts'
import { enterStore } from './target.ts'

export interface RestoreToClusterOptions extends SideOptions {
  file: string
  place: Pick<ClusterPlace, 'kind' | 'mongodbUrl' | 'natsUrl'>
  onProgress(text: string): void
}

/** Returns the content of the backup. Throws a StartError. */
export async function restoreToCluster(options: RestoreToClusterOptions): Promise<BackupContent> {
  const { file, place, clock } = options
  const content = await startStep(async () => readBackup(file))
  // Beside the backup, whose disk has room for such files.
  const folder = `${file}.restoring`
  await rm(folder, { recursive: true, force: true })
  try {
    await mkdir(folder, { mode: 0o700 })
    await startStep(async () => restoreSqliteFile(file, embeddedStorePath(folder)))
    const { store: source } = await startStep(() => openPlace({ kind: 'folder', path: folder }, 'source', options))
    const { store: target } = await startStep(() => openPlace(place, 'target', options)).catch(async error => {
      await source.close()
      throw error
    })
    try {
      const { installationId } = content
      const arrival = { installationId, from: 'a backup', now: clock.now() }
      const mark = await enterStore({ store: target, name: nameOf(place) }, arrival)
      await startStep(() => copyStore({ ...options, source, target }))
      const [salt = null] = await source.get('settings', [incidentSaltId])
      await writeMark(target, { ...mark, state: 'arrived', at: clock.now(), salt: salt && digestOfSalt(salt.value) })
      await removeProgress(target)
      return content
    } finally {
      await Promise.all([source.close(), target.close()])
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
