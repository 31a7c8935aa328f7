// Alerts that were removed with their subject.
import type { Store } from '#shared/store/port.ts'

/** Returns the ids of alerts that were removed with their subject. Unsent messages about a deleted subject are not sent. */
export async function removedAlerts(store: Store, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (ids.size === 0) return ids
  const found = await store.find('alerts', { where: { id: { in: [...ids] } }, limit: ids.size, select: ['number'] })
  const present = new Set(found.map(({ id }) => id))
  return new Set([...ids].filter(id => !present.has(id)))
}
