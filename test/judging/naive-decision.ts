// A second evaluator of Template rules, written directly from section 4 of docs/reference/v3.md. It reads the whole history again at each
// instant. Slow and simple on purpose; the real evaluator must agree. The two evaluators share no code.
import type { Comparison, DecisionNode, TemplateSignal, ValueComparison } from '#shared/contracts/resources/template.ts'

export interface NaiveObservation {
  signal: string
  /** Instant that counts, µs: the one that was sent, or the arrival if that came before (v3 7.7). */
  atUs: number
  /** Instant that was sent, µs; absent: the same as `atUs`. */
  sentUs?: number
  /** Number of the Observation in the order of arrival. A later Observation with the same identity replaces the earlier Observation. */
  number: number
  identity: string
  state: 'ok' | 'problem' | 'no_data'
  value: number | null
}

export interface NaiveFacts {
  signals: TemplateSignal[]
  /** Observations that have arrived. */
  observations: NaiveObservation[]
  answers: Record<string, number>
}

export type NaiveTruth = 'true' | 'false' | 'unknown'

/** Returns the value of the decision at `at`. Silence counts up to `silenceAt` (ms). */
export function naiveTruth(node: DecisionNode, facts: NaiveFacts, at: number, silenceAt: number): NaiveTruth {
  if ('all' in node) return conjunction(node.all.map(part => naiveTruth(part, facts, at, silenceAt)))
  if ('any' in node) return disjunction(node.any.map(part => naiveTruth(part, facts, at, silenceAt)))
  if ('not' in node) {
    const inner = naiveTruth(node.not, facts, at, silenceAt)
    return inner === 'unknown' ? 'unknown' : inner === 'true' ? 'false' : 'true'
  }
  if ('all_known' in node || 'any_known' in node) {
    const parts = 'all_known' in node ? node.all_known : node.any_known
    const known = parts.filter(part => isKnown(part.signal, facts, silenceAt))
    if (known.length < node.min_known) return 'unknown'
    const truths = known.map(part => naiveTruth(part, facts, at, silenceAt))
    return 'all_known' in node ? conjunction(truths) : disjunction(truths)
  }
  return naiveComparison(node, facts, at, silenceAt)
}

function naiveComparison(comparison: Comparison, facts: NaiveFacts, at: number, silenceAt: number): NaiveTruth {
  const history = historyOf(comparison.signal, facts)
  const newest = history.at(-1)
  if (comparison.field === 'known') {
    if (!isKnown(comparison.signal, facts, silenceAt) || newest === undefined) return 'false'
    if (comparison.within_seconds == null) return 'true'
    return ageUs(newest, silenceAt) <= comparison.within_seconds * 1e6 ? 'true' : 'false'
  }
  if (newest === undefined || isQuiet(comparison.signal, facts, silenceAt)) return 'unknown'
  if (comparison.field === 'status') {
    if (newest.state === 'no_data') return 'unknown'
    const isEqual = newest.state === comparison.operand
    return word(comparison.operator === 'eq' ? isEqual : !isEqual)
  }
  if (comparison.field === 'missed') throw new Error('test/keeper/schedules has scheduled signals')
  return naiveValue(comparison, history, facts, at)
}

function naiveValue(comparison: ValueComparison, history: NaiveObservation[], facts: NaiveFacts, at: number): NaiveTruth {
  const operand = typeof comparison.operand === 'number' ? comparison.operand : (facts.answers[comparison.operand.meta] as number)
  const newest = history.at(-1) as NaiveObservation
  if (comparison.min_count != null && comparison.within_seconds != null) {
    const windowUs = comparison.within_seconds * 1e6
    const inWindow = history.filter(observation => ageUs(observation, at) <= windowUs).slice(-comparison.min_count)
    if (inWindow.length < comparison.min_count) return 'unknown'
    if (inWindow.some(({ state, value }) => state === 'no_data' || value === null)) return 'unknown'
    const truths = inWindow.map(({ value }) => compared(value as number, comparison.operator, operand))
    if (truths.every(truth => truth)) return 'true'
    return truths.some(truth => truth) ? 'unknown' : 'false'
  }
  if (newest.state === 'no_data' || newest.value === null) return 'unknown'
  if (comparison.baseline == null) return word(compared(newest.value, comparison.operator, operand))
  const { samples, median } = naiveBaseline(history, comparison.baseline.days)
  if (samples < comparison.baseline.min_samples || median === null || median === 0) return 'unknown'
  return word(compared(newest.value, comparison.operator, operand * median))
}

/**
 * Returns the median of the numbers in the days before the newest Observation; at most the newest 10,000 numbers. A number counts from the
 * instant that its sender gave (v3 7.7).
 */
export function naiveBaseline(history: NaiveObservation[], days: number): { samples: number; median: number | null } {
  const newest = history.at(-1)
  if (newest === undefined) return { samples: 0, median: null }
  const from = newest.atUs - days * 86_400e6
  const values = history
    .filter(({ atUs, sentUs = atUs, value }) => sentUs >= from && sentUs < newest.atUs && value !== null)
    .slice(-10_000)
    .map(({ value }) => value as number)
    .sort((a, b) => a - b)
  if (values.length === 0) return { samples: 0, median: null }
  const below = values[Math.ceil(values.length / 2) - 1] as number
  const above = values[Math.floor(values.length / 2)] as number
  return { samples: values.length, median: values.length % 2 === 0 ? (below + above) / 2 : above }
}

/**
 * Returns the Observations by instant, then by arrival, the oldest first. Of several Observations with one identity, only the last to
 * arrive counts.
 */
export function historyOf(signal: string, { observations }: NaiveFacts): NaiveObservation[] {
  const byIdentity = new Map<string, NaiveObservation>()
  for (const observation of observations) {
    if (observation.signal === signal) byIdentity.set(observation.identity, observation)
  }
  return [...byIdentity.values()].sort((a, b) => a.atUs - b.atUs || a.number - b.number)
}

function isQuiet(signal: string, facts: NaiveFacts, silenceAt: number): boolean {
  const declared = facts.signals.find(one => one.key === signal) as TemplateSignal
  const newest = historyOf(signal, facts).at(-1)
  return (
    declared.kind !== 'event' && newest !== undefined && ageUs(newest, silenceAt) > 3 * (declared.everySeconds as number) * 1e6
  )
}

function isKnown(signal: string, facts: NaiveFacts, silenceAt: number): boolean {
  const newest = historyOf(signal, facts).at(-1)
  return newest !== undefined && newest.state !== 'no_data' && !isQuiet(signal, facts, silenceAt)
}

const ageUs = ({ atUs }: NaiveObservation, at: number) => at * 1_000 - atUs
const word = (truth: boolean): NaiveTruth => (truth ? 'true' : 'false')
const conjunction = (truths: NaiveTruth[]): NaiveTruth =>
  truths.some(truth => truth === 'false') ? 'false' : truths.some(truth => truth === 'unknown') ? 'unknown' : 'true'
const disjunction = (truths: NaiveTruth[]): NaiveTruth =>
  truths.some(truth => truth === 'true') ? 'true' : truths.some(truth => truth === 'unknown') ? 'unknown' : 'false'

function compared(value: number, operator: string, operand: number): boolean {
  const order = value < operand ? 'below' : value > operand ? 'above' : 'equal'
  return {
    eq: ['equal'],
    neq: ['below', 'above'],
    gt: ['above'],
    gte: ['above', 'equal'],
    lt: ['below'],
    lte: ['below', 'equal'],
  }[operator]!.includes(order)
}
