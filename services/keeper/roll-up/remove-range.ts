// Removal of documents from one id up to another in slices, so that a long history delays no other work.
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { RetryingStore } from './retrying-store.ts'

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
