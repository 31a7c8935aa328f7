// Facts about the rules of a Template: the Observations and baselines that rules need, and the signals whose silence no rule notices.
// Pure. Reference: docs/reference/v3.md, 3.11, 4.4 and 4.5.

import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import type { DecisionNode, Template } from '#shared/contracts/resources/template.ts'
import { comparisonsOf, partsOf, signalsOf } from './read-decision.ts'

/** Returns the largest `min_count` among the comparisons of the signal; 1 if no comparison has a `min_count`. */
export function countedOn({ rules }: Pick<Template, 'rules'>, signal: string): number {
  const counts = rules.flatMap(({ decision }) =>
    comparisonsOf(decision).map(comparison =>
      comparison.signal === signal && comparison.field === 'value' ? (comparison.min_count ?? 1) : 1,
    ),
  )
  return Math.max(1, ...counts)
}

/** Returns the lengths, in days, of the baselines with which rules compare the signal. No length is repeated. */
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

/**
 * Returns a warning for each heartbeat, periodic or checked signal for which silence alone cannot make a rule's verdict problem, and for each
 * scheduled one whose missed run cannot. Events are never silent.
 */
export function unnoticedSilence({ signals, rules }: Pick<Template, 'signals' | 'rules'>): SilenceWarning[] {
  const noticed = new Set(rules.flatMap(({ decision, unknown }) => (unknown ? signalsOf(decision) : noticedBy(decision, false))))
  const missed = new Set(rules.flatMap(({ decision }) => noticedBy(decision, false)))
  return signals
    .filter(({ key, kind }) => kind !== 'event' && !(kind === scheduleKind ? missed : noticed).has(key))
    .map(({ key, kind }) => ({ signal: key, text: kind === scheduleKind ? unnoticedMiss(key) : unnoticedQuiet(key) }))
}

const unnoticedQuiet = (key: string): string =>
  `No rule notices when ${key} falls silent: it reads unknown, which opens nothing. Add {"not": {"signal": "${key}", "field": "known"}} to a rule.`
const unnoticedMiss = (key: string): string =>
  `No rule notices when a run of ${key} does not come. Add {"signal": "${key}", "field": "missed"} to a rule.`

/** Returns the signals whose silence alone can make the node true; if `isNegated`, the signals whose silence alone can make it false. */
function noticedBy(node: DecisionNode, isNegated: boolean): string[] {
  if ('not' in node) return noticedBy(node.not, !isNegated)
  if ('signal' in node) return node.field === (isNegated ? 'known' : 'missed') ? [node.signal] : []
  return partsOf(node)[1].flatMap(part => noticedBy(part, isNegated))
}
