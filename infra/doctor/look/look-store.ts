// The store: MongoDB, or the SQLite file if no process uses it. Of a running installation with SQLite, the process itself reports.
import { createLogger } from '#shared/observability/logger.ts'
import { embeddedStorePath } from '#shared/store/open-store.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { AllSettings } from '../../runtime/all-settings.ts'
import { findEmbeddedStore } from '../../runtime/data/known-installation.ts'
import type { RunMode } from '../../runtime/run-mode.ts'
import { StartError } from '../../runtime/start-error.ts'
import type { FolderFacts, StoreFacts } from '../facts.ts'
import { dial } from './dial.ts'

export async function lookAtStore(
  settings: AllSettings,
  mode: RunMode | null,
  folder: FolderFacts | null,
  clock: Clock,
): Promise<StoreFacts> {
  if (settings.MONGODB_URL !== '') {
    const { examineMongodb } = await import('#shared/store/mongodb/mongodb-examine.ts')
    const examined = await examineMongodb(settings.MONGODB_URL, clock)
    const members = await Promise.all(
      examined.members.map(async member => ({ ...member, fault: (await dial({ ...member, secured: 'never' })).fault })),
    )
    return { kind: 'mongodb', ...examined, members }
  }
  if (mode?.embeddedStore !== true || folder === null) return { kind: 'none' }
  if (folder.holder !== null) return { kind: 'sqlite', isUsed: true }
  return { kind: 'sqlite', isUsed: false, ...(await lookAtFile(folder.path, clock)) }
}

async function lookAtFile(dataFolder: string, clock: Clock) {
  const { examineSqlite } = await import('#shared/store/sqlite/sqlite-examine.ts')
  const examined = examineSqlite(embeddedStorePath(dataFolder))
  return examined.fault === null ? { ...examined, fault: await startFault(dataFolder, clock) } : examined
}

/** Returns the sentence with which a start would refuse the file; null: it would not. */
async function startFault(dataFolder: string, clock: Clock): Promise<string | null> {
  const options = { clock, logger: createLogger('silent'), acceptLoss: false, print: () => undefined }
  try {
    await findEmbeddedStore(dataFolder, options)
    return null
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}
