// Choice of the inputs that evidence keeps, if there are more than its bound. Pure. Reference: docs/reference/v3.md, 4.15.
import type { DecisionInput } from '#shared/contracts/subjects/verdict.ts'

/** An input, and its rank within its comparison: a smaller one is kept first. */
export interface RankedInput {
  input: DecisionInput
  rank: number
}

/** Returns at most `most` inputs in their order. The first input of every comparison is kept before a second one of any. */
export function keptOf(groups: readonly (readonly RankedInput[])[], most: number): DecisionInput[] {
  const ranked = groups.map(group => group.toSorted((one, other) => one.rank - other.rank))
  const kept = new Set<RankedInput>()
  const longest = Math.max(0, ...ranked.map(({ length }) => length))
  for (let i = 0; i < longest; i++) {
    for (const group of ranked) if (group[i] !== undefined && kept.size < most) kept.add(group[i] as RankedInput)
  }
  return groups.flat().flatMap(one => (kept.has(one) ? [one.input] : []))
}
