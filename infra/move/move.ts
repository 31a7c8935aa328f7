// Move of an installation between a data folder and a cluster (ADR 47). Copies the store while the installation runs, waits for its end,
// copies the rest, and switches: first the old side refuses every start, then the new one may start. May end at any line and be run again.
import type { Logger } from '#shared/observability/logger.ts'
import { knownSealingKey } from '#shared/secrecy/known-sealing-key.ts'
import { numberOfDatabase, renumber } from '#shared/store/open-store.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { AllSettings } from '../runtime/all-settings.ts'
import { digestOfSalt, incidentSaltId } from '../runtime/data/incident-salt.ts'
import type { MoveMark } from '../runtime/data/move-mark.ts'
import { exitCodes, StartError, startStep, usageError } from '../runtime/start-error.ts'
import { type CollectionCopied, copyStore } from './copy-store.ts'
import { drain } from './drain.ts'
import { type Handed, handedEarlier, handSecrets } from './handed-secrets.ts'
import { readMark, writeMark } from './marks.ts'
import { nameOf, type Place } from './place.ts'
import { removeProgress } from './progress.ts'
import { servicesOn, untilStopped } from './running.ts'
import { openPlace, openSide, type Side } from './side.ts'
import { silenceLeft } from './silence-left.ts'
import { fence, isRunning, markOfSource, openWhileRunning, removeCopies, removeFence, requireMayLeave, retire } from './source.ts'
import { enterTarget, finishTarget, isFilled, prepareTarget, settle } from './target.ts'

export interface MoveOptions {
  from: Place
  to: Place
  settings: AllSettings
  clock: Clock
  logger: Logger
  /** Tells the person a sentence. */
  tell(sentence: string): void
  /** Replaces the line about the present step. */
  onProgress(text: string): void
}

export interface Moved {
  installationId: string
  from: string
  to: string
  collections: CollectionCopied[]
  /** Time for which the installation stood still because of the move, ms; null: an earlier call has completed the move. */
  stoodStillMs: number | null
  /** Partitions in which something waited that was no report. */
  unread: number
  secrets: Handed
}

/** Throws a StartError; then the same call goes on where this one has ended. */
export async function moveInstallation(options: MoveOptions): Promise<Moved> {
  const { from, to } = options
  if (from.kind === to.kind) throw usageError('A move is from a folder to a cluster, or from a cluster to a folder.')
  const earlier = await completedEarlier(options)
  if (earlier !== null) return earlier
  await prepareTarget(to, options.settings)
  const target = await openSide(to, 'target', options)
  let moved: Moved
  try {
    if (await isRunning(from, options)) await copyWhileRunning(target, options)
    moved = await copyRest(target, options)
  } finally {
    await target.close()
  }
  if (from.kind === 'cluster' && to.kind === 'folder') await startStep(() => takeNumber(from.mongodbUrl, to.path))
  await finishTarget(to)
  return moved
}

/**
 * Returns the result of a move that an earlier call completed, but for what a kill after its last mark left undone, which is done now; null:
 * the move is not complete.
 */
async function completedEarlier(options: MoveOptions): Promise<Moved | null> {
  const { from, to } = options
  const mark = await markOfSource(from, options)
  if (mark?.state !== 'left' || mark.other !== nameOf(to) || !(await isFilled(to))) return null
  if (to.kind === 'cluster') {
    const { store } = await startStep(() => openPlace(to, 'source', options))
    await removeProgress(store).finally(() => store.close())
  }
  await retire(from)
  const none = { collections: [], stoodStillMs: null, unread: 0 }
  return { installationId: mark.installationId, from: nameOf(from), to: mark.other, ...none, secrets: handedEarlier(from) }
}

/** The copy in the folder has the forms of the cluster; its next start converts them. */
async function takeNumber(mongodbUrl: string, folder: string): Promise<void> {
  const number = await numberOfDatabase(mongodbUrl)
  if (number !== null) await renumber(folder, number)
}

async function copyWhileRunning(target: Side, options: MoveOptions): Promise<void> {
  const { from, clock, tell } = options
  tell('The installation runs. Its store is copied meanwhile …')
  const source = await openWhileRunning(from, options)
  try {
    const installationId = await requireMayLeave({ store: source.store, name: nameOf(from) }, null)
    await enterTarget(target, { installationId, from: nameOf(from), now: clock.now() })
    await copyStore({ ...options, source: source.store, target: target.store })
  } finally {
    await source.close()
  }
  const what = from.kind === 'folder' ? 'it' : 'its directories, keepers and notifiers'
  tell(`Almost everything is copied. Stop ${what} now: the rest is copied as soon as nothing runs any longer …`)
  await untilStopped(clock, () => isRunning(from, options))
}

async function copyRest(target: Side, options: MoveOptions): Promise<Moved> {
  const { from, clock, tell } = options
  const beganAt = clock.monotonic()
  await removeCopies(from)
  const source = await openSide(from, 'source', options)
  let moved: Moved
  try {
    await requireStopped(source)
    const own = await readMark(target.store)
    const installationId = await requireMayLeave(source, own?.id ?? null)
    const mark = await enterTarget(target, { installationId, from: source.name, now: clock.now() })
    tell('Nothing runs. The rest is copied …')
    moved = await switchOver({ source, target, mark }, options, beganAt)
  } finally {
    await source.close()
  }
  await retire(from)
  await removeProgress(target.store)
  return moved
}

interface Sides {
  source: Side
  target: Side
  /** Mark of the target. */
  mark: MoveMark
}

async function switchOver({ source, target, mark }: Sides, options: MoveOptions, beganAt: number): Promise<Moved> {
  const { clock, settings, onProgress } = options
  const { installationId } = mark
  const incidentSalt = await saltOf(source, settings)
  const secrets = await handSecrets({ from: options.from, incidentSalt, knownKey: await knownSealingKey(source.store), settings })
  const moved = { installationId, from: source.name, to: target.name, collections: [], unread: 0, secrets }
  const stoodStillMs = () => Math.round(clock.monotonic() - beganAt)
  const left = (state: 'leaving' | 'left'): MoveMark => ({ ...mark, state, other: target.name, at: clock.now() })
  if (mark.state === 'arrived') {
    await fence(source, left('left'))
    return { ...moved, stoodStillMs: stoodStillMs() }
  }
  const isFencedAlready = (await readMark(source.store))?.state === 'leaving'
  const unread = isFencedAlready ? 0 : await drain({ ...options, ...source, incidentSalt })
  const collections = await startStep(() => copyStore({ ...options, source: source.store, target: target.store }))
  onProgress('the old side is closed')
  await fence(source, left('leaving'))
  await requireStopped(source).catch(async error => {
    await removeFence(source, installationId)
    throw error
  })
  await settle(target, { installationId, incidentSalt, silence: await startStep(() => silenceLeft(source.bus)) })
  const salt = incidentSalt === '' ? null : digestOfSalt(incidentSalt)
  await writeMark(target.store, { ...mark, state: 'arrived', at: clock.now(), salt })
  await fence(source, left('left'))
  return { ...moved, collections, unread, stoodStillMs: stoodStillMs() }
}

/** Throws a StartError if a service uses the source. A folder is locked, so nothing does. */
async function requireStopped({ place, bus }: Side): Promise<void> {
  if (place.kind === 'folder') return
  const running = await startStep(() => servicesOn(bus))
  if (running.length === 0) return
  throw new StartError(`A ${running.join(' and a ')} of the cluster runs: stop it, and run this again.`, exitCodes.refused)
}

/** Returns the salt of incident ids that the installation uses; empty: none is known. A folder's own salt precedes the setting. */
async function saltOf({ store, place }: Side, settings: AllSettings): Promise<string> {
  const [setting = null] = await store.get('settings', [incidentSaltId])
  const stored = setting?.value ?? ''
  return place.kind === 'folder' ? stored || settings.SQIDS_SALT : settings.SQIDS_SALT || stored
}
