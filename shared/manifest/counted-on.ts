// How many of a signal's newest Observations the rules of a Template look at. Pure. Rule: docs/reference/v3.md, 4.4.
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
