// Comparison of store and bus: the store has an id, and the bus stores this id and the store's number of commits. Refuses a start with a
// store that has lost data, before anything is written to the store (ADR 25).

import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { repeat } from '#shared/async/repeat.ts'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { embeddedStorePath } from '#shared/store/open-store.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { inspectSqliteFile } from '#shared/store/sqlite/sqlite-inspect.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { AllSettings } from '../all-settings.ts'
import { retryStart } from '../retry-start.ts'
import { exitCodes, StartError } from '../start-error.ts'
import { type FoundStore, type KnownStore, lossByBus, lossOfFile } from './data-loss.ts'
import { digestOfSalt } from './incident-salt.ts'
import { type MoveMark, markOfMove, moveMarkId, refusalByMark } from './move-mark.ts'
import { checkpointsWritten, createEmbeddedProgress, createSharedProgress } from './store-progress.ts'

export interface Acquaintance {
  clock: Clock
  logger: Logger
  /** True if the person who starts the program accepts that the store has lost data. */
  acceptLoss: boolean
  /** Prints a sentence for the person who starts the program. */
  print(line: string): void
}

export const installationSettingId = 'installation'

/** Returns the state of the embedded store before the store is opened. Throws a StartError if the store has lost data. */
export async function findEmbeddedStore(dataFolder: string, acquaintance: Acquaintance): Promise<FoundStore> {
  const path = embeddedStorePath(dataFolder)
  const file = inspected(path, installationSettingId, acquaintance)
  const beside = await filesOf(dataFolder, ['first-key', ...(file.hasMark ? [`${basename(path)}-mark`] : [])])
  refuse(lossOfFile(path, file, beside), acquaintance)
  return { name: `The database ${path}`, installationId: file.setting, commits: file.commits }
}

/** Returns the state of a database server. Rejects with a StoreError. */
export async function findSharedStore(store: Store): Promise<FoundStore> {
  const [setting = null] = await store.get('settings', [installationSettingId])
  const commits = setting === null ? null : await checkpointsWritten(store)
  return { name: 'The database that MONGODB_URL names', installationId: setting?.value ?? null, commits, isShared: true }
}

/** Returns the bus's record of the store; null: the bus was not used with any store yet. Throws a StartError. */
export async function storeKnownToBus(bus: Bus, clock: Clock): Promise<KnownStore | null> {
  const entry = await retryStart(clock, () => bus.bucket('installation').get(keys.installation))
  const { id, commits = null } = (entry?.value ?? {}) as { id?: unknown; commits?: number | null }
  return typeof id === 'string' ? { installationId: id, commits } : null
}

/** Throws a StartError if the bus shows that the store has lost data. */
export function compareWithBus(store: FoundStore, known: KnownStore | null, acquaintance: Acquaintance): void {
  if (known !== null) refuse(lossByBus(store, known), acquaintance)
  else if (store.installationId !== null) {
    const line = 'The bus has nothing of this installation and begins anew: check results that were not judged yet are gone.'
    acquaintance.print(line)
    acquaintance.logger.warn({ installation: store.installationId }, 'bus begins anew')
  }
}

/** Returns the id of the installation. The first process inserts it; later processes read it. Rejects with a StoreError. */
async function decideInstallationId(store: Store): Promise<string> {
  const proposed = { id: installationSettingId, rev: 1, value: randomId(idLength.installation) }
  await store.insert('settings', [proposed])
  const [decided] = await store.get('settings', [installationSettingId])
  return decided?.value ?? proposed.value
}

export interface Introduction {
  installationId: string
  /** Sends the store's number of commits to the bus for the last time. */
  stop(): Promise<void>
}

/**
 * Sends the installation's id and the progress of the store to the bus, now and after new progress. `known`: the bus's record so far.
 * Rejects with a StoreError or a BusError.
 */
export async function introduce(
  store: Store,
  bus: Bus,
  known: KnownStore | null,
  { clock, logger, acceptLoss }: Pick<Acquaintance, 'clock' | 'logger' | 'acceptLoss'>,
): Promise<Introduction> {
  const id = await decideInstallationId(store)
  const { begin, tell } =
    store.embedded === undefined
      ? createSharedProgress({ id, store, bus, logger })
      : createEmbeddedProgress({ id, store: store.embedded, bus })
  await retryStart(clock, () => begin(acceptLoss ? null : known))

  const onError = (error: unknown) => logger.debug({ err: error }, 'the store could not be flushed, or the bus not told')
  const telling = repeat({ clock, everyMs: limits.store.flushMs, onError }, tell)
  return {
    installationId: id,
    stop: async () => {
      const lastTold = telling.stop().then(() => tell().catch(onError))
      await waitAtMost(clock, limits.start.lastMarkMs, lastTold)
    },
  }
}

/** Like `findEmbeddedStore`. Also throws if the store is one side of a move that does not allow a start. */
export async function findUsableStore(dataFolder: string, acquaintance: Acquaintance): Promise<FoundStore> {
  refuseByMark(`The installation in ${dataFolder}`, markInFolder(dataFolder))
  return await findEmbeddedStore(dataFolder, acquaintance)
}

/** Returns the mark of a move in the embedded store, also of one that every program refuses; null: there is none. */
export function markInFolder(dataFolder: string): MoveMark | null {
  const text = inspected(embeddedStorePath(dataFolder), moveMarkId, { acceptLoss: true }).setting
  return text === null ? null : markOfMove(text)
}

/**
 * Throws a StartError if the store is one side of a move that does not allow a start, or if the setting of the salt is not the one with which
 * the installation was moved.
 */
export async function requireArrived(store: Store, { SQIDS_SALT: salt }: Pick<AllSettings, 'SQIDS_SALT'>): Promise<void> {
  const [setting = null] = await store.get('settings', [moveMarkId])
  if (setting === null) return
  const mark = markOfMove(setting.value)
  refuseByMark('The installation in this store', mark)
  if (salt === '' || !mark.salt || digestOfSalt(salt) === mark.salt) return
  throw new StartError(
    'SQIDS_SALT is another than that with which the installation was moved here, so the ids of its incidents would change: set it to the ' +
      'former value, or unset it where no gateway runs apart from the store (docs/moving.md).',
  )
}

function refuseByMark(name: string, mark: MoveMark | null): void {
  const refusal = refusalByMark(name, mark)
  if (refusal !== null) throw new StartError(refusal, exitCodes.refused)
}

function inspected(path: string, settingId: string, { acceptLoss }: Pick<Acquaintance, 'acceptLoss'>) {
  try {
    return inspectSqliteFile(path, settingId, acceptLoss)
  } catch (error) {
    if (error instanceof StoreError) throw new StartError(error.message)
    throw error
  }
}

function refuse(loss: string | null, { acceptLoss, logger }: Acquaintance): void {
  if (loss === null) return
  if (!acceptLoss) throw new StartError(loss)
  logger.warn({ loss }, 'loss accepted')
}

async function filesOf(folder: string, names: readonly string[]): Promise<string[]> {
  const present = await Promise.all(names.map(name => stat(join(folder, name)).catch(() => null)))
  return names.filter((_, index) => present[index] !== null)
}
