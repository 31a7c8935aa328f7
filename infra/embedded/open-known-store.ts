// The store of this process, opened only if the bus does not know more of it than there is; from then on the bus is told how far it comes.
import type { Bus } from '#shared/bus/port.ts'
import { limits, second } from '#shared/limits.ts'
import { openStore } from '#shared/store/open-store.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { AllSettings } from './all-settings.ts'
import { serveBackups } from './backup.ts'
import type { FoundStore } from './data-loss.ts'
import { type Acquaintance, compareWithBus, findSharedStore, introduce, storeKnownToBus } from './known-installation.ts'
import { StartError, startStep } from './start-error.ts'

export interface OpenStoreOptions extends Acquaintance {
  settings: AllSettings
  dataFolder: string
  bus: Bus
  /** The embedded store as it was before anything was opened; null: a database server is the store. */
  found: FoundStore | null
  undo: { what: string; run: () => Promise<unknown> }[]
}

/** Throws a StartError; what was started by then is in `undo`. */
export async function openKnownStore(options: OpenStoreOptions): Promise<Store> {
  const { bus, clock, found, undo } = options
  // The bus first: another process of a cluster that starts just now tells the bus after it has written to the store.
  const known = await storeKnownToBus(bus, clock)
  if (found !== null) compareWithBus(found, known, options)
  const store = await openStorePatiently(options)
  if (found === null) compareWithBus(await startStep(() => findSharedStore(store)), known, options)
  const { installationId, stop } = await startStep(() => introduce(store, bus, options))
  undo.push({ what: 'mark of the store', run: stop })
  if (store.embedded !== undefined) {
    const { close } = await serveBackups({ ...options, store: store.embedded, installationId })
    undo.push({ what: 'backups', run: close })
  }
  return store
}

/** Asks again until the patience ends: in a cluster, store and services are started at once. */
async function openStorePatiently({ settings, undo, logger, clock, dataFolder }: OpenStoreOptions): Promise<Store> {
  const patience = AbortSignal.timeout(limits.start.patienceMs)
  const givenUp = new Promise<null>(resolve => patience.addEventListener('abort', () => resolve(null), { once: true }))
  for (;;) {
    try {
      const opening = openStore({ mongodbUrl: settings.MONGODB_URL, dataFolder, logger })
      const store = await Promise.race([opening, givenUp])
      if (store === null) {
        opening.then(late => late.close()).catch(() => undefined)
        throw new StoreError('unavailable', 'it does not answer')
      }
      undo.push({ what: 'store', run: () => store.close() })
      return store
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind === 'permanent') throw new StartError((error as Error).message)
      if (patience.aborted) throw new StartError(silence(error, settings, dataFolder))
      await new Promise<void>(resolve => clock.after(limits.keeper.retryMsMax, resolve))
    }
  }
}

function silence({ message }: StoreError, { MONGODB_URL }: AllSettings, dataFolder: string): string {
  const waited = `within ${limits.start.patienceMs / second} s`
  if (MONGODB_URL !== '') return `The store did not answer ${waited}: start MongoDB or correct MONGODB_URL.`
  const why = message.replace(/\.$/, '')
  return `The store in ${dataFolder} did not open ${waited} (${why}): correct the rights of its files, or DATA_DIR.`
}
