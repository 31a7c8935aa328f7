// Generated Resources of generated Templates in the real keeper, half a day each: what is acknowledged is stored once, rules read and incidents
// move as the oracle computes from docs/reference/v3.md, 4 to 7, and every incident can be replayed. Other seeds: npm run sim -- --resources
// --seeds A-B.
import t from 'tap'
import { type ResourceCounts, simulateResources } from './resources/simulate-resources.ts'

const seeds = [1, 2, 3, 4, 5, 6]

t.test(`Resources of Templates live through half a day (v3 4 to 7; seeds ${seeds.join(', ')})`, async t => {
  const sums: Partial<ResourceCounts> = {}
  for (const seed of seeds) {
    const { faults, counts } = await simulateResources(seed)
    for (const fault of faults.slice(0, 3)) t.fail(`seed ${seed}: ${fault}; npm run sim -- --resources --seed ${seed}`)
    for (const [name, count] of Object.entries(counts))
      sums[name as keyof ResourceCounts] = (sums[name as keyof ResourceCounts] ?? 0) + count
  }
  const least: ResourceCounts = { reports: 3_000, commands: 50, compared: 500, incidents: 150, messages: 300 }
  for (const [name, count] of Object.entries(least)) {
    const lived = sums[name as keyof ResourceCounts] ?? 0
    t.ok(lived >= count, `${name}: ${lived}, at least ${count}`)
  }
})
