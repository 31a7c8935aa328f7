// Explanation and evidence of a decision, from the readings of its comparisons: a sentence for people, and the inputs that an incident
// stores. Pure. Reference: docs/reference/v3.md, 4.9 and 4.10.
import type { DecisionInput } from '#shared/contracts/subjects/verdict.ts'
import { limits } from '#shared/limits/limits.ts'
import { instantOfMicroseconds } from '#shared/time/instants.ts'
import type { ComparisonReading, Unresolved } from './read-comparison.ts'

/** One input for each comparison, in the order of the comparisons, up to a bound. */
export interface DecisionEvidence {
  inputs: DecisionInput[]
  omitted: number
  truncated: boolean
}

/** Returns a sentence that lists the first comparisons and gives the number of the others. */
export function explainDecision(readings: readonly ComparisonReading[]): string {
  const shown = readings.slice(0, limits.judging.namesListed).map(sayReading).join(', ')
  const more = readings.length - limits.judging.namesListed
  return more > 0 ? `${shown} and ${more} more` : shown
}

function sayReading(reading: ComparisonReading): string {
  const { comparison, newest, unresolved, truth } = reading
  if (comparison.field === 'known') return `${comparison.signal} ${truth === true ? 'known' : 'not known'}`
  if (unresolved !== null || newest === null) return `${comparison.signal} unresolved (${sayUnresolved(unresolved)})`
  if (comparison.field === 'status') return `${comparison.signal} ${newest.state}`
  const value = `${comparison.signal} ${JSON.stringify(newest.value)}`
  const { baseline, matching } = reading
  if (comparison.baseline != null && baseline !== null) {
    return `${value} (${comparison.baseline.days}d median ${baseline.median ?? 'none'} of ${baseline.samples} readings)`
  }
  return matching === null ? value : `${value} (${matching} of ${comparison.min_count} in ${comparison.within_seconds} s)`
}

function sayUnresolved(unresolved: Unresolved | null): string {
  if (unresolved?.why === 'silent') return `nothing reported since ${instantOfMicroseconds(unresolved.sinceUs)}`
  return unresolved === null || unresolved.why === 'never reported' ? 'nothing has been reported here' : unresolved.why
}

export function evidenceOf(readings: readonly ComparisonReading[]): DecisionEvidence {
  const inputs = readings.slice(0, limits.judging.decisionInputs).map(inputOf)
  const omitted = readings.length - inputs.length
  return { inputs, omitted, truncated: omitted > 0 }
}

function inputOf({ comparison, newest, unresolved, matching, baseline }: ComparisonReading): DecisionInput {
  const input: DecisionInput = { signal: comparison.signal }
  if (unresolved !== null || newest === null || newest.state === 'no_data') input.unresolved = evidenceWord(unresolved)
  else {
    input.status = newest.state
    if (newest.value !== null) input.value = newest.value
    input.atUs = newest.atUs
    if (newest.reason !== null) input.reason = newest.reason
  }
  if (comparison.field !== 'value') return input
  if (matching !== null) {
    input.counted = { matching, required: comparison.min_count as number, within_seconds: comparison.within_seconds as number }
  }
  if (baseline !== null && comparison.baseline != null) {
    const { days, min_samples: required } = comparison.baseline
    input.baseline = { days, required, samples: baseline.samples, median: baseline.median }
  }
  return input
}

function evidenceWord(unresolved: Unresolved | null): string {
  if (unresolved?.why === 'silent') return `silent since ${instantOfMicroseconds(unresolved.sinceUs)}`
  if (unresolved?.why === 'no_data') return 'the sender reported no_data'
  return unresolved === null ? 'never reported' : unresolved.why
}
