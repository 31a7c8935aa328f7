// Generated custom subjects in the real keeper, a week each. The week has take-overs, clean hand-overs, restarts, a clock that is set, and
// times without a keeper, the store or gateways. Acknowledged requests are kept, every incident can be replayed, and verdicts and messages
// equal those of the oracles. Other seeds: npm run sim -- --custom --seeds A-B.
import t from 'tap'
import { type CustomCounts, simulateCustom } from './custom/simulate-custom.ts'

/**
 * Seeds with few and with many incidents, with few and with many reminders. From 34 on a deadline comes right after a take-over, while
 * silence is held. In the last two seeds a rule recovers at that time although its input could already be silent.
 */
const seeds = [2, 4, 6, 7, 9, 16, 34, 62, 94, 107, 1343]

t.test(`custom subjects keep every invariant through a week of faults (seeds ${seeds.join(', ')})`, async t => {
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
