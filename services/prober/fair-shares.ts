// Division of what an overloaded prober cannot make: groups that need little keep all of their checks, and only those that need more than a
// common bound lose some. Pure.

/**
 * Returns the share of its checks that each group loses, 0 to 1. `demands`: number of checks a second that each group needs. `share`: share of
 * all checks that cannot be made, 0 to 1. Groups that need equally much lose the same share.
 */
export function fairShares(demands: ReadonlyMap<string, number>, share: number): Map<string, number> {
  const bound = boundOf([...demands.values()], share)
  return new Map([...demands].map(([group, demand]) => [group, demand <= bound ? 0 : 1 - bound / demand]))
}

/** Returns the largest number of checks a second that every group may have, if all together have what is left after `share`. */
function boundOf(demands: readonly number[], share: number): number {
  const ascending = demands.toSorted((one, other) => one - other)
  let left = ascending.reduce((sum, demand) => sum + demand, 0) * (1 - share)
  for (const [i, demand] of ascending.entries()) {
    const each = left / (ascending.length - i)
    if (demand > each) return each
    left -= demand
  }
  return Number.POSITIVE_INFINITY
}
