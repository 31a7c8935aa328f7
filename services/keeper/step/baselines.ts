// Baselines of a Resource's signal: the median of the numbers in the days before its newest Observation. Pure: what is stored of earlier
// Observations comes with the surrounding. Rule: docs/reference/v3.md, 4.5.
import type { Baseline, HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import { parsePushedObservationId } from '#shared/ids.ts'
import { baselineOf } from '#shared/judging/heard-signal.ts'
import { day, limits } from '#shared/limits.ts'
import type { NumbersInOrder } from './signal-numbers.ts'
import type { StoredReports } from './types.ts'

interface Measured {
  subjectId: string
  signalKey: string
  /** The lengths of the baselines that rules ask for. */
  days: readonly number[]
}

/**
 * `heard` with the baselines of its newest Observation, none where no rule asks for one. `latest` is the row that is about to be stored; null:
 * none is. The surrounding must hold the numbers since the longest baseline's begin.
 */
export function withBaselines(
  heard: HeardSignal,
  { subjectId, signalKey, days }: Measured,
  stored: StoredReports,
  latest: Pick<PushedObservationDocument, 'id' | 'value'> | null,
): HeardSignal {
  const newest = heard.recent[0]
  if (newest === undefined || days.length === 0) return { ...heard, baselines: {} }
  const numbers = stored.numbers(subjectId, signalKey)
  const change = latest === null ? null : changeBy(latest, stored)
  const baselines: Record<number, Baseline> = {}
  for (const length of days) baselines[length] = baselineOf(numbersBefore(newest.atUs, length, numbers, change))
  return { ...heard, baselines }
}

/** The first instant of the baseline of an Observation, µs. */
export const baselineFromUs = (newestUs: number, days: number): number => newestUs - days * day * 1_000

interface NumberChange {
  atUs: number
  before: number | null
  now: number | null
}

function changeBy({ id, value }: Pick<PushedObservationDocument, 'id' | 'value'>, stored: StoredReports): NumberChange {
  return { atUs: parsePushedObservationId(id).observedAtUs, before: stored.pushed(id)?.value ?? null, now: value }
}

/**
 * One list for all medians: a fresh one for each report, outside the heap, brings a collection of the whole heap after a few hundred reports.
 * One more than a baseline takes, for the change.
 */
const sortable = new Float64Array(limits.intake.baselineNumbers + 1)

/** The numbers of the days before an Observation, with the change that is about to be stored; good until the next call. */
function numbersBefore(newestUs: number, days: number, numbers: NumbersInOrder, change: NumberChange | null): Float64Array {
  const fromUs = baselineFromUs(newestUs, days)
  const known = numbers.between(fromUs, newestUs, limits.intake.baselineNumbers)
  sortable.set(known)
  let length = known.length
  if (change !== null && change.before !== change.now && change.atUs >= fromUs && change.atUs < newestUs) {
    const place = change.before === null ? -1 : known.indexOf(change.before)
    if (place >= 0) sortable.copyWithin(place, place + 1, length--)
    if (change.now !== null) sortable[length++] = change.now
  }
  return sortable.subarray(Math.max(0, length - limits.intake.baselineNumbers), length)
}
