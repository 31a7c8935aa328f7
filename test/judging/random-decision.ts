// Random decisions within the bounds of the language, and random histories of Observations that they judge.
import type { Comparison, DecisionNode, Operator, TemplateSignal } from '#shared/contracts/resources/template.ts'
import type { Random } from '../simulation/random.ts'
import type { NaiveObservation } from './naive-decision.ts'

export const randomSignals: TemplateSignal[] = [
  { key: 'beat', kind: 'heartbeat', everySeconds: 60, help: '' },
  { key: 'load', kind: 'periodic', everySeconds: 300, help: '' },
  { key: 'slow', kind: 'periodic', everySeconds: 3_600, help: '' },
  { key: 'push', kind: 'event', everySeconds: null, help: '' },
]
export const randomAnswers = { limit: 2, factor: 0.5 }

const operators: Operator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte']

export function randomDecision(random: Random, depth = 1): DecisionNode {
  if (depth === 4 || random.chance(0.35)) return randomComparison(random, true)
  const nodes = () => Array.from({ length: random.integer(2, 3) }, () => randomDecision(random, depth + 1))
  const comparisons = () => Array.from({ length: random.integer(2, 4) }, () => randomComparison(random, false))
  const kind = random.integer(0, 4)
  if (kind === 0) return { all: nodes() }
  if (kind === 1) return { any: nodes() }
  if (kind === 2) return { not: randomDecision(random, depth + 1) }
  const parts = comparisons()
  const min_known = random.integer(1, parts.length)
  return kind === 3 ? { all_known: parts, min_known } : { any_known: parts, min_known }
}

function randomComparison(random: Random, withKnown: boolean): Comparison {
  const signal = random.pick(randomSignals).key
  const kind = random.integer(withKnown ? 0 : 1, 4)
  if (kind === 0)
    return random.chance(0.5)
      ? { signal, field: 'known' }
      : { signal, field: 'known', within_seconds: random.pick([60, 120, 600]) }
  if (kind === 1)
    return { signal, field: 'status', operator: random.pick(['eq', 'neq']), operand: random.pick(['ok', 'problem']) }
  const operator = random.pick(operators)
  if (kind === 2)
    return { signal, field: 'value', operator, operand: random.chance(0.3) ? { meta: 'limit' } : random.integer(0, 4) }
  if (kind === 3) {
    const counted = { min_count: random.integer(1, 4), within_seconds: random.pick([60, 300, 900, 7_200]) }
    return { signal, field: 'value', operator, operand: random.integer(0, 4), ...counted }
  }
  const baseline = { days: random.pick([1, 2]), min_samples: random.integer(1, 6) }
  return {
    signal,
    field: 'value',
    operator,
    operand: random.chance(0.3) ? { meta: 'factor' } : random.pick([0.5, 1, 2]),
    baseline,
  }
}

/**
 * Observations in order of arrival: some are late, some are repeated, and some have equal instants. Every state occurs with and without a
 * value.
 */
export function randomObservations(random: Random, start: number, spanMs: number, count: number): NaiveObservation[] {
  const taken: NaiveObservation[] = []
  for (let number = 1; number <= count; number++) {
    const earlier = taken.length > 0 && random.chance(0.1) ? random.pick(taken) : null
    const grid = random.pick([1, 500, 30_000_000])
    const atUs = earlier?.atUs ?? start * 1_000 + Math.floor((random.next() * spanMs * 1_000) / grid) * grid
    const state = random.pick(['ok', 'ok', 'problem', 'problem', 'no_data'] as const)
    const value = state === 'no_data' || random.chance(0.25) ? null : random.integer(0, 4)
    const signal = earlier?.signal ?? random.pick(randomSignals).key
    const identity = earlier !== null && random.chance(0.7) ? earlier.identity : `o${number}`
    taken.push({ signal, atUs, number, identity, state, value })
  }
  return taken
}
