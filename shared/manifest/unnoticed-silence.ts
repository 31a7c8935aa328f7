// Signals whose silence no rule of a Template would notice: what a preview warns of. Pure. Rule: docs/reference/v3.md, 3.11.
import type { DecisionNode, Template } from '#shared/contracts/template.ts'
import { partsOf } from './read-decision.ts'

export interface SilenceWarning {
  signal: string
  text: string
}

/** Heartbeat and periodic signals that may fall silent without any rule reading a problem for it. Events never fall silent. */
export function unnoticedSilence({ signals, rules }: Pick<Template, 'signals' | 'rules'>): SilenceWarning[] {
  const noticed = new Set(rules.flatMap(rule => noticedBy(rule.decision, false)))
  return signals
    .filter(({ key, kind }) => kind !== 'event' && !noticed.has(key))
    .map(({ key }) => ({
      signal: key,
      text: `No rule notices when ${key} falls silent: it reads unknown, which opens nothing. Add {"not": {"signal": "${key}", "field": "known"}} to a rule.`,
    }))
}

/** Signals that make the node true, or false under an odd number of `not`, by being not known. */
function noticedBy(node: DecisionNode, isNegated: boolean): string[] {
  if ('not' in node) return noticedBy(node.not, !isNegated)
  if ('signal' in node) return node.field === 'known' && isNegated ? [node.signal] : []
  return partsOf(node)[1].flatMap(part => noticedBy(part, isNegated))
}
