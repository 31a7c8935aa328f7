// The side that is left: what may leave, its copy while it still runs, and the fence that keeps every start away from it afterwards.
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { askForBackup } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { embeddedStorePath, retireEmbeddedStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { busCredentials } from '../runtime/bus/bus-credentials.ts'
import { readBusAddress } from '../runtime/bus/embedded-bus.ts'
import { isTaken } from '../runtime/data/data-folder.ts'
import { installationSettingId, markInFolder } from '../runtime/data/known-installation.ts'
import type { MoveMark } from '../runtime/data/move-mark.ts'
import { refusalByMark } from '../runtime/data/move-mark.ts'
import { exitCodes, StartError, startStep } from '../runtime/start-error.ts'
import { fencedRecord, readMark, removeMark, writeMark } from './marks.ts'
import type { FolderPlace, Place } from './place.ts'
import { servicesOn } from './running.ts'
import { openBus, openPlace, type Side, type SideOptions } from './side.ts'

/** Folder below the data folder with the copy of the store that is read while the installation runs. */
const copyFolder = 'move'

export interface RunningSource {
  store: Store
  close(): Promise<void>
}

/** Returns whether the installation runs at this place. */
export async function isRunning(place: Place, options: SideOptions): Promise<boolean> {
  if (place.kind === 'folder') return await isTaken(place.path)
  const bus = await startStep(() => openBus(place, options, false))
  try {
    return (await startStep(() => servicesOn(bus))).length > 0
  } finally {
    await bus.close()
  }
}

/**
 * Opens the store of an installation that runs, to be read. That of a folder is a backup, which the installation makes. What is read may be
 * older than the installation, and of a cluster not of one instant.
 */
export async function openWhileRunning(place: Place, options: SideOptions): Promise<RunningSource> {
  if (place.kind === 'cluster') {
    const { store } = await startStep(() => openPlace(place, 'source', options))
    return { store, close: () => store.close() }
  }
  const folder = join(place.path, copyFolder)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  try {
    const path = await startStep(() => backUp(place, options))
    await rename(path, embeddedStorePath(folder))
    const { store } = await startStep(() => openPlace({ kind: 'folder', path: folder }, 'source', options))
    const close = async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    }
    return { store, close }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function backUp({ path }: FolderPlace, { logger }: SideOptions): Promise<string> {
  const address = await readBusAddress(path)
  if (address === null) throw new StartError(`The installation in ${path} starts or stops at the moment: run this again.`)
  const bus = await connectBus({
    servers: address.url,
    name: 'watchkeeper move',
    ...busCredentials(address),
    patienceMs: limits.start.commandMs,
    logger,
    declare: false,
  })
  try {
    return (await askForBackup(bus)).path
  } finally {
    await bus.close()
  }
}

/** Returns the mark of a move in the store of the source; null: there is none, or an installation works in the folder. */
export async function markOfSource(place: Place, options: SideOptions): Promise<MoveMark | null> {
  if (place.kind === 'folder') return (await isTaken(place.path)) ? null : markInFolder(place.path)
  const { store } = await startStep(() => openPlace(place, 'source', options))
  return await readMark(store).finally(() => store.close())
}

/** Removes what a killed move has left in a data folder. */
export async function removeCopies(place: Place): Promise<void> {
  if (place.kind === 'folder') await rm(join(place.path, copyFolder), { recursive: true, force: true })
}

/** Throws a StartError if this installation may not leave. `moveId`: id of the present move; its own mark is no obstacle. */
export async function requireMayLeave({ store, name }: Pick<Side, 'store' | 'name'>, moveId: string | null): Promise<string> {
  const mark = await readMark(store)
  const isOwn = mark !== null && mark.id === moveId
  const refusal = isOwn ? null : refusalByMark(`The installation in ${name}`, mark)
  if (refusal !== null) throw new StartError(refusal, exitCodes.refused)
  const [installation = null] = await store.get('settings', [installationSettingId])
  if (installation === null) throw new StartError(`There is no installation in ${name}.`, exitCodes.notFound)
  return installation.value
}

/** Keeps every start away from the source, also those of version 2.0.0. May be repeated. */
export async function fence({ store, bus }: Pick<Side, 'store' | 'bus'>, mark: MoveMark): Promise<void> {
  await writeMark(store, mark)
  await recordOnBus(bus, `${fencedRecord}${mark.other} on ${new Date(mark.at).toISOString().slice(0, 10)}`)
}

/** Takes the fence down again, because a service was started before it stood. */
export async function removeFence({ store, bus }: Pick<Side, 'store' | 'bus'>, installationId: string): Promise<void> {
  await removeMark(store)
  await recordOnBus(bus, installationId)
}

const recordOnBus = (bus: Bus, id: string): Promise<number> =>
  bus.bucket('installation').put(keys.installation, { id, commits: null })

/** Makes the fence final, after the source was closed: its file is refused by every version, whatever a person accepts. */
export async function retire(place: Place): Promise<void> {
  if (place.kind === 'folder') await startStep(() => retireEmbeddedStore(place.path))
}
