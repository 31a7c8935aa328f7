// The guarded read-change-write of one document: a writer that lost a race reads and tries again, a bounded number of times.
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CollectionName, Collections } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'

type Replaceable = Exclude<
  CollectionName,
  'observations' | 'pushedObservations' | 'observationIds' | 'rollUps' | 'server_api_audit'
>

/**
 * Replaces a document by what `change` makes of it (its rev is counted up here). `change` gets null where there is none and
 * answers null to leave things as they are. Answers the document as it then is.
 */
export async function changeGuarded<C extends Replaceable>(
  store: Store,
  collection: C,
  id: string,
  change: (present: Collections[C] | null) => Collections[C] | null,
): Promise<Collections[C] | null> {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const [present = null] = await store.get(collection, [id])
    const wanted = change(present)
    if (wanted === null) return present
    const next = { ...wanted, id, rev: (present?.rev ?? 0) + 1 }
    const [result] = await store.replace(collection, [next])
    if (result === 'written') return next
  }
  throw new AppError('unavailable', 'Too much contention', { details: `${collection} changed too often at once; try again` })
}
