// Division of what an overloaded prober cannot make among workspaces.
import t from 'tap'
import { fairShares } from '../../services/prober/fair-shares.ts'

const rounded = (shares: ReadonlyMap<string, number>) =>
  Object.fromEntries([...shares].map(([group, share]) => [group, Math.round(share * 1_000) / 1_000]))

t.test('one group that floods loses all that cannot be made, and the others lose nothing', t => {
  const demands = new Map([
    ['flood', 90],
    ['small', 2],
    ['usual', 8],
  ])
  t.strictSame(rounded(fairShares(demands, 0.5)), { flood: 0.556, small: 0, usual: 0 })
  t.strictSame(rounded(fairShares(demands, 0.9)), { flood: 0.956, small: 0, usual: 0.5 })
  t.end()
})

t.test('groups that need equally much lose the same share, and one group loses it all', t => {
  const equal = new Map(['a', 'b', 'c', 'd'].map(group => [group, 5] as const))
  t.strictSame(rounded(fairShares(equal, 0.4)), { a: 0.4, b: 0.4, c: 0.4, d: 0.4 })
  t.strictSame(rounded(fairShares(new Map([['one', 7]]), 0.4)), { one: 0.4 })
  t.strictSame(rounded(fairShares(new Map(), 0.4)), {})
  t.strictSame(rounded(fairShares(new Map([['one', 7]]), 0)), { one: 0 })
  t.end()
})

t.test('what all groups keep is what can be made, and nobody with a smaller need keeps less', t => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = (i: number) => ((seed * 7_919 + i * 104_729) % 1_000) / 10 + 0.1
    const demands = new Map(Array.from({ length: 1 + (seed % 9) }, (_, i) => [`g${i}`, random(i)] as const))
    const share = (seed % 96) / 100
    const shares = fairShares(demands, share)
    const kept = [...demands].map(([group, demand]) => ({ demand, left: demand * (1 - (shares.get(group) ?? 0)) }))
    const all = [...demands.values()].reduce((sum, demand) => sum + demand, 0)
    const left = kept.reduce((sum, one) => sum + one.left, 0)
    t.ok(Math.abs(left - all * (1 - share)) < 1e-6, `seed ${seed}`)
    const ascending = kept.toSorted((one, other) => one.demand - other.demand)
    t.ok(
      ascending.every((one, i) => i === 0 || one.left >= (ascending[i - 1]?.left ?? 0) - 1e-9),
      `seed ${seed}`,
    )
  }
  t.end()
})
