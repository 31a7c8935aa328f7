// Shares of keepers in the partitions: who gives how many to whom. Pure, so that all keepers, which see the same leases, decide the same.
import { limits } from '#shared/limits/limits.ts'
import type { Lease } from './lease-account.ts'

/** Numbers of partitions by keeper. */
type Holdings = ReadonlyMap<string, number>

/** Counts the partitions of keepers by their leases. One that is reserved for a keeper counts as its own. */
export function holdingsOf(keepers: readonly string[], leases: Iterable<Pick<Lease, 'holder' | 'successor'>>): Holdings {
  const holdings = new Map(keepers.map(keeperId => [keeperId, 0]))
  for (const { holder, successor } of leases) {
    const keeperId = holder ?? successor ?? ''
    const held = holdings.get(keeperId)
    if (held !== undefined) holdings.set(keeperId, held + 1)
  }
  return holdings
}

/**
 * Returns the keepers to which `giver` gives a partition each now; empty if it holds no more than its share. Shares differ by one at most; those
 * who hold most have the larger ones, so that the fewest partitions move. A keeper gives one of `limits.keeper.balanceSteps` parts of what it
 * holds too much, at least one. The givers fill different gaps, those of the neediest first, so that no keeper gets more than its share.
 */
export function successorsOf(giver: string, holdings: Holdings): string[] {
  const { givers, gaps } = unevenness(holdings)
  let before = 0
  for (const { keeperId, gives } of givers) {
    if (keeperId === giver) return gaps.slice(before, before + gives)
    before += gives
  }
  return []
}

/** Returns a taker's id for each partition, so that the takers hold even shares in the end; empty: there are no takers. */
export function sharedOut(partitions: readonly number[], takers: Holdings): [partition: number, keeperId: string][] {
  const shares = [...takers].map(([keeperId, held]) => ({ keeperId, held }))
  if (shares.length === 0) return []
  return partitions.map(partition => {
    const least = shares.reduce((one, other) => (other.held < one.held ? other : one))
    least.held += 1
    return [partition, least.keeperId]
  })
}

/** Returns who holds too much and how many each gives now, and who holds too little, each as often as it lacks a partition. */
function unevenness(holdings: Holdings): { givers: { keeperId: string; gives: number }[]; gaps: string[] } {
  const keepers = [...holdings].map(([keeperId, held]) => ({ keeperId, held }))
  const byHeld = keepers.toSorted((one, other) => other.held - one.held || byId(one, other))
  const total = keepers.reduce((sum, { held }) => sum + held, 0)
  const placed = byHeld.map((keeper, place) => ({
    ...keeper,
    share: Math.floor(total / keepers.length) + (place < total % keepers.length ? 1 : 0),
  }))
  const givers = placed
    .filter(({ held, share }) => held > share)
    .map(({ keeperId, held, share }) => ({ keeperId, gives: Math.ceil((held - share) / limits.keeper.balanceSteps) }))
    .toSorted(byId)
  const gaps = placed
    .flatMap(({ keeperId, held, share }) =>
      Array.from({ length: Math.max(0, share - held) }, (_, nth) => ({ keeperId, held: held + nth })),
    )
    .toSorted((one, other) => one.held - other.held || byId(one, other))
  return { givers, gaps: gaps.map(({ keeperId }) => keeperId) }
}

const byId = (one: { keeperId: string }, other: { keeperId: string }): number =>
  one.keeperId < other.keeperId ? -1 : one.keeperId > other.keeperId ? 1 : 0
