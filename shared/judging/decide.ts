// The three-valued decision of a rule (spec D 1, Readings and verdicts). Pure; knows nothing of subjects, signals or time.
import type { ReadingValue, Verdict } from '#shared/contracts/verdict.ts'

export type Need = { kind: 'any' | 'majority' | 'all' } | { kind: 'at_least'; count: number }

export interface DecidedInput {
  value: ReadingValue
  /** An unknown input that may still speak up: never reported and within its grace, or `from` a rule not judged yet. */
  young: boolean
}

export interface DecisionOptions {
  /** Website monitors: half or more silent is no data, whatever the rest would decide. */
  halfSilentIsNoData: boolean
}

/** How many of `n` inputs must report a problem. `at_least` is taken as it is; the document's own bounds are checked when it is saved. */
export function neededOf(need: Need, n: number): number {
  if (need.kind === 'at_least') return need.count
  if (need.kind === 'any') return 1
  return need.kind === 'all' ? n : Math.floor(n / 2) + 1
}

/**
 * The verdict of a rule over its inputs. Order of D: enough problems; half-silent (websites); the silent ones could tip it;
 * ok. Where only young inputs make it no data, the rule is not judged yet.
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
