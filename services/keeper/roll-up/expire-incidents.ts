// Closed incidents leave with their history, and ended maintenance windows, when their time is over. What is open stays.
import { limits } from '#shared/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { PatientStore } from './patient-store.ts'

/** History first, the incident last: a crash between them leaves what the next pass finds again. */
export async function expireIncidents(store: PatientStore, subjectId: string, now: number): Promise<void> {
  const oldest = now - limits.retention.incidentsMs
  for await (const page of begunBefore(store, 'incidents', 'troubleSince', subjectId, oldest)) {
    const old = page.filter(incident => incident.open === 0 && (incident.closedAt ?? now) < oldest)
    for (const { id } of old) await removeHistory(store, id)
    if (old.length > 0) await store.delete('incidents', idsOf(old))
  }
  for await (const page of begunBefore(store, 'windows', 'startedAt', subjectId, oldest)) {
    const old = page.filter(({ state, endsAt, cancelledAt }) => state !== 'running' && (cancelledAt ?? endsAt) < oldest)
    if (old.length > 0) await store.delete('windows', idsOf(old))
  }
}

/** Of a subject what began before an instant, ms, the oldest first; it may still go on. */
function begunBefore<C extends 'incidents' | 'windows'>(
  store: PatientStore,
  collection: C,
  begun: keyof Collections[C] & string,
  subjectId: string,
  before: number,
): AsyncGenerator<Collections[C][]> {
  const where = { subjectId, [begun]: { lt: before } }
  const query: Query = { where, sort: [[begun, 'asc']], limit: limits.rollUp.incidentsPerRead }
  return pagesOf(query, paged => store.find(collection, paged))
}

async function removeHistory(store: PatientStore, incidentId: string): Promise<void> {
  const query: Query = { where: { incidentId }, select: ['incidentId'], limit: limits.keeper.deletionSlice }
  for (;;) {
    const entries = await store.find('history', query)
    if (entries.length > 0) await store.delete('history', idsOf(entries))
    if (entries.length < query.limit) return
  }
}

const idsOf = (documents: readonly { id: string }[]): string[] => documents.map(({ id }) => id)
