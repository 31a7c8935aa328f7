// Memory and cold start of a large fleet: resident memory of 10,000 monitors checked every minute (with `--full` also 50,000), and the time
// until all are checked again after kill -9.
import { setTimeout as pause } from 'node:timers/promises'
import { type Restarted, startAgainWith, type WebsiteFleet } from '../fleets/website-fleet.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, type Quantity, quantity, type Run } from '../run/run-context.ts'
import type { System } from '../run/system.ts'

interface Fleet extends WebsiteFleet, Restarted {
  observed: Observed
}

const quickFleet = { monitors: 2_000, intervalSeconds: 20 }
const fleets = [{ monitors: 10_000, intervalSeconds: 60 }]
const fullFleets = [...fleets, { monitors: 50_000, intervalSeconds: 60 }]

export async function memory(run: Run): Promise<PartResult> {
  const wanted = run.options.quick ? [quickFleet] : run.options.full ? fullFleets : fleets
  const found: Fleet[] = []
  for (const fleet of wanted) {
    run.say(`memory: ${fleet.monitors} monitors every ${fleet.intervalSeconds} s`)
    found.push(await run.withSystem(system => runFleet(run, system, fleet)))
  }
  return {
    quantities: found.flatMap(quantitiesOf),
    details: [{ title: 'Large fleets after kill -9 and start', rows: found.map(rowOf) }],
  }
}

function quantitiesOf({ monitors, intervalSeconds, observed, coveredAfterReadyMs, firstCheckMs }: Fleet): Quantity[] {
  const name = (what: string) => `${monitors.toLocaleString('en')} monitors: ${what}`
  const small = monitors <= 10_000
  const lower = { better: 'lower' } as const
  return [
    quantity('memory', name('resident, all processes'), 'MB', observed.residentBytes / 1e6, {
      ...lower,
      ...(small ? { budget: 250, floor: 250 } : {}),
    }),
    quantity('memory', name('all checked after a cold start, from ready'), 's', coveredAfterReadyMs / 1_000, {
      ...lower,
      budget: intervalSeconds,
      ...(small ? { floor: intervalSeconds } : {}),
    }),
    quantity('memory', name('first check after a cold start'), 's', firstCheckMs / 1_000, { ...lower, budget: 3 }),
  ]
}

const rowOf = ({ observed, ...fleet }: Fleet) => ({
  monitors: fleet.monitors,
  'interval s': fleet.intervalSeconds,
  'seeding s': (fleet.seededMs / 1_000).toFixed(1),
  'ready ms': Math.round(fleet.readyMs),
  'first check ms': Math.round(fleet.firstCheckMs),
  'covered s from start': (fleet.coveredMs / 1_000).toFixed(1),
  'from ready': (fleet.coveredAfterReadyMs / 1_000).toFixed(1),
  'RSS MB': Math.round(observed.residentBytes / 1e6),
  'peak MB': Math.round(observed.peakBytes / 1e6),
  'checks/s': Math.round(observed.hitsPerSecond),
  'on time %': (observed.onTime * 100).toFixed(1),
  'late p99 ms': observed.lateness.p99.toFixed(1),
  'CPU ms/1,000': Math.round(observed.cpuMsPerThousand),
})

async function runFleet(run: Run, system: System, fleet: WebsiteFleet): Promise<Fleet> {
  const restarted = await startAgainWith(run, system, fleet)
  const intervalMs = fleet.intervalSeconds * 1_000
  await pause(Math.min(intervalMs / 4, 10_000))
  const seconds = run.options.quick ? run.options.seconds : Math.max(run.options.seconds, fleet.intervalSeconds)
  const { subjectIds } = restarted
  const observed = await observe({ system, target: run.target, subjectIds, intervalMs, seconds })
  return { ...fleet, ...restarted, observed }
}
