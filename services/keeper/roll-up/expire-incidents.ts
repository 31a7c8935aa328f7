// Removal of closed incidents with their history, and of ended maintenance windows, after their retention. Open incidents stay.
import { limits } from '#shared/limits/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import { pagesOf, removeAll } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { RetryingStore } from './retrying-store.ts'

/** Removes the history first and the incident last: after a crash between them, the next pass finds the incident again. */
export async function expireIncidents(store: RetryingStore, subjectId: string, now: number): Promise<void> {
  const oldest = now - limits.retention.incidentsMs
  for await (const page of begunBefore(store, 'incidents', 'troubleSince', subjectId, oldest)) {
    const old = page.filter(incident => incident.open === 0 && (incident.closedAt ?? now) < oldest)
    for (const { id } of old) await removeAll(store, 'history', { incidentId: id }, limits.keeper.deletionSlice)
    if (old.length > 0) await store.delete('incidents', idsOf(old))
  }
  for await (const page of begunBefore(store, 'windows', 'startedAt', subjectId, oldest)) {
    const old = page.filter(({ state, endsAt, cancelledAt }) => state !== 'running' && (cancelledAt ?? endsAt) < oldest)
    if (old.length > 0) await store.delete('windows', idsOf(old))
  }
}

/** Returns a subject's incidents or windows that began before an instant (ms), the oldest first. They may still be open. */
function begunBefore<C extends 'incidents' | 'windows'>(
  store: RetryingStore,
  collection: C,
  begun: keyof Collections[C] & string,
  subjectId: string,
  before: number,
): AsyncGenerator<Collections[C][]> {
  const where = { subjectId, [begun]: { lt: before } }
  const query: Query = { where, sort: [[begun, 'asc']], limit: limits.rollUp.incidentsPerRead }
  return pagesOf(query, paged => store.find(collection, paged))
}

const idsOf = (documents: readonly { id: string }[]): string[] => documents.map(({ id }) => id)
