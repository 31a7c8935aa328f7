// Second implementation of the explanation texts, written directly from docs/reference/v3.md, 4.9. This file shares no code with the
// implementation that keepers run.
import type { Comparison, DecisionNode, PushedSignal } from '#shared/contracts/resources/template.ts'
import { historyOf, type NaiveFacts, type NaiveObservation, naiveBaseline, naiveTruth } from './naive-decision.ts'

const shownAtMost = 5

export function naiveExplanation(decision: DecisionNode, facts: NaiveFacts, at: number, silenceAt: number): string {
  const words = comparisonsIn(decision).map(comparison => wordsOf(comparison, facts, at, silenceAt))
  const more = words.length - shownAtMost
  return words.slice(0, shownAtMost).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function comparisonsIn(node: DecisionNode): Comparison[] {
  if ('signal' in node) return [node]
  return Object.values(node).flatMap(part =>
    typeof part === 'object' ? [part as DecisionNode | DecisionNode[]].flat().flatMap(comparisonsIn) : [],
  )
}

function wordsOf(comparison: Comparison, facts: NaiveFacts, at: number, silenceAt: number): string {
  const { signal } = comparison
  if (comparison.field === 'known')
    return naiveTruth(comparison, facts, at, silenceAt) === 'true' ? `${signal} known` : `${signal} not known`
  const history = historyOf(signal, facts)
  const newest = history.at(-1)
  const why = newest === undefined ? 'nothing has been reported here' : unresolved(comparison, newest, facts, silenceAt)
  if (why !== null || newest === undefined) return `${signal} unresolved (${why})`
  if (comparison.field === 'status') return `${signal} ${newest.state}`
  if (comparison.field === 'missed') throw new Error('test/keeper/schedules has scheduled signals')
  const value = `${signal} ${newest.value}`
  if (comparison.baseline != null) {
    const { samples, median } = naiveBaseline(history, comparison.baseline.days)
    return `${value} (${comparison.baseline.days}d median ${median ?? 'none'} of ${samples} readings)`
  }
  if (comparison.min_count == null || comparison.within_seconds == null) return value
  const { min_count, within_seconds } = comparison
  const taken = history.filter(({ atUs }) => at * 1_000 - atUs <= within_seconds * 1e6).slice(-min_count)
  // Comparison without the window, to compare one Observation at a time.
  const plain = { ...comparison, min_count: null, within_seconds: null } as unknown as Comparison
  const satisfying = taken.filter(one => naiveTruth(plain, { ...alone(facts), observations: [one] }, at, at) === 'true')
  return `${value} (${satisfying.length} of ${min_count} in ${within_seconds} s)`
}

function unresolved(
  { signal, field }: Comparison,
  newest: NaiveObservation,
  { signals }: NaiveFacts,
  silenceAt: number,
): string | null {
  const { everySeconds } = signals.find(({ key }) => key === signal) as PushedSignal
  const isQuiet = everySeconds !== null && silenceAt * 1_000 - newest.atUs > 3 * everySeconds * 1e6
  if (isQuiet) return `nothing reported since ${instant(newest.atUs)}`
  if (newest.state === 'no_data') return 'no_data'
  return field === 'value' && newest.value === null ? 'no value' : null
}

/** Returns the same facts, in which no signal ever becomes quiet. */
const alone = (facts: NaiveFacts): NaiveFacts => ({
  ...facts,
  signals: facts.signals.map(signal => ({ ...signal, kind: 'event', everySeconds: null })),
})

/** Returns an instant with at most 6 fractional digits, without trailing zeros (v3 1.9). */
function instant(atUs: number): string {
  const microseconds = new Date(Math.floor(atUs / 1_000)).toISOString().replace('Z', String(atUs % 1_000).padStart(3, '0'))
  return `${microseconds.replace(/\.?0+$/, '')}Z`
}
