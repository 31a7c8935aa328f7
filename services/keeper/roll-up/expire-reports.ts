// Expiry of pushed observations whose retention has ended and whose day is settled: one range of ids for each signal. A report refused for a
// future instant has an expiry of its own (housekeeping.ts).

import { limits } from '#shared/limits/limits.ts'
import { observationIdKey, pushedPrefix } from '#shared/text/ids.ts'
import type { RetryingStore } from './retrying-store.ts'
import { signalSources } from './sources.ts'

/**
 * Removes pushed observations of a subject whose retention has ended at `now`, of the days before `settledTo` (both ms). Later days are
 * still to be rolled up if no keeper ran for longer than the retention.
 */
export async function expireReports(store: RetryingStore, subjectId: string, now: number, settledTo: number): Promise<void> {
  const oldestUs = Math.min(now - limits.retention.pushedMs, settledTo) * 1_000
  for (const { id } of await signalSources(store, subjectId))
    await removeRows(store, subjectId, pushedPrefix(subjectId, id), pushedPrefix(subjectId, id, oldestUs))
}

/**
 * Removes rows in slices. The senders' ids of a slice are removed before its rows: after a crash between them, the rows still name the ids.
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
