// Chooses the store: MongoDB where an address is given, else one SQLite file in the data folder. The only place that knows both.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'

export interface StoreOptions {
  /** A MongoDB connection string; unset or empty: the embedded store. */
  mongodbUrl?: string
  /** Where the embedded store keeps its file; made where it is missing. */
  dataFolder: string
  logger: Logger
}

export const embeddedStorePath = (dataFolder: string): string => join(dataFolder, 'watchkeeper.db')

/** Rejects with a StoreError: unavailable where the database does not answer, permanent where it cannot be used as configured. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { mongodbUrl, dataFolder, logger } = options
  if (mongodbUrl !== undefined && mongodbUrl !== '') {
    // Loaded only here, so that the embedded start does not pay for the driver.
    const { openMongodbStore } = await import('#shared/store/mongodb.ts')
    const store = await openMongodbStore(mongodbUrl)
    logger.info({ store: 'mongodb' }, 'store opened')
    return store
  }
  const { openSqliteStore } = await import('#shared/store/sqlite.ts')
  await mkdir(dataFolder, { recursive: true })
  const store = await openSqliteStore(embeddedStorePath(dataFolder))
  logger.info({ store: 'sqlite' }, 'store opened')
  return store
}
