// Removal of a subject's documents after their retention: closed incidents with their history, ended maintenance windows, and pushed
// observations. Open incidents stay.

import { limits } from '#shared/limits/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import { pagesOf, removeAll } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import { observationIdKey, pushedPrefix } from '#shared/text/ids.ts'
import type { RetryingStore } from './retrying-store.ts'
import { signalSources } from './sources.ts'

/** Removes the history first and the incident last: after a crash between the two removals, the next pass finds the incident again. */
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

/**
 * Removes a subject's pushed observations of the days before `settledTo` if their retention has ended at `now` (both ms). Later days stay,
 * because they are not rolled up yet. They may be older than the retention if no keeper ran for a long time.
 */
export async function expireReports(store: RetryingStore, subjectId: string, now: number, settledTo: number): Promise<void> {
  const oldestUs = Math.min(now - limits.retention.pushedMs, settledTo) * 1_000
  for (const { id } of await signalSources(store, subjectId))
    await removeRows(store, subjectId, pushedPrefix(subjectId, id), pushedPrefix(subjectId, id, oldestUs))
}

/**
 * Removes rows in slices. For each slice, deletes the stored places of the senders' ids first and the rows last: after a crash in between,
 * the rows still name the ids for the next pass.
 */
async function removeRows(store: RetryingStore, subjectId: string, from: string, to: string): Promise<void> {
  const limit = limits.keeper.deletionSlice
  for (;;) {
    const query = { where: { id: { gte: from, lt: to } }, select: ['sentId'], limit }
    const rows = await store.find('pushedObservations', query)
    const keys = rows.flatMap(({ sentId }) => (sentId === null ? [] : [observationIdKey(subjectId, sentId)]))
    if (keys.length > 0) await store.delete('observationIds', keys)
    if (rows.length > 0)
      await store.delete(
        'pushedObservations',
        rows.map(({ id }) => id),
      )
    if (rows.length < limit) return
  }
}
