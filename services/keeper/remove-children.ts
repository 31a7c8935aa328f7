// What hangs on a deleted subject is removed in slices, apart from the rounds, so that a long history delays nobody.

import { endOfPrefix, observationPrefix, pushedPrefix } from '#shared/ids.ts'
import { day, limits } from '#shared/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { type Core, persistWhile } from './core.ts'
import { type PatientStore, patientStore } from './roll-up/patient-store.ts'
import { removeRange } from './roll-up/remove-range.ts'
import { removeOfSource, removeOfSubject } from './roll-up/remove-roll-ups.ts'

const childCollections = [
  'history',
  'incidents',
  'alerts',
  'setAside',
  'series',
  'policies',
  'windows',
] as const satisfies CollectionName[]

/** Removes every child of a subject; safe to begin again after a crash. `mayGoOn` is asked before each slice. */
export async function removeChildren(core: Core, subjectId: string, mayGoOn: () => boolean): Promise<void> {
  for (const collection of childCollections) await removeFrom(core, collection, { subjectId }, mayGoOn)
  const store = patientStore(core, mayGoOn)
  const prefix = pushedPrefix(subjectId)
  await removeRange(store, 'pushedObservations', prefix, endOfPrefix(prefix))
  await removeRange(store, 'observationIds', prefix, endOfPrefix(prefix))
  await removeOfSubject(store, subjectId)
  const today = Math.floor(core.clock.now() / day) * day
  const days = Math.ceil((limits.retention.checksMs + limits.retention.heldBackMs) / day) + 1
  for (let back = -1; back <= days; back++) {
    const from = observationPrefix(today - back * day, subjectId)
    await removeRange(store, 'observations', from, endOfPrefix(from))
  }
}

/** Removes what a deleted signal reported; safe to begin again after a crash. */
export async function removeSignal(core: Core, subjectId: string, signalKey: string, mayGoOn: () => boolean): Promise<void> {
  const store = patientStore(core, mayGoOn)
  const prefix = pushedPrefix(subjectId, signalKey)
  await removeRange(store, 'pushedObservations', prefix, endOfPrefix(prefix))
  await removeIdsOf(store, subjectId, signalKey)
  await removeFrom(core, 'series', { subjectId, signalKey }, mayGoOn)
  await removeOfSource(store, subjectId, { kind: 'signal', id: signalKey })
}

/** The senders' ids of a signal's Observations lie among those of its subject. */
async function removeIdsOf(store: PatientStore, subjectId: string, signalKey: string): Promise<void> {
  const prefix = pushedPrefix(subjectId)
  const where = { id: { gte: prefix, lt: endOfPrefix(prefix) }, signalKey }
  for (;;) {
    const found = await store.find('observationIds', { where, select: [], limit: limits.keeper.deletionSlice })
    if (found.length === 0) return
    await store.delete(
      'observationIds',
      found.map(({ id }) => id),
    )
  }
}

async function removeFrom(
  core: Core,
  collection: (typeof childCollections)[number],
  where: Record<string, string>,
  mayGoOn: () => boolean,
): Promise<void> {
  const slice = limits.keeper.deletionSlice
  for (;;) {
    const query = { where, limit: slice, select: ['subjectId'] }
    const found = await persistWhile(core, mayGoOn, 'find what is to be removed', () => core.store.find(collection, query))
    if (found.length === 0) return
    const ids = found.map(document => document.id)
    await persistWhile(core, mayGoOn, 'remove what was deleted', () => core.store.delete(collection, ids))
  }
}
