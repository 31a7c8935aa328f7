// Sample Observations for the preview of a draft. They are made from the draft's signals, waits and thresholds, so that they trigger every
// rule. Pure.
import { type Draft, isObject, itemsAt, textAt, valueAt } from '../editor/draft.ts'

export const sampleNames = ['fails', 'brief', 'silent'] as const
export type SampleName = (typeof sampleNames)[number]

export const sampleWords: Readonly<Record<SampleName, string>> = {
  fails: 'Fails and recovers',
  brief: 'Fails for a moment',
  silent: 'Falls silent',
}

export interface Observation {
  signal: string
  state: 'ok' | 'problem'
  value?: number
  /** Instant of the Observation, RFC 3339. */
  at: string
}

export interface Sample {
  observations: Observation[]
  /** Instant at which the rules are judged. */
  at: string
}

/** Largest number of Observations in a sample, below the limit of a preview. The newest Observations stay. */
const observationsMost = 400
/**
 * Largest number of a signal's reports in one phase of the sample. If a phase needs more reports, the interval between them grows instead.
 */
const reportsInPhase = 60

/** Location from which the signals of a sample are checked. */
export const sampleLocation = 'here'
/** Least time without results after which a check is silent, s (v3 4.15). */
const checkSilence = 60

interface Source {
  /** Name in reports. */
  name: string
  /** Key of the signal. */
  key: string
  /** Time between reports, s. */
  step: number
  /** Time without reports after which it is silent, s; 0: it is never silent. */
  silence: number
  good: Reading
  bad: Reading
}
type Reading = Pick<Observation, 'state' | 'value'>

/** Returns the sample with this name. `end`: latest instant in the sample, ms since the epoch. */
export function sampleOf(draft: Draft, name: SampleName, end: number): Sample {
  const sources = sourcesOf(draft)
  const step = Math.max(1, ...sources.map(one => one.step))
  const waits = rulesOf(draft).map(rule => ({
    confirm: waitOf(draft, rule, 'confirm_after'),
    recover: waitOf(draft, rule, 'recover_after'),
  }))
  const confirm = Math.max(0, ...waits.map(one => one.confirm))
  const recover = Math.max(0, ...waits.map(one => one.recover))
  const counts = Math.max(0, ...comparisonsOf(draft).map(one => Number(one['min_count'] ?? 0)))
  const run = counts * step
  const silence = Math.max(0, ...sources.map(one => one.silence))
  const phases = {
    fails: { good: run + 2 * step, bad: run + confirm + 2 * step, after: run + recover + 2 * step },
    brief: { good: run + 2 * step, bad: Math.max(run + step, Math.floor(confirm / 2)), after: run + recover + 2 * step },
    silent: { good: run + 2 * step, bad: silence + confirm + step, after: 0 },
  }[name]
  const from = Math.floor(end / 1_000) - (phases.good + phases.bad + phases.after)
  const badAt = from + phases.good
  const afterAt = badAt + phases.bad
  const observations = sources.flatMap(source => [
    ...historyOf(draft, source, from),
    ...reports(source, source.good, from, badAt),
    ...(name === 'silent' && source.silence > 0
      ? []
      : reports(source, name === 'silent' ? source.good : source.bad, badAt, afterAt)),
    ...reports(source, source.good, afterAt, afterAt + phases.after),
  ])
  const sorted = observations.toSorted((one, other) => one.at - other.at).slice(-observationsMost)
  return {
    observations: sorted.map(one => ({ ...one, at: instantOf(one.at) })),
    at: instantOf(afterAt + phases.after),
  }
}

const instantOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()

type Timed = Omit<Observation, 'at'> & { at: number }

/**
 * Returns reports from `from` until before `to`, at the signal's interval. If this interval would give more than `reportsInPhase` reports,
 * uses a longer interval.
 */
function reports({ name, step }: Source, reading: Reading, from: number, to: number): Timed[] {
  const count = Math.min(reportsInPhase, Math.ceil((to - from) / step))
  const pace = count >= reportsInPhase ? Math.max(step, Math.floor((to - from) / count)) : step
  return Array.from({ length: count }, (_, i) => ({ signal: name, ...reading, at: from + i * pace }))
}

/** Returns earlier reports of a signal, from which a baseline computes its median. */
function historyOf(draft: Draft, { key, good }: Source, from: number): Timed[] {
  const baseline = comparisonsOf(draft).find(one => one['signal'] === key && isObject(one['baseline']))?.['baseline']
  if (!isObject(baseline)) return []
  const count = Math.min(100, Number(baseline['min_samples'] ?? 0))
  const pace = Math.floor((Number(baseline['days'] ?? 1) * 86_400) / (count + 2))
  return Array.from({ length: count }, (_, i) => ({ signal: key, ...good, at: from - (count - i) * pace }))
}

function sourcesOf(draft: Draft): Source[] {
  return itemsAt(draft, 'signals')
    .filter(isObject)
    .filter(signal => textAt(signal, 'key') !== '')
    .map(signal => {
      const [key, kind] = [textAt(signal, 'key'), textAt(signal, 'kind')]
      const isCheck = kind === 'check'
      const every = kind === 'event' ? 60 : numberOf(draft, signal['every_seconds'])
      const about = comparisonsOf(draft).filter(one => one['signal'] === key)
      const within = about.flatMap(one => paceOf(one))
      const step = Math.max(1, Math.min(every > 0 ? every : 60, ...within))
      const isStatus = about.some(({ field }) => field === 'status')
      const values = about.find(({ field }) => field === 'value')
      const [good, bad] = values === undefined ? [{}, {}] : valuesOf(draft, values)
      const silence = kind === 'event' ? 0 : Math.max(3 * step, isCheck ? checkSilence : 0)
      return {
        name: isCheck ? `${key}@${sampleLocation}` : key,
        key,
        step,
        silence,
        good: { state: 'ok', ...good },
        bad: { state: isStatus ? 'problem' : 'ok', ...bad },
      }
    })
}

/**
 * Returns the longest interval of reports, s, at which a counting comparison reaches its count within its window. Returns an empty list for
 * a comparison without a count.
 */
function paceOf({ min_count: count, within_seconds: within }: Record<string, unknown>): number[] {
  const pace = Number(within) / Number(count)
  return pace > 0 && Number.isFinite(pace) ? [Math.floor(pace)] : []
}

/** Returns two values: the first makes the comparison false, the second makes it true. */
function valuesOf(
  draft: Draft,
  { operator, operand, baseline }: Record<string, unknown>,
): [good: { value: number }, bad: { value: number }] {
  const given = numberOf(draft, operand)
  const threshold = isObject(baseline) ? given * usual : given
  const apart = Math.max(1, Math.abs(threshold) / 5)
  const [good, bad] = sides[String(operator)] ?? [0, 0]
  const value = (by: number) => ({ value: Math.round((threshold + by * apart) * 100) / 100 })
  return isObject(baseline) ? [{ value: usual }, value(bad)] : [value(good), value(bad)]
}

/**
 * Positions of two values relative to the operand: the first value makes the comparison false, the second makes it true. -1: below the
 * operand; 0: equal to the operand; 1: above.
 */
const sides: Readonly<Record<string, readonly [good: number, bad: number]>> = {
  gt: [-1, 1],
  gte: [-1, 0],
  lt: [1, -1],
  lte: [1, 0],
  eq: [1, 0],
  neq: [0, 1],
}

/** Median of the reports in a sample. A comparison with a baseline compares values with a multiple of this median. */
const usual = 100

function numberOf(draft: Draft, operand: unknown): number {
  if (!isObject(operand)) return Number(operand) || 0
  const field = itemsAt(draft, 'fields').find(one => textAt(one, 'key') === operand['meta'])
  return Number(valueAt(field, 'default')) || 0
}

const rulesOf = (draft: Draft): Record<string, unknown>[] => itemsAt(draft, 'rules').filter(isObject)

/** Returns a wait in seconds. If the wait refers to a field, returns the field's default. */
function waitOf(draft: Draft, rule: Record<string, unknown>, name: string): number {
  return Math.max(0, numberOf(draft, valueAt(rule, `wait.${name}`)))
}

const comparisonsOf = (draft: Draft): Record<string, unknown>[] => rulesOf(draft).flatMap(({ decision }) => leaves(decision))

function leaves(node: unknown): Record<string, unknown>[] {
  if (!isObject(node)) return []
  if ('signal' in node) return [node]
  if ('not' in node) return leaves(node['not'])
  return Object.values(node).flatMap(part => (Array.isArray(part) ? part.flatMap(leaves) : []))
}
