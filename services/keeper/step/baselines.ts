// Baselines of a Resource's signal: the median of the numbers in the days before its newest Observation. Pure: what is stored of earlier
// Observations comes with the surrounding. Rule: docs/reference/v3.md, 4.5.
import type { Baseline, HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import { pushedPrefix } from '#shared/ids.ts'
import { baselineOf } from '#shared/judging/heard-signal.ts'
import { day, limits } from '#shared/limits.ts'
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
  const placeAt = (atUs: number) => pushedPrefix(subjectId, signalKey, atUs)
  const before = numbersBetween(
    placeAt(baselineFromUs(newest.atUs, Math.max(...days))),
    placeAt(newest.atUs),
    stored.numbers(subjectId, signalKey),
    latest,
  )
  const baselines: Record<number, Baseline> = {}
  for (const length of days) {
    const from = placeAt(baselineFromUs(newest.atUs, length))
    const values = before.filter(([id]) => id >= from).map(([, value]) => value)
    baselines[length] = baselineOf(values)
  }
  return { ...heard, baselines }
}

/** The first instant of the baseline of an Observation, µs. */
export const baselineFromUs = (newestUs: number, days: number): number => newestUs - days * day * 1_000

/** At most the newest that a baseline takes, by the ids of their rows. */
function numbersBetween(
  from: string,
  to: string,
  numbers: ReadonlyMap<string, number | null>,
  latest: Pick<PushedObservationDocument, 'id' | 'value'> | null,
): [id: string, value: number][] {
  const found: [string, number][] = []
  const add = (id: string, value: number | null) => {
    if (value !== null && id >= from && id < to) found.push([id, value])
  }
  for (const [id, value] of numbers) if (id !== latest?.id) add(id, value)
  if (latest !== null) add(latest.id, latest.value)
  if (found.length <= limits.intake.baselineNumbers) return found
  return found.sort(([one], [other]) => (one < other ? 1 : -1)).slice(0, limits.intake.baselineNumbers)
}
