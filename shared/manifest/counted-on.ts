// Which of a signal's earlier Observations the rules of a Template look at. Pure. Rules: docs/reference/v3.md, 4.4 and 4.5.
import type { Template } from '#shared/contracts/template.ts'
import { comparisonsOf } from './read-decision.ts'

/** The largest `min_count` on the signal; 1 where nothing is counted. */
export function countedOn({ rules }: Pick<Template, 'rules'>, signal: string): number {
  const counts = rules.flatMap(({ decision }) =>
    comparisonsOf(decision).map(comparison =>
      comparison.signal === signal && comparison.field === 'value' ? (comparison.min_count ?? 1) : 1,
    ),
  )
  return Math.max(1, ...counts)
}

/** The lengths in days of the baselines that rules compare the signal with, each once. */
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
