// Signals whose silence no rule of a Template would notice, for the warnings of a preview. Pure. Rule: docs/reference/v3.md, 3.11.
import type { DecisionNode, Template } from '#shared/contracts/resources/template.ts'
import { partsOf } from './read-decision.ts'

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

/** Returns the signals that can make the node true by not being known. Under an odd number of `not` it returns those that make it false. */
function noticedBy(node: DecisionNode, isNegated: boolean): string[] {
  if ('not' in node) return noticedBy(node.not, !isNegated)
  if ('signal' in node) return node.field === 'known' && isNegated ? [node.signal] : []
  return partsOf(node)[1].flatMap(part => noticedBy(part, isNegated))
}
