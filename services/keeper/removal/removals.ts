// Removals from outboxes of committed subjects: children of a deleted subject, observations of a deleted signal. They run outside the
// rounds, in slices, so that a long history delays no round. One removal never runs twice at the same time.

import { day, limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { pagesOf, removeAll } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { endOfPrefix, observationPrefix, pushedPrefix } from '#shared/text/ids.ts'
import { type KeeperContext, NoLongerOurs } from '../context.ts'
import { removeOfSource, removeOfSubject } from '../roll-up/remove-roll-ups.ts'
import { removeRange, retryingStore } from '../roll-up/retrying-store.ts'

export interface Removals {
  /**
   * Begins a removal. If the same removal is running already, it runs once more afterwards, because removed documents may have been written
   * again.
   */
  start(subjectId: string, signalKey: string | null): void
}

/**
 * `onRemoved` is called once all documents of a removal are gone. A removal stops when the partition's lease is too old. It is then
 * repeated while `isHosted` returns true, because the lease may have been renewed.
 */
export function createRemovals(
  context: KeeperContext,
  onRemoved: (subjectId: string, signalKey: string | null) => void,
  isHosted: (partition: number) => boolean,
): Removals {
  const running = new Set<string>()
  const again = new Set<string>()
  const start = (subjectId: string, signalKey: string | null): void => {
    const name = `${subjectId}.${signalKey ?? ''}`
    if (running.has(name)) {
      again.add(name)
      return
    }
    running.add(name)
    const mayGoOn = () => context.mayCommit(partitionOf(subjectId))
    const removal =
      signalKey === null ? removeChildren(context, subjectId, mayGoOn) : removeSignal(context, subjectId, signalKey, mayGoOn)
    removal
      .then(() => again.has(name) || onRemoved(subjectId, signalKey))
      .catch(error => {
        context.logger.debug({ err: error, subjectId }, 'a removal was stopped')
        if (error instanceof NoLongerOurs) startLater(subjectId, signalKey)
      })
      .finally(() => {
        running.delete(name)
        if (again.delete(name)) start(subjectId, signalKey)
      })
  }
  const startLater = (subjectId: string, signalKey: string | null): void => {
    context.clock.schedule(limits.keeper.retryMs, () => {
      if (isHosted(partitionOf(subjectId))) start(subjectId, signalKey)
    })
  }
  return { start }
}

const childCollections = [
  'history',
  'incidents',
  'deadLetters',
  'series',
  'policies',
  'windows',
  'responses',
  'pingBodies',
] as const satisfies CollectionName[]

const { deletionSlice } = limits.keeper
const doing = 'remove what was deleted'

/** Removes every child of a subject. May be repeated after a crash. `mayGoOn` is called before each slice. */
export async function removeChildren(context: KeeperContext, subjectId: string, mayGoOn: () => boolean): Promise<void> {
  const store = retryingStore(context, mayGoOn, doing)
  for (const collection of childCollections) await removeAll(store, collection, { subjectId }, deletionSlice)
  await removeAlerts(store, subjectId)
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

/** Removes the messages of a subject, but for those by which what is open elsewhere ends. These expire. */
async function removeAlerts(store: Pick<Store, 'find' | 'delete'>, subjectId: string): Promise<void> {
  const query: Query = { where: { subjectId }, sort: [['decidedAt', 'asc']], limit: deletionSlice }
  for await (const page of pagesOf(query, next => store.find('alerts', next))) {
    const ids = page.filter(({ kind }) => kind !== 'withdrawn').map(({ id }) => id)
    if (ids.length > 0) await store.delete('alerts', ids)
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
  // The senders' ids of all signals are stored together, by subject.
  const ids = pushedPrefix(subjectId)
  await removeAll(store, 'observationIds', { id: { gte: ids, lt: endOfPrefix(ids) }, signalKey }, deletionSlice)
  await removeAll(store, 'series', { subjectId, signalKey }, deletionSlice)
  await removeOfSource(store, subjectId, { kind: 'signal', id: signalKey })
}
