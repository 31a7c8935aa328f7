// Reads that must not miss one: all documents that fit, however many there are, page by page.
import { limits } from '#shared/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import type { Query, Store } from '#shared/store/port.ts'

/** By id. */
export async function* readAll<C extends 'users' | 'workspaces' | 'memberships'>(
  store: Store,
  collection: C,
  where: NonNullable<Query['where']>,
): AsyncGenerator<Collections[C]> {
  const limit = limits.directory.listed
  for (let last: Collections[C] | undefined, page: Collections[C][] = []; ; last = page.at(-1)) {
    page = await store.find(collection, { where, limit, ...(last ? { after: { values: [], id: last.id } } : {}) })
    yield* page
    if (page.length < limit) return
  }
}
