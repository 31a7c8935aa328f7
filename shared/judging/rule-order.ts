// Order in which the rules of a subject are judged: a rule that another one cites with `from` comes first (reference/judging 3.9). Pure.
import { inputsOf, type RulePolicy } from '#shared/contracts/subjects/policy.ts'

interface OrderedRule {
  slug: string
  policy: RulePolicy
}

/**
 * Returns the rules with every cited rule before the rules that cite it, otherwise in their given order. Returns null if rules cite each
 * other in a cycle. Citations of missing rules are ignored.
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
