// What an input of a generation 2 policy selects, and when two inputs are the same one (spec B, Rule; D 1, Readings). Pure.
import type { PolicyInput } from '#shared/contracts/policy.ts'

/** The label that probers alone set: the location of a check. */
export const locationLabel = 'location'

/**
 * An input of a rule stays the same across versions while its signal or `from`, its mode and its match are equal (spec D 1): equal keys
 * mean the same input, which keeps what it has read and since when it is there. Another rule's input is another, with a grace of its own.
 */
export function inputKeyOf(ruleKey: string, input: Pick<PolicyInput, 'signal' | 'from' | 'mode' | 'match'>): string {
  if (input.from !== null) return JSON.stringify([ruleKey, input.from])
  // The same text as below: keys, slugs and modes have nothing that JSON escapes.
  if (input.match === null) return `["${ruleKey}","${input.signal}","${input.mode}"]`
  const match = Object.entries(input.match).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([ruleKey, input.signal, input.mode, ...match.flat()])
}

/** Label equality, AND-ed; `*` is met by any value of a label that is present. No match selects everything. */
export function selects(match: PolicyInput['match'], labels: Readonly<Record<string, string>>): boolean {
  if (match === null) return true
  return Object.entries(match).every(([key, wanted]) => Object.hasOwn(labels, key) && (wanted === '*' || labels[key] === wanted))
}
