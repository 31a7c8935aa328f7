// Reading of one comparison of a Template's decision at an instant, and the state of the compared signal. Pure. Reference:
// docs/reference/v3.md, 4.2 to 4.5.
import type { Baseline, HeardObservation, HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { Answers, Comparison, Operator, PushedSignal, ValueComparison } from '#shared/contracts/resources/template.ts'
import { numberOf } from '#shared/manifest/answers.ts'
import { earliest } from './judgement.ts'

/** The three values of Kleene's logic. */
export type Truth = true | false | 'unknown'

/** Reason why a signal has no usable reading. */
export type Unresolved =
  | { why: 'never reported' }
  /** `sinceUs`: instant of the last Observation, in microseconds. */
  | { why: 'silent'; sinceUs: number }
  | { why: 'no_data' }
  | { why: 'no value' }
  /** A run was expected then, ms. */
  | { why: 'missed'; expectedAt: number }
  /** A run started then, µs, and did not end in time. */
  | { why: 'missed'; startedAtUs: number }

export interface ComparisonReading {
  comparison: Comparison
  truth: Truth
  /** True if the signal is not silent and the state of its newest Observation is ok or problem. */
  isKnown: boolean
  /** The newest Observation; null: the signal has never reported. */
  newest: HeardObservation | null
  unresolved: Unresolved | null
  /** How many of the newest Observations satisfy a comparison with `min_count`; null: the comparison has no `min_count`. */
  matching: number | null
  /** Baseline of the signal, if the comparison has one. */
  baseline: Baseline | null
  /** First instant (ms) at which time alone may change `truth` or `isKnown`; null: never. */
  changesAt: number | null
  /** Like `changesAt`, but after the instant of the reading: `changesAt` may have passed while silence does not count. */
  laterAt: number | null
}

/**
 * Instants in ms. The age of the newest report is measured up to `silenceAt`. While silence does not count, `silenceAt` is earlier than
 * `at` (rule 4.11).
 */
export interface Moment {
  at: number
  silenceAt: number
}

/** A heartbeat or periodic signal is silent if its newest Observation is older than this many periods. */
const quietPeriods = 3

/** Returns the time after a report until a signal of senders is silent, ms; null: an event never is. */
export const quietAfterMs = ({ everySeconds }: PushedSignal): number | null =>
  everySeconds === null ? null : quietPeriods * everySeconds * 1_000

/** `silentAfterMs`: time after a report until the signal is silent; null: it never is. */
export function readComparison(
  comparison: Comparison,
  silentAfterMs: number | null,
  heard: HeardSignal,
  answers: Answers,
  moment: Moment,
): ComparisonReading {
  const newest = heard.recent[0] ?? null
  const quietFrom = newest === null ? null : quietInstant(newest, silentAfterMs)
  const reading: ComparisonReading = {
    comparison,
    truth: 'unknown',
    isKnown: false,
    newest,
    unresolved: unresolvedOf(newest, quietFrom, moment),
    matching: null,
    baseline: null,
    ...changes([quietFrom !== null && moment.silenceAt < quietFrom ? quietFrom : null], moment),
  }
  const isKnown = reading.unresolved === null
  if (comparison.field === 'known') return readKnown({ ...reading, isKnown }, comparison.within_seconds ?? null, moment)
  if (comparison.field === 'value') return readValue({ ...reading, isKnown }, comparison, heard, answers, moment)
  // Only the schedule says whether a run is missed.
  if (!isKnown || newest === null || comparison.field === 'missed') return reading
  return { ...reading, isKnown, truth: (newest.state === comparison.operand) === (comparison.operator === 'eq') }
}

export const changes = (
  instants: readonly (number | null)[],
  { at }: Moment,
): Pick<ComparisonReading, 'changesAt' | 'laterAt'> => ({
  changesAt: earliest(instants),
  laterAt: earliest(instants.filter(instant => instant !== null && instant > at)),
})

const quietInstant = (newest: HeardObservation, silentAfterMs: number | null): number | null =>
  silentAfterMs === null ? null : msOf(newest.atUs) + silentAfterMs + 1

/**
 * Returns the reason why the signal has no usable reading; null: the reading is usable. Silence has priority over the state of the newest
 * Observation.
 */
function unresolvedOf(newest: HeardObservation | null, quietFrom: number | null, { silenceAt }: Moment): Unresolved | null {
  if (newest === null) return { why: 'never reported' }
  if (quietFrom !== null && silenceAt >= quietFrom) return { why: 'silent', sinceUs: newest.atUs }
  return newest.state === 'no_data' ? { why: 'no_data' } : null
}

/** Reads a comparison with the field `known`; its truth is never unknown. */
function readKnown(reading: ComparisonReading, withinSeconds: number | null, moment: Moment): ComparisonReading {
  const { silenceAt } = moment
  const { newest, isKnown } = reading
  if (!isKnown || newest === null || withinSeconds === null) return { ...reading, truth: isKnown }
  const staleFrom = msOf(newest.atUs) + withinSeconds * 1_000 + 1
  if (silenceAt >= staleFrom) return { ...reading, truth: false, unresolved: { why: 'silent', sinceUs: newest.atUs } }
  return { ...reading, truth: true, ...changes([staleFrom, reading.changesAt], moment) }
}

function readValue(
  reading: ComparisonReading,
  comparison: ValueComparison,
  heard: HeardSignal,
  answers: Answers,
  moment: Moment,
): ComparisonReading {
  const operand = numberOf(comparison.operand as Exclude<typeof comparison.operand, string>, answers)
  const { min_count: minCount, within_seconds: withinSeconds, baseline } = comparison
  const { newest, isKnown } = reading
  const hasValue = newest !== null && newest.value !== null
  const read: ComparisonReading = isKnown && !hasValue ? { ...reading, unresolved: { why: 'no value' } } : reading
  if (minCount != null && withinSeconds != null) {
    return readCounted(read, heard, moment, {
      holds: value => compare(value, comparison.operator, operand),
      minCount,
      withinSeconds,
    })
  }
  if (baseline != null) {
    const found = heard.baselines[baseline.days] ?? { samples: 0, median: null }
    const isUsable = found.median !== null && found.median !== 0 && found.samples >= baseline.min_samples
    const isDecided = read.unresolved === null && isUsable
    const truth = isDecided
      ? compare(newest?.value as number, comparison.operator, operand * (found.median as number))
      : 'unknown'
    return { ...read, baseline: found, truth }
  }
  return read.unresolved === null ? { ...read, truth: compare(newest?.value as number, comparison.operator, operand) } : read
}

interface Counted {
  holds(value: number): boolean
  minCount: number
  withinSeconds: number
}

/**
 * Reads the newest `minCount` Observations within the window. The truth is true if all of them satisfy the comparison, false if none does,
 * else unknown.
 */
function readCounted(reading: ComparisonReading, { recent }: HeardSignal, moment: Moment, counted: Counted): ComparisonReading {
  const { at } = moment
  const { holds, minCount, withinSeconds } = counted
  const taken = recent.slice(0, minCount).filter(({ atUs }) => atUs >= (at - withinSeconds * 1_000) * 1_000)
  const matching = taken.filter(({ value }) => value !== null && holds(value)).length
  const last = taken.at(-1)
  const leavesAt = taken.length < minCount || last === undefined ? null : msOf(last.atUs) + withinSeconds * 1_000 + 1
  const isSilent = reading.unresolved?.why === 'silent'
  const isDecided = !isSilent && taken.length === minCount && taken.every(({ value }) => value !== null)
  const truth = isDecided && matching === minCount ? true : isDecided && matching === 0 ? false : 'unknown'
  return { ...reading, matching, truth, ...changes([leavesAt, reading.changesAt], moment) }
}

function compare(value: number, operator: Operator, operand: number): boolean {
  if (operator === 'eq') return value === operand
  if (operator === 'neq') return value !== operand
  if (operator === 'gt') return value > operand
  if (operator === 'gte') return value >= operand
  return operator === 'lt' ? value < operand : value <= operand
}

const msOf = (atUs: number): number => Math.floor(atUs / 1_000)
