// What senders reported leaves when its instant is out of retention: of each signal that is one range of ids, removed when a day is settled.
// What was refused with an instant of the future carries its own expiry (housekeeping.ts).
import { pushedPrefix } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { PatientStore } from './patient-store.ts'
import { removeRange } from './remove-range.ts'
import { signalsOf } from './series.ts'

/** Pushed observations of a subject whose time is over at `now`, ms. */
export async function expireReports(store: PatientStore, subjectId: string, now: number): Promise<void> {
  const oldestUs = (now - limits.retention.pushedMs) * 1_000
  for (const { id } of await signalsOf(store, subjectId))
    await removeRange(store, 'pushedObservations', pushedPrefix(subjectId, id), pushedPrefix(subjectId, id, oldestUs))
}
