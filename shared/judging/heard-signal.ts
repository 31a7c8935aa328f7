// Recent Observations of one signal of a Resource, newest first, and the medians of the signal's baselines. Pure. Reference:
// docs/reference/v3.md, 4.1, 4.4 and 4.5.
import type { Baseline, HeardObservation, HeardSignal } from '#shared/contracts/observations/heard-signal.ts'

export const nothingHeard: HeardSignal = { recent: [], baselines: {} }

/**
 * Returns `heard` with one more Observation. Observations are sorted by instant, and those of one instant by arrival. An Observation with
 * the same identity is replaced. Keeps `keep` Observations, at least one. Baselines stay unchanged. If the newest Observation is then
 * another one, the caller must compute new baselines.
 */
export function hear(heard: HeardSignal, observation: HeardObservation, keep: number): HeardSignal {
  const others = heard.recent.filter(other => other.identity !== observation.identity)
  const place = others.findIndex(other => isNewer(observation, other))
  const recent = place < 0 ? [...others, observation] : others.toSpliced(place, 0, observation)
  return { ...heard, recent: recent.slice(0, Math.max(1, keep)) }
}

/** Returns true if `one` has a later instant than `other`, or the same instant and a later arrival. */
function isNewer(one: HeardObservation, other: HeardObservation): boolean {
  return one.atUs === other.atUs ? one.number > other.number : one.atUs > other.atUs
}

/** Returns the median of `values`, and sorts `values`. The median of an even number of values is the mean of the middle two. */
export function baselineOf(values: Float64Array): Baseline {
  if (values.length === 0) return { samples: 0, median: null }
  values.sort()
  const middle = values.length >> 1
  const upper = values[middle] as number
  return { samples: values.length, median: values.length % 2 === 1 ? upper : ((values[middle - 1] as number) + upper) / 2 }
}
