// The side that is entered: it must be empty, or the target of the same move. Its files are written before its store, and its checkpoints are
// set to its own stream at the end, because they name the stream that they were written for.
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { keys } from '#shared/bus/subjects.ts'
import { createSeals } from '#shared/secrecy/seals.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { embeddedStorePath } from '#shared/store/open-store.ts'
import { randomId } from '#shared/text/ids.ts'
import type { AllSettings } from '../runtime/all-settings.ts'
import { keysOfFile } from '../runtime/bus/open-bus.ts'
import { prepareDataFolder, writeSecretFile } from '../runtime/data/data-folder.ts'
import { incidentSaltId } from '../runtime/data/incident-salt.ts'
import { secretsKeyFile } from '../runtime/data/kept-secrets-key.ts'
import type { MoveMark } from '../runtime/data/move-mark.ts'
import { isIgnored } from '../runtime/data/restore.ts'
import { checkpointIds } from '../runtime/data/store-progress.ts'
import { exitCodes, StartError, usageError } from '../runtime/start-error.ts'
import { isFenced, readMark, writeMark } from './marks.ts'
import type { Place } from './place.ts'
import type { Side } from './side.ts'
import type { SilenceLeft } from './silence-left.ts'

/** File that a folder has while a move fills it. */
const arrivingFile = 'arriving'
export const busKeysFile = 'bus/keys.json'
const names = Object.keys(collections) as CollectionName[]

/**
 * Prepares a folder: it must be empty, or a move must have begun to fill it. Writes the keys that the settings have. Does nothing for a
 * cluster. Throws a StartError.
 */
export async function prepareTarget(place: Place, settings: AllSettings): Promise<void> {
  if (place.kind === 'cluster') return
  const path = await prepareDataFolder(place.path)
  if (!(await isArriving(path))) {
    const present = (await readdir(path)).find(name => !isIgnored(name))
    if (present !== undefined)
      throw usageError(`The folder ${path} is not empty (it has ${present}): name one that is empty or does not exist (--to).`)
    await writeSecretFile(join(path, arrivingFile), 'A move fills this folder.\n')
  }
  const busKeys = settings.NATS_KEYS === '' ? null : await keysOfFile(settings)
  const files: [string, string][] = [
    ...(busKeys === null ? [] : [[busKeysFile, `${JSON.stringify(busKeys, null, 2)}\n`] as [string, string]]),
    ...(createSeals(settings.SECRETS_KEY) === null ? [] : [[secretsKeyFile, `${settings.SECRETS_KEY}\n`] as [string, string]]),
  ]
  for (const [name, content] of files) {
    await mkdir(dirname(join(path, name)), { recursive: true, mode: 0o700 })
    await writeSecretFile(join(path, name), content)
  }
}

/** Returns whether a move has filled the folder; true for a cluster. */
export async function isFilled(place: Place): Promise<boolean> {
  if (place.kind === 'cluster') return true
  return (await exists(embeddedStorePath(place.path))) && !(await isArriving(place.path))
}

const isArriving = (folder: string): Promise<boolean> => exists(join(folder, arrivingFile))

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

/** Removes the file that marks a folder as not complete. */
export async function finishTarget(place: Place): Promise<void> {
  if (place.kind === 'folder') await rm(join(place.path, arrivingFile), { force: true })
}

export interface Arrival {
  installationId: string
  /** Name of the side that is left. */
  from: string
  now: number
}

/** Returns the mark of the target, which is written if the target is new. Throws a StartError if it holds anything else than this move. */
export async function enterTarget({ store, bus, name }: Side, arrival: Arrival): Promise<MoveMark> {
  const { installationId } = arrival
  const recorded = (await bus.bucket('installation').get(keys.installation))?.value as { id?: string } | undefined
  if (recorded?.id !== undefined && recorded.id !== installationId && !isFenced(recorded.id))
    throw refused(`The bus of ${name} is that of another installation (${recorded.id})`)
  return await enterStore({ store, name }, arrival)
}

/** Like `enterTarget`, for a store alone. */
export async function enterStore(
  { store, name }: Pick<Side, 'store' | 'name'>,
  { installationId, from, now }: Arrival,
): Promise<MoveMark> {
  const mark = await readMark(store)
  const isHere = mark?.state === 'arriving' || mark?.state === 'arrived'
  if (mark !== null && isHere && mark.installationId === installationId) return mark
  for (const collection of names) {
    const [found] = await store.find(collection, { limit: 1 })
    if (found !== undefined) throw refused(`The store of ${name} is not empty (it has ${collection})`)
  }
  const made: MoveMark = { id: randomId(16), installationId, state: 'arriving', other: from, at: now }
  await writeMark(store, made)
  return made
}

const refused = (why: string): StartError =>
  new StartError(
    `${why}: name an empty database and a NATS server without an installation, or an empty folder.`,
    exitCodes.refused,
  )

/** Stores the salt that was in effect. `incidentSalt`: empty: none is known. */
export async function noteSalt(store: Pick<Side['store'], 'upsert'>, incidentSalt: string): Promise<void> {
  if (incidentSalt !== '') await store.upsert('settings', [{ id: incidentSaltId, rev: 1, value: incidentSalt }])
}

export interface Settlement {
  installationId: string
  /** Salt of incident ids that was in effect; empty: none is known. */
  incidentSalt: string
  /** Notes on silence at the old place, by key of the partition. */
  silence: ReadonlyMap<string, SilenceLeft>
}

/**
 * Makes the copy fit its new place: its checkpoints begin where its stream ends and know the outage, and it knows the salt of incident ids.
 * Everything that waited in the former stream must be judged. May be repeated.
 */
export async function settle({ store, bus }: Side, { installationId, incidentSalt, silence }: Settlement): Promise<void> {
  const { createdAt, lastSequence, lastAt } = await bus.observations.state()
  const position = { streamCreatedAt: createdAt, sequence: lastSequence, messageAt: Math.max(0, lastAt) }
  for (const id of checkpointIds) {
    const [known = null] = await store.get('checkpoints', [id])
    const left = silence.get(id)
    const checkpoint = known ?? (left && { id, rev: 1, gaps: 0, freshness: [], ...left })
    if (checkpoint !== undefined) await store.upsert('checkpoints', [{ ...checkpoint, ...position, ...left }])
  }
  await noteSalt(store, incidentSalt)
  await bus.bucket('installation').put(keys.installation, { id: installationId, commits: null })
}
