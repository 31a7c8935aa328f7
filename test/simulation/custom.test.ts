// Generated custom subjects in the real keeper, a week each, through take-overs, clean hand-overs, restarts, times without a keeper, without
// the store or without gateways, and a clock that is set: what is acknowledged holds, every incident can be replayed, rules say and people are told
// what the oracles say. Other seeds: npm run sim -- --custom --seeds A-B.
import t from 'tap'
import { type CustomCounts, simulateCustom } from './custom/simulate-custom.ts'

/**
 * Few incidents and many, few reminders and many; from 34 on a deadline comes right after a take-over, while silence is held, and in the last two
 * a rule recovers then of which nobody knows whether it has fallen silent.
 */
const seeds = [2, 4, 6, 7, 9, 16, 34, 62, 94, 107, 1343]

t.test(`custom subjects live through a week of what happens to their keepers (seeds ${seeds.join(', ')})`, async t => {
  const sums: Partial<CustomCounts> = {}
  for (const seed of seeds) {
    const { faults, counts } = await simulateCustom(seed)
    for (const fault of faults.slice(0, 3)) t.fail(`seed ${seed}: ${fault}; npm run sim -- --custom --seed ${seed}`)
    for (const [name, count] of Object.entries(counts))
      sums[name as keyof CustomCounts] = (sums[name as keyof CustomCounts] ?? 0) + count
  }
  const least: CustomCounts = {
    rules: 10,
    told: 500,
    demanded: 500,
    reminders: 50,
    remindersInBlows: 5,
    away: 20,
    blows: 200,
    reports: 2_000,
    verdicts: 5_000,
    incidents: 200,
  }
  for (const [name, count] of Object.entries(least)) {
    const lived = sums[name as keyof CustomCounts] ?? 0
    t.ok(lived >= count, `${name}: ${lived}, at least ${count}`)
  }
})
