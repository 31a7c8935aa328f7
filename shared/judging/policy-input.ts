// Selection and identity of the inputs of a policy of generation 2 (reference/judging 3.3 and 3.10). Pure.
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'

/** Label with the location of a check; only probers set it. */
export const locationLabel = 'location'

/**
 * Returns the key of an input. An input with the same signal or `from`, mode and match keeps its key in the next version of its rule
 * (reference/judging 3.10). It then keeps its reading and its start too. An input of another rule has another key and its own grace period.
 */
export function inputKeyOf(ruleKey: string, input: Pick<PolicyInput, 'signal' | 'from' | 'mode' | 'match'>): string {
  if (input.from !== null) return JSON.stringify([ruleKey, input.from])
  // The same text as below, because keys, slugs and modes contain no character that JSON escapes.
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
