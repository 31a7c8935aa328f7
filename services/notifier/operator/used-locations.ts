// Which locations monitors are checked from. Reads every living subject, page by page: no index knows locations.
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

/** Location id to the number of its monitors. Rejects with a StoreError. */
export async function usedLocations(store: Store): Promise<Map<string, number>> {
  const used = new Map<string, number>()
  const query: Query = { where: { deletedAt: null }, select: ['checkLocations'], limit: limits.operator.scanSubjects }
  for await (const page of pagesOf(query, some => store.find('subjects', some))) {
    for (const { checkLocations } of page) for (const id of checkLocations) used.set(id, (used.get(id) ?? 0) + 1)
  }
  return used
}
