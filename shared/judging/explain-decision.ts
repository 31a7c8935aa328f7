// Explanation and evidence of a decision, from the readings of its comparisons: a sentence for people, and the inputs that an incident
// stores. Pure. Reference: docs/reference/v3.md, 4.9, 4.10 and 4.15.
import type { DecisionInput } from '#shared/contracts/subjects/verdict.ts'
import { limits } from '#shared/limits/limits.ts'
import { missedWords } from '#shared/schedule/missed-words.ts'
import { checkedSignalKey } from '#shared/subjects/resource-signals.ts'
import { instantOfMicroseconds } from '#shared/time/instants.ts'
import { keptOf, type RankedInput } from './kept-inputs.ts'
import type { CheckedReading, PlaceReading } from './read-checked.ts'
import type { ComparisonReading, Truth, Unresolved } from './read-comparison.ts'
import { cannotWord } from './read-input.ts'

/** Reading of a comparison: of a checked signal if it has places. */
export type AnyReading = ComparisonReading | CheckedReading

/** Inputs in the order of the comparisons, up to a bound: one of each, or of a checked signal one of each location. */
export interface DecisionEvidence {
  inputs: DecisionInput[]
  omitted: number
  truncated: boolean
}

/** Returns a sentence that lists the first comparisons and gives the number of the others. */
export function explainDecision(readings: readonly AnyReading[]): string {
  const say = (reading: AnyReading) => ('places' in reading ? sayChecked(reading) : sayReading(reading))
  const shown = readings.slice(0, limits.judging.namesListed).map(say).join(', ')
  const more = readings.length - limits.judging.namesListed
  return more > 0 ? `${shown} and ${more} more` : shown
}

function sayReading(reading: ComparisonReading): string {
  const { comparison, newest, unresolved, truth } = reading
  if (unresolved?.why === 'missed') return `${comparison.signal} missed (${sayMissed(unresolved)})`
  if (comparison.field === 'missed') return `${comparison.signal} not missed`
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

function sayChecked({ comparison, truth, places, unable }: CheckedReading): string {
  const { signal } = comparison
  const [first] = places
  const [lacking] = unable
  if (first === undefined) return `${signal} cannot be checked (${lacking?.sentence ?? 'no locations'})`
  const said = comparison.field === 'known' || places.length === 1 ? { ...first.reading, truth } : null
  const able = said === null ? `${signal} ${sayPlaces(truth, places)}` : sayReading(said)
  if (lacking === undefined) return able
  return `${able} (${unable.length} ${unable.length === 1 ? 'location' : 'locations'} cannot: ${lacking.sentence})`
}

/** Returns what the comparison found, and at how many of several places. */
function sayPlaces(truth: Truth, places: readonly PlaceReading[]): string {
  const readings = places.map(({ reading }) => reading)
  const at = (some: readonly unknown[]) => `at ${some.length} of ${places.length} locations`
  if (truth === 'unknown') {
    const unresolved = readings.filter(reading => reading.truth === 'unknown')
    return `unresolved ${at(unresolved)} (${sayUnresolved(unresolved[0]?.unresolved ?? null)})`
  }
  if (readings[0]?.comparison.field === 'status') {
    const [problems, passes] = (['problem', 'ok'] as const).map(state => readings.filter(reading => stateOf(reading) === state))
    return problems !== undefined && problems.length > 0 ? `problem ${at(problems)}` : `ok ${at(passes ?? [])}`
  }
  const deciding = readings.filter(reading => (truth ? reading.truth === true : reading.truth !== 'unknown'))
  return `${JSON.stringify(decidingValue(deciding))} ${at(deciding)}`
}

const stateOf = ({ newest, unresolved }: ComparisonReading) => (unresolved === null ? (newest?.state ?? null) : null)

/** Returns the largest value where large ones satisfy the comparison, the smallest where small ones do. */
function decidingValue(readings: readonly ComparisonReading[]): number | null {
  const values = readings.flatMap(({ newest }) => (newest?.value == null ? [] : [newest.value]))
  const { comparison } = readings[0] ?? {}
  const operator = comparison?.field === 'value' ? comparison.operator : 'eq'
  if (operator === 'eq') return values[0] ?? null
  return operator === 'lt' || operator === 'lte' ? Math.min(...values) : Math.max(...values)
}

const sayMissed = (missed: Extract<Unresolved, { why: 'missed' }>): string =>
  'expectedAt' in missed ? missedWord(missed) : `${missedWord(missed)}, not ended`

const missedWord = (missed: Extract<Unresolved, { why: 'missed' }>): string =>
  'expectedAt' in missed
    ? `${missedWords.expected}${instantOfMicroseconds(missed.expectedAt * 1_000)}`
    : `${missedWords.started}${instantOfMicroseconds(missed.startedAtUs)}`

function sayUnresolved(unresolved: Unresolved | null): string {
  if (unresolved?.why === 'silent') return `nothing reported since ${instantOfMicroseconds(unresolved.sinceUs)}`
  return unresolved === null || unresolved.why === 'never reported' ? 'nothing has been reported here' : unresolved.why
}

export function evidenceOf(readings: readonly AnyReading[]): DecisionEvidence {
  const groups = readings.map(reading => ('places' in reading ? inputsAt(reading) : [{ input: inputOf(reading), rank: 0 }]))
  const inputs = keptOf(groups, limits.judging.decisionInputs)
  const omitted = groups.reduce((sum, group) => sum + group.length, 0) - inputs.length
  return { inputs, omitted, truncated: omitted > 0 }
}

/** Returns one input for each location: where the comparison is true before where it is unknown, where it is false last. */
function inputsAt({ comparison: { signal }, places, unable }: CheckedReading): RankedInput[] {
  const keyAt = (location: string) => checkedSignalKey(signal, location)
  return [
    ...places.map(({ location, reading }) => ({
      input: inputOf(reading, keyAt(location)),
      rank: ranks[String(reading.truth)] ?? 0,
    })),
    ...unable.map(({ location, sentence }) => ({
      input: { signal: keyAt(location), unresolved: `${cannotWord}${sentence}` },
      rank: ranks['unknown'] ?? 0,
    })),
  ]
}

const ranks: Readonly<Record<string, number>> = { true: 0, unknown: 1, false: 2 }

function inputOf(
  { comparison, newest, unresolved, matching, baseline }: ComparisonReading,
  signal = comparison.signal,
): DecisionInput {
  const input: DecisionInput = { signal }
  if (comparison.field === 'missed' && unresolved?.why !== 'missed')
    return { signal, status: 'ok', ...(newest === null ? {} : { atUs: newest.atUs }) }
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
  if (unresolved?.why === 'missed') return missedWord(unresolved)
  if (unresolved?.why === 'no_data') return 'the sender reported no_data'
  return unresolved === null ? 'never reported' : unresolved.why
}
