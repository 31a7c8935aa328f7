// One side of a move while it is open: its store, with documents in their stored forms, and its bus. A folder is locked meanwhile, and its
// nats-server listens on loopback alone, so no prober elsewhere reaches it.
import { existsSync } from 'node:fs'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { embeddedStorePath, migrateStore, numberOfDatabase, openStoredForms } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { AllSettings } from '../runtime/all-settings.ts'
import { busCredentials } from '../runtime/bus/bus-credentials.ts'
import { busTlsFiles } from '../runtime/bus/bus-tls.ts'
import { startEmbeddedBus } from '../runtime/bus/embedded-bus.ts'
import { readKeptFiles } from '../runtime/data/backup.ts'
import { takeDataFolder } from '../runtime/data/data-folder.ts'
import type { FoundStore } from '../runtime/data/data-loss.ts'
import { compareWithBus, findEmbeddedStore, storeKnownToBus } from '../runtime/data/known-installation.ts'
import { notFoundError, startStep } from '../runtime/start-error.ts'
import { isFenced } from './marks.ts'
import { type ClusterPlace, type FolderPlace, nameOf, type Place } from './place.ts'

export interface SideOptions {
  settings: AllSettings
  clock: Clock
  logger: Logger
  tell(sentence: string): void
}

export type Role = 'source' | 'target'

export interface Side {
  place: Place
  /** For people; no secrets. */
  name: string
  store: Store
  /** Number of the store (ADR 36). */
  number: number
  bus: Bus
  close(): Promise<void>
}

/** Opens a side. Throws a StartError after everything that was opened has been closed. */
export async function openSide(place: Place, role: Role, options: SideOptions): Promise<Side> {
  const undo: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (let run = undo.pop(); run !== undefined; run = undo.pop())
      await run().catch(error => options.logger.warn({ err: error }, 'part did not end cleanly'))
  }
  try {
    const found = place.kind === 'folder' && role === 'source' ? await findUsedStore(place, options) : null
    const bus = await startStep(() => (place.kind === 'folder' ? openFolderBus(place, options, undo) : openBus(place, options)))
    undo.push(() => bus.close())
    if (found !== null) await requireSameStore(found, bus, options)
    const { store, number } = await startStep(() => openPlace(place, role, options))
    undo.push(() => store.close())
    return { place, name: nameOf(place), store, number, bus, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Refuses what a start refuses: a store that is missing, or that has lost data. */
async function findUsedStore({ path }: FolderPlace, options: SideOptions): Promise<FoundStore> {
  if (!existsSync(embeddedStorePath(path))) throw notFoundError(`There is no installation in ${path}.`)
  return await findEmbeddedStore(path, acquaintanceOf(options))
}

async function requireSameStore(found: FoundStore, bus: Bus, options: SideOptions): Promise<void> {
  const known = await storeKnownToBus(bus, options.clock)
  if (known === null || !isFenced(known.installationId)) compareWithBus(found, known, acquaintanceOf(options))
}

const acquaintanceOf = ({ clock, logger, tell }: SideOptions) => ({ clock, logger, acceptLoss: false, print: tell })

/** Opens the store of a place. That of a folder, and that of a new cluster, gets the forms of this version before. */
export async function openPlace(place: Place, role: Role, options: SideOptions): Promise<Pick<Side, 'store' | 'number'>> {
  const { clock, logger, tell } = options
  const where = place.kind === 'folder' ? { dataFolder: place.path } : { mongodbUrl: place.mongodbUrl, dataFolder: '' }
  const files = async () => (place.kind === 'folder' ? await readKeptFiles(place.path) : {})
  const content = async () => ({ installationId: '', at: clock.now(), files: await files() })
  const isConverted = place.kind === 'folder' || role === 'target'
  const number = isConverted ? await migrateStore(where, { clock, tell, content }) : await numberOfDatabase(place.mongodbUrl)
  return { store: await openStoredForms({ ...where, logger }), number: number ?? latestNumber(migrations) }
}

/** `declare`: whether streams are made. */
export async function openBus({ natsUrl }: ClusterPlace, { settings, logger }: SideOptions, declare = true): Promise<Bus> {
  const { NATS_TOKEN: token, NATS_CREDENTIALS: credentialsFile, NATS_REPLICAS: replicas } = settings
  return await connectBus({
    servers: natsUrl,
    name: 'watchkeeper move',
    ...busCredentials({ token, credentialsFile, ownMachine: false, ...(await busTlsFiles(settings)) }),
    patienceMs: limits.start.patienceMs,
    logger,
    declare,
    ...(replicas === 0 ? {} : { replicas }),
  })
}

async function openFolderBus({ path }: FolderPlace, options: SideOptions, undo: (() => Promise<unknown>)[]): Promise<Bus> {
  const { settings, clock, logger, tell } = options
  const folder = await takeDataFolder(path, `move-${randomId(6)}`)
  undo.push(folder.release)
  const server = await startEmbeddedBus({
    dataFolder: path,
    toolsFolder: settings.TOOLS_DIR,
    host: '127.0.0.1',
    port: 0,
    tls: null,
    acceptLoss: false,
    clock,
    logger: logger.child({ part: 'nats' }),
    print: tell,
  })
  undo.push(server.stop)
  return await connectBus({
    servers: server.url,
    name: 'watchkeeper move',
    ...busCredentials(server),
    patienceMs: limits.start.patienceMs,
    logger,
  })
}
