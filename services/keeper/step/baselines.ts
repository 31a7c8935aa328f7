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
  const numbers = numbersWith(latest, newest.atUs, stored, stored.numbers(subjectId, signalKey))
  const baselines: Record<number, Baseline> = {}
  for (const length of days) baselines[length] = baselineOf(numbersBefore(newest.atUs, length, numbers))
  return { ...heard, baselines }
}

/** The first instant of the baseline of an Observation, µs. */
export const baselineFromUs = (newestUs: number, days: number): number => newestUs - days * day * 1_000

/** A row counts only before the newest Observation: the usual report, which is the newest, changes and copies nothing. */
function numbersWith(
  latest: Pick<PushedObservationDocument, 'id' | 'value'> | null,
  newestUs: number,
  stored: StoredReports,
  numbers: NumbersInOrder,
): NumbersInOrder {
  if (latest === null || parsePushedObservationId(latest.id).observedAtUs >= newestUs) return numbers
  const own = numbers.copy()
  own.note(latest.id, stored.pushed(latest.id)?.value ?? null, latest.value)
  return own
}

/**
 * One list for all medians: a fresh one for each report, outside the heap, brings a collection of the whole heap after a few hundred reports.
 */
const sortable = new Float64Array(limits.intake.baselineNumbers)

/** A copy of the numbers of the days before an Observation; good until the next call. */
function numbersBefore(newestUs: number, days: number, numbers: NumbersInOrder): Float64Array {
  const found = numbers.between(baselineFromUs(newestUs, days), newestUs, limits.intake.baselineNumbers)
  sortable.set(found)
  return sortable.subarray(0, found.length)
}
