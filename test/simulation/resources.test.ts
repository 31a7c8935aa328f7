// Generated Resources of generated Templates in the real keeper, half a day each: what is acknowledged is stored once, rules read and incidents
// move as the oracle computes from docs/reference/v3.md, 4 to 7, and every incident can be replayed. Other seeds: npm run sim -- --resources
// --seeds A-B.
import t from 'tap'
import { type ResourceCounts, simulateResources } from './resources/simulate-resources.ts'

/** Odd ones live a calm life, held to the millisecond; over the keepers of even ones come blows. */
const seeds = [1, 3, 7, 2, 10, 36]

t.test(`Resources of Templates live through half a day (v3 4 to 7; seeds ${seeds.join(', ')})`, async t => {
  const sums: Partial<ResourceCounts> = {}
  for (const seed of seeds) {
    const { faults, counts } = await simulateResources(seed)
    for (const fault of faults.slice(0, 3)) t.fail(`seed ${seed}: ${fault}; npm run sim -- --resources --seed ${seed}`)
    for (const [name, count] of Object.entries(counts))
      sums[name as keyof ResourceCounts] = (sums[name as keyof ResourceCounts] ?? 0) + count
  }
  const least: ResourceCounts = { reports: 2_000, commands: 40, compared: 400, incidents: 80, messages: 150, blows: 12 }
  for (const [name, count] of Object.entries(least)) {
    const lived = sums[name as keyof ResourceCounts] ?? 0
    t.ok(lived >= count, `${name}: ${lived}, at least ${count}`)
  }
})

/** Lives that the oracle once misjudged. */
const once: Readonly<Record<number, string>> = {
  518: 'a late report stops the confirmation of silence when no checkpoint says what was silent (v3 4.11)',
  340: 'silence is held back for the outage alone when the blow goes on behind it (v3 4.11)',
  135: 'reminders count from the end of the shorter hold when a change of an answer ends it in the past (v3 5.2, 5.7)',
  438: 'silence counts from its own instant when no rule reads the signal that was reported meanwhile (v3 4.11)',
}
for (const [seed, title] of Object.entries(once))
  t.test(`${title}, seed ${seed}`, async t => {
    const { faults } = await simulateResources(Number(seed))
    t.strictSame(faults, [])
  })
