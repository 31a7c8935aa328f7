// Guarded change of one document: reads it, changes it, and writes it only if its stored revision is still the same. If another writer has
// changed the document meanwhile, the read and the change are repeated, a bounded number of times.
import { type AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName, Collections } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'

type Replaceable = Exclude<
  CollectionName,
  'observations' | 'pushedObservations' | 'observationIds' | 'rollUps' | 'server_api_audit'
>

/** Functions whose errors are thrown instead of the default errors. */
interface Failures<T> {
  /** Returns the error for a document that a unique index refused. If this function is absent, the change is tried again. */
  taken?(wanted: T): AppError
  /**
   * Returns the error for a document that other writers changed at every try. If this function is absent, the error is `Too much
   * contention`.
   */
  contended?(): AppError
}

/**
 * Replaces a document by the result of `change`, with the next revision. `change` receives null for a missing document, and returns null to
 * write nothing. Returns the stored document, or null if no document is stored. Throws a retryable error if another writer changed the
 * document at every try.
 */
export async function changeGuarded<C extends Replaceable>(
  store: Store,
  collection: C,
  id: string,
  change: (present: Collections[C] | null) => Collections[C] | null,
  { taken, contended = () => contention(`${collection} changed too often at once; try again`) }: Failures<Collections[C]> = {},
): Promise<Collections[C] | null> {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present = null] = await store.get(collection, [id])
    const wanted = change(present)
    if (wanted === null) return present
    const next = { ...wanted, id, rev: (present?.rev ?? 0) + 1 }
    const [result] = await store.replace(collection, [next])
    if (result === 'written') return next
    if (result === 'taken' && taken !== undefined) throw taken(next)
  }
  throw contended()
}

export const contention = (details: string) => refusal('unavailable', 'Too much contention', details)
