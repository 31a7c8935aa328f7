// Choice of the store: MongoDB if a connection string is given, else one SQLite file in the data folder. Only this file imports both
// adapters.
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { withForms } from '#shared/store/forms.ts'
import type { MigrateOptions } from '#shared/store/migrations/migrate.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import type { Store } from '#shared/store/port.ts'
import { checkSqliteFile } from '#shared/store/sqlite/sqlite-check.ts'

export interface StoreOptions {
  /** A MongoDB connection string; unset or empty: the embedded store. */
  mongodbUrl?: string
  /** Folder of the embedded store's file; created if missing. */
  dataFolder: string
  logger: Logger
}

export const embeddedStorePath = (dataFolder: string): string => join(dataFolder, 'watchkeeper.db')

/** Makes an older store that of this version, and returns its number. Rejects as `openStore` does. */
export async function migrateStore(
  { mongodbUrl, dataFolder }: Pick<StoreOptions, 'mongodbUrl' | 'dataFolder'>,
  options: MigrateOptions,
): Promise<number> {
  if (mongodbUrl !== undefined && mongodbUrl !== '') {
    const { migrateMongodb } = await import('#shared/store/mongodb/mongodb-migrate.ts')
    return await migrateMongodb(mongodbUrl, options)
  }
  const { migrateSqliteFile } = await import('#shared/store/sqlite/sqlite-migrate.ts')
  await migrateSqliteFile(embeddedStorePath(dataFolder), options)
  return latestNumber(options.list ?? migrations)
}

/** Number that no program takes: higher than that of any version. */
const retiredNumber = 1_000_000

/** Makes every program, of any version, refuse the embedded store from now on. Nothing may have it open. May be repeated. */
export const retireEmbeddedStore = (dataFolder: string): Promise<void> => renumber(dataFolder, retiredNumber)

/** Returns the number of a MongoDB database; null: it is new. Rejects with a StoreError. */
export async function numberOfDatabase(mongodbUrl: string): Promise<number | null> {
  const { numberOfMongodb } = await import('#shared/store/mongodb/mongodb-migrate.ts')
  return await numberOfMongodb(mongodbUrl)
}

/** Gives the embedded store another number, such as that of the database of which it is a copy. Nothing may have it open. */
export async function renumber(dataFolder: string, number: number): Promise<void> {
  const { renumberSqliteFile } = await import('#shared/store/sqlite/sqlite-migrate.ts')
  renumberSqliteFile(embeddedStorePath(dataFolder), number)
}

/**
 * Opens the store, which must be migrated, with documents in their present forms. Rejects with a StoreError: unavailable if the database does not respond, permanent if it cannot be used as configured.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  return withForms(await openStoredForms(options))
}

/** Like `openStore`, but documents are returned in the forms in which they are stored. */
export async function openStoredForms({ mongodbUrl, dataFolder, logger }: StoreOptions): Promise<Store> {
  if (mongodbUrl !== undefined && mongodbUrl !== '') {
    // Imported only when needed, so that the embedded store does not load the MongoDB driver.
    const { openMongodbStore } = await import('#shared/store/mongodb/mongodb.ts')
    const store = await openMongodbStore(mongodbUrl)
    logger.info({ store: 'mongodb' }, 'store opened')
    return store
  }
  const { openSqliteStore } = await import('#shared/store/sqlite/sqlite.ts')
  await mkdir(dataFolder, { recursive: true })
  const path = embeddedStorePath(dataFolder)
  const store = await openSqliteStore(path)
  logger.info({ store: 'sqlite' }, 'store opened')
  return statSync(path).size > limits.store.checkedBytes ? checkedBeside(store, path, logger) : store
}

/** Searches for damage while the store is in use, and logs it. The check ends with the store. */
function checkedBeside(store: Store, path: string, logger: Logger): Store {
  const { close } = store
  const check = checkSqliteFile(path)
  void check.faults.then(faults => {
    for (const fault of faults) logger.error(fault, 'stored data are damaged: restore a backup')
  })
  return Object.assign(store, {
    close: async () => {
      await check.end()
      await close()
    },
  })
}
