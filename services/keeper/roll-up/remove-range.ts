// Removes documents from one id up to another in slices, so that a long history delays nobody.
import { limits } from '#shared/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { PatientStore } from './patient-store.ts'

/** Those with from <= id < to. Safe to begin again. */
export async function removeRange(
  store: Pick<PatientStore, 'deleteRange'>,
  collection: CollectionName,
  from: string,
  to: string,
): Promise<void> {
  const slice = limits.keeper.deletionSlice
  while ((await store.deleteRange(collection, from, to, slice)) >= slice);
}
