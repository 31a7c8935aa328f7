// The store of this process. Refuses a store with fewer commits than the bus has recorded. After the start, sends the store's number of
// commits to the bus.
import type { Bus } from '#shared/bus/port.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { type Level, levelOf } from '#shared/store/level.ts'
import type { MigrateOptions } from '#shared/store/migrations/migrate.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { migrateStore, openStore } from '#shared/store/open-store.ts'
import type { Store, StoreError } from '#shared/store/port.ts'
import type { AllSettings } from '../all-settings.ts'
import { StartError, startStep } from '../start-error.ts'
import { awaitedStore, isAway, type Waiting } from '../waiting.ts'
import { readKeptFiles, serveBackups } from './backup.ts'
import type { FoundStore } from './data-loss.ts'
import { followLevel } from './installation-level.ts'
import {
  type Acquaintance,
  compareWithBus,
  findSharedStore,
  introduce,
  requireArrived,
  storeKnownToBus,
} from './known-installation.ts'

export interface OpenStoreOptions extends Acquaintance {
  settings: AllSettings
  dataFolder: string
  bus: Bus
  /** State of the embedded store before it was opened; null: the store is a database server. */
  found: FoundStore | null
  waiting: Waiting
  undo: { what: string; run: () => Promise<unknown> }[]
}

export interface OpenedStore {
  store: Store
  level: Level
}

/** Opens the store. Throws a StartError; `undo` then contains the parts that were started before the error. */
export async function openKnownStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const { bus, clock, found, undo, waiting } = options
  const storeStep = waiting.storeStep
  // Reads the bus before the store. In a cluster, another starting process writes to the store first and to the bus later.
  const known = await storeKnownToBus(bus, clock)
  if (found !== null) compareWithBus(found, known, options)
  const number = await migrateWithRetry(options)
  const store = await openStoreWithRetry(options)
  await storeStep(() => requireArrived(store, options.settings))
  if (found === null) compareWithBus(await storeStep(() => findSharedStore(store)), known, options)
  const { installationId, stop } = await storeStep(() => introduce(store, bus, known, options))
  undo.push({ what: 'mark of the store', run: stop })
  if (store.embedded !== undefined) {
    const { close } = await serveBackups({ ...options, store: store.embedded, installationId })
    undo.push({ what: 'backups', run: close })
    return { store, level: levelOf(number) }
  }
  const raise = () => migrateStore(placeOf(options), { ...migrating(options), upTo: latestNumber(migrations) })
  const followed = await startStep(() => followLevel({ ...options, number, raise }))
  undo.push({ what: 'level', run: followed.stop })
  return { store, level: followed.level }
}

/** Migrates the store, for as long as it takes, and returns its number. Retries and throws as `openStoreWithRetry` does. */
async function migrateWithRetry(options: OpenStoreOptions): Promise<number> {
  return await patiently(() => migrateStore(placeOf(options), migrating(options)), options)
}

const placeOf = ({ settings, dataFolder }: OpenStoreOptions) => ({ mongodbUrl: settings.MONGODB_URL, dataFolder })

const migrating = ({ clock, dataFolder, found, print }: OpenStoreOptions): MigrateOptions => ({
  clock,
  tell: print,
  content: async () => ({
    installationId: found?.installationId ?? '',
    at: clock.now(),
    files: await readKeptFiles(dataFolder),
  }),
})

/**
 * Opens the store. Retries, because in a cluster the store and the services start at the same time. A database server that is there but does
 * not answer yet is awaited without a bound. Throws a StartError after limits.start.patienceMs if nobody listens, or if the embedded store
 * does not open.
 */
async function openStoreWithRetry(options: OpenStoreOptions): Promise<Store> {
  const { undo, logger } = options
  const store = await patiently(() => openStore({ ...placeOf(options), logger }), options)
  undo.push({ what: 'store', run: () => store.close() })
  return store
}

async function patiently<T>(attempt: () => Promise<T>, { settings, clock, dataFolder, waiting }: OpenStoreOptions): Promise<T> {
  const endsAt = clock.monotonic() + limits.start.patienceMs
  const isThere = (error: StoreError) => settings.MONGODB_URL !== '' && error.nobodyListens !== true
  const mayPass = (error: unknown) => isAway(error) && (isThere(error) || clock.monotonic() < endsAt)
  try {
    return await waiting.until(awaitedStore, attempt, mayPass)
  } catch (error) {
    throw new StartError(isAway(error) ? silence(error, settings, dataFolder) : (error as Error).message)
  }
}

function silence({ message }: StoreError, { MONGODB_URL }: AllSettings, dataFolder: string): string {
  const waited = `within ${limits.start.patienceMs / second} s`
  if (MONGODB_URL !== '') return `The store did not answer ${waited}: start MongoDB or correct MONGODB_URL.`
  const why = message.replace(/\.$/, '')
  return `The store in ${dataFolder} did not open ${waited} (${why}): correct the rights of its files, or DATA_DIR.`
}
