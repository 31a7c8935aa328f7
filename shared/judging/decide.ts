// Decision of a rule over three-valued inputs (reference/judging 1). Pure; knows no subjects, signals or times.
import type { ReadingValue, Verdict } from '#shared/contracts/subjects/verdict.ts'

export type Need = { kind: 'any' | 'majority' | 'all' } | { kind: 'at_least'; count: number }

export interface DecidedInput {
  value: ReadingValue
  /**
   * True for an unknown input that may still report: within its grace period and without a report, or `from` a rule that is not judged yet.
   */
  young: boolean
}

export interface DecisionOptions {
  /** Website monitors: if half or more of the inputs are silent, the verdict is no data, whatever the other inputs read. */
  halfSilentIsNoData: boolean
}

/** Returns how many of `n` inputs must read a problem. `at_least` is returned unchecked; its bounds are checked when the rule is saved. */
export function neededOf(need: Need, n: number): number {
  if (need.kind === 'at_least') return need.count
  if (need.kind === 'any') return 1
  return need.kind === 'all' ? n : Math.floor(n / 2) + 1
}

/**
 * Returns the verdict of a rule over its inputs (reference/judging 1.4), by the first case that applies: enough problems; half silent
 * (website monitors); silent inputs could decide it; ok. If the verdict is no data only because of young inputs, the rule is not judged yet
 * (reference/judging 1.5).
 */
export function decide(inputs: readonly DecidedInput[], need: Need, options: DecisionOptions): Verdict {
  const verdict = decideAsRead(inputs, need, options)
  if (verdict !== 'no_data' || !inputs.some(input => input.young)) return verdict
  const grown = inputs.map(input => (input.young ? { value: false as const, young: false } : input))
  return decideAsRead(grown, need, options) === 'ok' ? 'not_judged' : 'no_data'
}

function decideAsRead(inputs: readonly DecidedInput[], need: Need, options: DecisionOptions): Verdict {
  const n = inputs.length
  if (n === 0) return 'no_data'
  const problems = inputs.filter(input => input.value === true).length
  const unknowns = inputs.filter(input => input.value === 'unknown').length
  const needed = neededOf(need, n)
  if (problems >= needed) return 'problem'
  if (options.halfSilentIsNoData && 2 * unknowns >= n) return 'no_data'
  return problems + unknowns >= needed ? 'no_data' : 'ok'
}
