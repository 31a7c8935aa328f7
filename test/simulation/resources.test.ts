// Generated Resources of generated Templates, each for a simulated half day in the real keeper and the real notifier. Acknowledged
// Observations are stored once. Rules and Incidents equal those that the oracle computes from docs/reference/v3.md, 4 to 7. Every Incident
// can be replayed, and messages reach the destinations that v3 10.3 to 10.6 require. Other seeds: npm run sim -- --resources --seeds A-B.
import t from 'tap'
import { type ResourceCounts, simulateResources } from './resources/simulate-resources.ts'

/** Odd seeds have no injected faults, so instants must be exact to the millisecond. In even seeds faults hit the keepers. */
const seeds = [3, 7, 10, 36]

t.test(
  `Resources agree with the oracle through half a day of faults (v3 4 to 7, 10.3 to 10.6; seeds ${seeds.join(', ')})`,
  async t => {
    const sums: Partial<ResourceCounts> = {}
    for (const seed of seeds) {
      const { faults, counts } = await simulateResources(seed)
      for (const fault of faults.slice(0, 3)) t.fail(`seed ${seed}: ${fault}; npm run sim -- --resources --seed ${seed}`)
      for (const [name, count] of Object.entries(counts))
        sums[name as keyof ResourceCounts] = (sums[name as keyof ResourceCounts] ?? 0) + count
    }
    const least: ResourceCounts = {
      reports: 2_000,
      commands: 40,
      compared: 400,
      incidents: 80,
      messages: 150,
      deliveries: 500,
      requests: 400,
      beside: 50,
      blows: 12,
    }
    for (const [name, count] of Object.entries(least)) {
      const lived = sums[name as keyof ResourceCounts] ?? 0
      t.ok(lived >= count, `${name}: ${lived}, at least ${count}`)
    }
  },
)

/** Seeds whose results the oracle once judged wrongly. */
const once: Readonly<Record<number, string>> = {
  518: 'a late report stops the confirmation of silence when no checkpoint says what was silent (v3 4.11)',
  340: 'silence is held back for the outage alone when the blow goes on behind it (v3 4.11)',
  135: 'reminders count from the end of the shorter hold when a change of an answer ends it in the past (v3 5.2, 5.7)',
  438: 'silence counts from its own instant when no rule reads the signal that was reported meanwhile (v3 4.11)',
  882: 'silence that is told in a window is held, although its wait ended before the window (v3 6.7, 4.11)',
  598: 'a wait that began before an outage ends at its own instant while silence is held back (v3 4.11, 6.7)',
  996: 'a report that was stored by a dying keeper is judged when it is sent again (v3 7.2)',
}
for (const [seed, title] of Object.entries(once))
  t.test(`${title}, seed ${seed}`, async t => {
    const { faults } = await simulateResources(Number(seed))
    t.strictSame(faults, [])
  })
