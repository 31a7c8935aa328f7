// Completes the Observations that a signal remembers from the stored ones. Pure.
import type { HeardObservation, HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { identityOf } from './observed-row.ts'
import { heardOf } from './take-observed.ts'

/** `known` with the newest `keep` Observations, those of `rows` among them; null: there is none. */
export function recall(
  known: HeardSignal = nothingHeard,
  rows: readonly PushedObservationDocument[],
  keep: number,
): HeardSignal | null {
  const isKnown = (row: PushedObservationDocument) => known.recent.some(({ identity }) => identity === identityOf(row.id))
  const stored = rows.filter(row => !isKnown(row)).toSorted((one, other) => one.receivedAtUs - other.receivedAtUs)
  // Numbered before whatever is known by its number: it was not among the newest that were kept.
  const all = [...stored.map((row, i) => heardOf(row, i - stored.length)), ...known.recent.toReversed()]
  const heard = all.reduce((left, one) => hear(left, one, keep), { ...known, recent: [] as HeardObservation[] })
  return heard.recent.length === 0 ? null : heard
}
