// Recall of Observations: adds stored Observations to the Observations that a signal has in memory. Pure.
import type { HeardObservation, HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { identityOf } from './observations/observed-row.ts'
import { heardOf } from './observations/take-observed.ts'

/** Returns `known` with the newest `keep` Observations, including `rows`; null: no Observation exists. */
export function recall(
  known: HeardSignal = nothingHeard,
  rows: readonly PushedObservationDocument[],
  keep: number,
): HeardSignal | null {
  const isKnown = (row: PushedObservationDocument) => known.recent.some(({ identity }) => identity === identityOf(row.id))
  const stored = rows.filter(row => !isKnown(row)).toSorted((one, other) => one.receivedAtUs - other.receivedAtUs)
  // A stored Observation that is not in memory gets a lower number than every Observation in memory, because it was not among the newest.
  const all = [...stored.map((row, i) => heardOf(row, i - stored.length)), ...known.recent.toReversed()]
  const heard = all.reduce((left, one) => hear(left, one, keep), { ...known, recent: [] as HeardObservation[] })
  return heard.recent.length === 0 ? null : heard
}
