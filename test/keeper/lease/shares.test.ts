// Shares of keepers in the partitions: who gives how many to whom.
import t from 'tap'
import { holdingsOf, successorsOf } from '../../../services/keeper/lease/shares.ts'

const cases: [what: string, held: Record<string, number>, given: Record<string, string[]>][] = [
  ['keeper gives one to the neediest', { a: 4, b: 1, c: 3 }, { a: ['b'], b: [], c: [] }],
  ['keepers that differ by one give nothing', { a: 3, b: 2, c: 3 }, { a: [], b: [], c: [] }],
  ['keepers with too much fill different gaps', { a: 5, b: 5, c: 1, d: 1 }, { a: ['c'], b: ['d'] }],
  ['keeper that is nearly full gets no more than its share', { a: 4, b: 4, c: 1 }, { a: ['c'], b: ['c'] }],
  ['large surplus goes in parts, the neediest first', { a: 47, b: 1, c: 0 }, { a: ['c', 'b', 'c'] }],
  ['keeper alone gives nothing', { a: 64 }, { a: [] }],
]

t.test('partitions are given so that no keeper gets more than its share', async t => {
  for (const [what, held, given] of cases)
    for (const [giver, successors] of Object.entries(given))
      t.strictSame(successorsOf(giver, new Map(Object.entries(held))), successors, `${what}: ${giver}`)
})

t.test("partition that is reserved for a keeper counts as its own, one of an unknown keeper as nobody's", async t => {
  const leases = [{ holder: 'a' }, { holder: null, successor: 'b' }, { holder: 'gone' }, { holder: null }]
  t.strictSame(holdingsOf(['a', 'b'], leases), new Map(Object.entries({ a: 1, b: 1 })))
})
