// Store for work outside the rounds: every call is retried until it succeeds or the partition belongs to another keeper. Removes ranges in
// slices, so that a long history delays no other work.

import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { type KeeperContext, retryWhile } from '../context.ts'

export type RetryingStore = Pick<Store, 'get' | 'find' | 'upsert' | 'replace' | 'delete' | 'deleteRange'>

/** All methods reject with NoLongerOurs once `mayGoOn` returns false. `doing` is for the log. */
export function retryingStore(context: KeeperContext, mayGoOn: () => boolean, doing: string): RetryingStore {
  const { store } = context
  const retried = <T>(attempt: () => Promise<T>) => retryWhile(context, mayGoOn, doing, attempt)
  return {
    get: (collection, ids) => retried(() => store.get(collection, ids)),
    find: (collection, query) => retried(() => store.find(collection, query)),
    upsert: (collection, documents) => retried(() => store.upsert(collection, documents)),
    replace: (collection, documents) => retried(() => store.replace(collection, documents)),
    delete: (collection, ids) => retried(() => store.delete(collection, ids)),
    deleteRange: (collection, from, to, limit) => retried(() => store.deleteRange(collection, from, to, limit)),
  }
}

/** Removes the documents with from <= id < to. May be repeated. */
export async function removeRange(
  store: Pick<RetryingStore, 'deleteRange'>,
  collection: CollectionName,
  from: string,
  to: string,
): Promise<void> {
  const slice = limits.keeper.deletionSlice
  while ((await store.deleteRange(collection, from, to, slice)) >= slice);
}
