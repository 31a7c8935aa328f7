// Reads of a Template's rules: how many earlier Observations they count, and which silence none of them notices. Pure. Rules:
// docs/reference/v3.md, 3.11, 4.4 and 4.5.

import type { DecisionNode, Template } from '#shared/contracts/resources/template.ts'
import { comparisonsOf, partsOf } from './read-decision.ts'

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

export interface SilenceWarning {
  signal: string
  text: string
}

/** Returns a warning for each heartbeat or periodic signal whose silence makes no rule a problem. Events are never silent. */
export function unnoticedSilence({ signals, rules }: Pick<Template, 'signals' | 'rules'>): SilenceWarning[] {
  const noticed = new Set(rules.flatMap(rule => noticedBy(rule.decision, false)))
  return signals
    .filter(({ key, kind }) => kind !== 'event' && !noticed.has(key))
    .map(({ key }) => ({
      signal: key,
      text: `No rule notices when ${key} falls silent: it reads unknown, which opens nothing. Add {"not": {"signal": "${key}", "field": "known"}} to a rule.`,
    }))
}

/** Returns the signals whose silence alone can make the node true; if `isNegated`, the signals whose silence alone can make it false. */
function noticedBy(node: DecisionNode, isNegated: boolean): string[] {
  if ('not' in node) return noticedBy(node.not, !isNegated)
  if ('signal' in node) return node.field === 'known' && isNegated ? [node.signal] : []
  return partsOf(node)[1].flatMap(part => noticedBy(part, isNegated))
}
