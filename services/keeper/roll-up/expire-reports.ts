// What senders reported leaves when its instant is out of retention and its day is settled: of each signal that is one range of ids.
// What was refused with an instant of the future carries its own expiry (housekeeping.ts).
import { pushedPrefix } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { PatientStore } from './patient-store.ts'
import { removeRange } from './remove-range.ts'
import { signalSources } from './sources.ts'

/**
 * Pushed observations of a subject whose time is over at `now`, of the days before `settledTo` (both ms): where no keeper ran for longer
 * than they are kept, those of later days are still to be rolled up.
 */
export async function expireReports(store: PatientStore, subjectId: string, now: number, settledTo: number): Promise<void> {
  const oldestUs = Math.min(now - limits.retention.pushedMs, settledTo) * 1_000
  for (const { id } of await signalSources(store, subjectId))
    await removeRange(store, 'pushedObservations', pushedPrefix(subjectId, id), pushedPrefix(subjectId, id, oldestUs))
}
