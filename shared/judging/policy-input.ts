// Inputs of policies of generation 2: their selection and identity (reference/judging 3.3 and 3.10), and the order of rules that cite each
// other (reference/judging 3.9). Pure.

import { inputsOf, type PolicyInput, type RulePolicy } from '#shared/contracts/subjects/policy.ts'

/** Label with the location of a check; only probers set it. */
export const locationLabel = 'location'

/**
 * Returns the key of an input. The key depends on the rule, on the input's signal or `from`, on its mode and on its match. An input whose key is
 * also in the next version of the rule keeps its reading and its grace period (reference/judging 3.10).
 */
export function inputKeyOf(ruleKey: string, input: Pick<PolicyInput, 'signal' | 'from' | 'mode' | 'match'>): string {
  if (input.from !== null) return JSON.stringify([ruleKey, input.from])
  // Builds the same text as `JSON.stringify` below, but faster, because keys, slugs and modes contain no character that JSON escapes.
  if (input.match === null) return `["${ruleKey}","${input.signal}","${input.mode}"]`
  const match = Object.entries(input.match).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([ruleKey, input.signal, input.mode, ...match.flat()])
}

/**
 * Returns true if the labels have every label of `match` with its value; `*` accepts any value. A null `match` selects every observation.
 */
export function selects(match: PolicyInput['match'], labels: Readonly<Record<string, string>>): boolean {
  if (match === null) return true
  return Object.entries(match).every(([key, wanted]) => Object.hasOwn(labels, key) && (wanted === '*' || labels[key] === wanted))
}

interface OrderedRule {
  slug: string
  policy: RulePolicy
}

/**
 * Returns the rules in their given order, but each cited rule before the rules that cite it; null: rules cite each other in a cycle.
 * Ignores citations of missing rules.
 */
export function inJudgingOrder<R extends OrderedRule>(rules: readonly R[]): R[] | null {
  if (!rules.some(isCiting)) return [...rules]
  const bySlug = new Map(rules.map(rule => [rule.slug, rule]))
  const state = new Map<R, 'visiting' | 'placed'>()
  const ordered: R[] = []
  const place = (rule: R): boolean => {
    const known = state.get(rule)
    if (known !== undefined) return known === 'placed'
    state.set(rule, 'visiting')
    for (const slug of citedBy(rule)) {
      const cited = bySlug.get(slug)
      if (cited !== undefined && !place(cited)) return false
    }
    state.set(rule, 'placed')
    ordered.push(rule)
    return true
  }
  return rules.every(place) ? ordered : null
}

/** Returns the slugs that a rule cites with `from`. */
export function citedBy({ policy }: Pick<OrderedRule, 'policy'>): string[] {
  return inputsOf(policy).flatMap(input => (input.from === null ? [] : [input.from]))
}

const isCiting = (rule: OrderedRule) => inputsOf(rule.policy).some(input => input.from !== null)
