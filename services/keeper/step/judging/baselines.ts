// Baselines of a Resource's signal: the median of the numbers in the days before its newest Observation. Pure: the context has the stored
// numbers of earlier Observations. Reference: docs/reference/v3.md, 4.5.
import type { Baseline, HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import { day } from '#shared/limits/limits.ts'
import { parsePushedObservationId } from '#shared/text/ids.ts'
import type { StoredReports } from '../types.ts'
import type { NumbersInOrder } from './signal-numbers.ts'

interface Measured {
  subjectId: string
  signalKey: string
  /** Lengths of the baselines that rules use, days. */
  days: readonly number[]
}

/**
 * Returns `heard` with the baselines at its newest Observation; without baselines if no rule needs one. `latest`: the row that is about to
 * be stored; null: no row. The context must hold the numbers since the start of the longest baseline.
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
  for (const length of days) baselines[length] = numbers.baseline(baselineFromUs(newest.atUs, length), newest.atUs)
  return { ...heard, baselines }
}

/** The first instant of the baseline of an Observation, µs. */
export const baselineFromUs = (newestUs: number, days: number): number => newestUs - days * day * 1_000

/**
 * Adds the value of the report that this step judges (`latest`) to the stored numbers, if the signal has a newer Observation than this
 * report. Copies nothing for a report that is itself the newest, as most reports are.
 */
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
