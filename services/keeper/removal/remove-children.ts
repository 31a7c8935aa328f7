// Removal of the children of a deleted subject in slices outside the rounds, so that a long history delays no round.

import { day, limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { removeAll } from '#shared/store/pages.ts'
import { endOfPrefix, observationPrefix, pushedPrefix } from '#shared/text/ids.ts'
import type { KeeperContext } from '../context.ts'
import { removeRange } from '../roll-up/remove-range.ts'
import { removeOfSource, removeOfSubject } from '../roll-up/remove-roll-ups.ts'
import { retryingStore } from '../roll-up/retrying-store.ts'

const childCollections = [
  'history',
  'incidents',
  'alerts',
  'deadLetters',
  'series',
  'policies',
  'windows',
] as const satisfies CollectionName[]

const { deletionSlice } = limits.keeper
/** Name of this work in the log. */
const doing = 'remove what was deleted'

/** Removes every child of a subject. May be repeated after a crash. `mayGoOn` is called before each slice. */
export async function removeChildren(context: KeeperContext, subjectId: string, mayGoOn: () => boolean): Promise<void> {
  const store = retryingStore(context, mayGoOn, doing)
  for (const collection of childCollections) await removeAll(store, collection, { subjectId }, deletionSlice)
  const prefix = pushedPrefix(subjectId)
  await removeRange(store, 'pushedObservations', prefix, endOfPrefix(prefix))
  await removeRange(store, 'observationIds', prefix, endOfPrefix(prefix))
  await removeOfSubject(store, subjectId)
  const today = Math.floor(context.clock.now() / day) * day
  const days = Math.ceil((limits.retention.checksMs + limits.retention.heldBackMs) / day) + 1
  for (let back = -1; back <= days; back++) {
    const from = observationPrefix(today - back * day, subjectId)
    await removeRange(store, 'observations', from, endOfPrefix(from))
  }
}

/** Removes all reports of a deleted signal. May be repeated after a crash. */
export async function removeSignal(
  context: KeeperContext,
  subjectId: string,
  signalKey: string,
  mayGoOn: () => boolean,
): Promise<void> {
  const store = retryingStore(context, mayGoOn, doing)
  const prefix = pushedPrefix(subjectId, signalKey)
  await removeRange(store, 'pushedObservations', prefix, endOfPrefix(prefix))
  // The senders' ids of a signal's Observations are stored among the ids of its subject.
  const ids = pushedPrefix(subjectId)
  await removeAll(store, 'observationIds', { id: { gte: ids, lt: endOfPrefix(ids) }, signalKey }, deletionSlice)
  await removeAll(store, 'series', { subjectId, signalKey }, deletionSlice)
  await removeOfSource(store, subjectId, { kind: 'signal', id: signalKey })
}
