// Earlier Observations of a signal that the rules of a Template read. Pure. Rules: docs/reference/v3.md, 4.4 and 4.5.
import type { Template } from '#shared/contracts/resources/template.ts'
import { comparisonsOf } from './read-decision.ts'

/** Returns the largest `min_count` on the signal; 1 without counted comparisons. */
export function countedOn({ rules }: Pick<Template, 'rules'>, signal: string): number {
  const counts = rules.flatMap(({ decision }) =>
    comparisonsOf(decision).map(comparison =>
      comparison.signal === signal && comparison.field === 'value' ? (comparison.min_count ?? 1) : 1,
    ),
  )
  return Math.max(1, ...counts)
}

/** Returns the lengths, in days, of the baselines with which rules compare the signal, without repetition. */
export function baselineDaysOn({ rules }: Pick<Template, 'rules'>, signal: string): number[] {
  const days = rules.flatMap(({ decision }) =>
    comparisonsOf(decision).flatMap(comparison =>
      comparison.signal === signal && comparison.field === 'value' && comparison.baseline != null
        ? [comparison.baseline.days]
        : [],
    ),
  )
  return [...new Set(days)]
}
