// Decision of a rule over three-valued inputs (reference/judging 1). Pure; knows no subjects, signals or times.
import type { ReadingValue, Verdict } from '#shared/contracts/subjects/verdict.ts'

export type Need = { kind: 'any' | 'majority' | 'all' } | { kind: 'at_least'; count: number }

export interface DecidedInput {
  value: ReadingValue
  /**
   * True for an unknown input that may become known soon. Either its grace period runs and it has never reported, or it cites a rule that
   * is not judged yet.
   */
  young: boolean
}

export interface DecisionOptions {
  /**
   * True for website monitors. The verdict is then no data if too few inputs have the reading problem, and at least half of the inputs are
   * unknown.
   */
  halfSilentIsNoData: boolean
}

/**
 * Returns how many of `n` inputs must have the reading problem, so that the rule's verdict is problem. The count of `at_least` is checked
 * when the rule is saved, not here.
 */
export function neededOf(need: Need, n: number): number {
  if (need.kind === 'at_least') return need.count
  if (need.kind === 'any') return 1
  return need.kind === 'all' ? n : Math.floor(n / 2) + 1
}

/**
 * Returns the verdict of a rule over its inputs (reference/judging 1.4). The first case that applies decides. If enough inputs have the
 * reading problem: problem. If at least half of the inputs are unknown (only website monitors): no data. If the problems and the unknown
 * inputs together would be enough: no data. Otherwise: ok. If the verdict is no data, but would be ok if all inputs that
 * are still in their grace period (young inputs) were ok, the rule is not judged yet (reference/judging 1.5).
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
