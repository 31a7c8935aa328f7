// Backup of a running installation. A command requests the backup over the bus. The process with the embedded store then writes the backup
// into its data folder, and the command moves the file.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serve } from '#shared/bus/clients/serve.ts'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { type BackupMade, BackupRequest } from '#shared/contracts/backup.ts'
import { AppError } from '#shared/errors.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { EmbeddedStore } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { secretsKeyFile } from './kept-secrets-key.ts'

export interface BackupOptions {
  bus: Bus
  store: EmbeddedStore
  dataFolder: string
  installationId: string
  clock: Clock
  logger: Logger
}

/** Files that a restored installation needs besides its store. A start creates all other files of the folder again. */
export const keptFiles = ['bus/keys.json', 'first-key', secretsKeyFile] as const

export async function readKeptFiles(dataFolder: string): Promise<Record<string, string>> {
  const texts = await Promise.all(keptFiles.map(name => readFile(join(dataFolder, name), 'utf8').catch(() => null)))
  return Object.fromEntries(keptFiles.flatMap((name, index) => (texts[index] == null ? [] : [[name, texts[index]]])))
}

const isDraft = (name: string): boolean => /^backup-\w+\.draft(-journal|-wal|-shm)?$/.test(name)

/** Resolves once backups can be requested. Removes an unfinished backup of an earlier process. */
export async function serveBackups(options: BackupOptions): Promise<Subscription> {
  const { bus, dataFolder, logger } = options
  for (const name of await readdir(dataFolder)) if (isDraft(name)) await rm(join(dataFolder, name), { force: true })
  let isMaking = false
  return serve(bus, {
    subject: subjects.backup,
    contractOf: () => BackupRequest,
    logger,
    serve: async () => {
      if (isMaking) throw new AppError('busy', 'Another backup is being made', { details: 'Another backup is being made' })
      isMaking = true
      try {
        return await make(options)
      } finally {
        isMaking = false
      }
    },
  })
}

async function make({ store, dataFolder, installationId, clock, logger }: BackupOptions): Promise<BackupMade> {
  const at = clock.now()
  const path = join(dataFolder, `backup-${randomId(8)}.draft`)
  const files = await readKeptFiles(dataFolder)
  try {
    // Creates the file first, because SQLite would make it readable by other users.
    await writeFile(path, '', { mode: 0o600, flag: 'wx' })
    await store.backup(path, { installationId, at, files })
    const { size: bytes } = await stat(path)
    logger.info({ bytes }, 'backup made')
    return { path, bytes, installationId, at }
  } catch (error) {
    for (const ending of ['', '-journal', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true })
    logger.warn({ err: error }, 'backup failed')
    throw new AppError('internal', 'The backup failed', { details: (error as Error).message, cause: error })
  }
}
