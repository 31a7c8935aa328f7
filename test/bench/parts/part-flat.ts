// Cost of a check against the size of the fleet: the same rate of checks by more and more monitors, each checked more rarely. Also memory and
// the time until a killed system is ready again.
import { setTimeout as pause } from 'node:timers/promises'
import { type Restarted, startAgainWith, type WebsiteFleet } from '../fleets/website-fleet.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, type Quantity, quantity, type Run } from '../run/run-context.ts'

interface Fleet extends WebsiteFleet, Restarted {
  observed: Observed
}

interface WantedFleet extends WebsiteFleet {
  /** Budgets: CPU of a check as a multiple of that in the smallest fleet, and time until ready after kill -9. */
  cpuRatio: number
  readySeconds: number
}

/** 1,667 checks a second each. */
const fleets: readonly WantedFleet[] = [
  { monitors: 10_000, intervalSeconds: 6, cpuRatio: 1, readySeconds: 3 },
  { monitors: 50_000, intervalSeconds: 30, cpuRatio: 1.1, readySeconds: 5 },
  { monitors: 100_000, intervalSeconds: 60, cpuRatio: 1.15, readySeconds: 6 },
]
const quickFleets: readonly WantedFleet[] = [
  { monitors: 500, intervalSeconds: 2, cpuRatio: 1, readySeconds: 3 },
  { monitors: 2_000, intervalSeconds: 8, cpuRatio: 1.1, readySeconds: 3 },
]
/** The run fails if the second fleet costs more than this. */
const cpuRatioMost = 1.15
const memoryBudget = { smallestMb: 250, kilobytesAMonitor: 6 }
const settleMs = 8_000

export async function flat(run: Run): Promise<PartResult> {
  const wanted = run.options.quick ? quickFleets : run.options.full ? fleets : fleets.slice(0, 2)
  const found: Fleet[] = []
  for (const fleet of wanted) {
    run.say(`flat: ${fleet.monitors} monitors every ${fleet.intervalSeconds} s`)
    found.push(await run.withSystem(system => measure(run, system, fleet)))
  }
  const [smallest, ...larger] = found as [Fleet, ...Fleet[]]
  return {
    quantities: [
      quantity('flat', `${named(smallest)}: CPU of 1,000 checks`, 'ms', smallest.observed.cpuMsPerThousand, lower),
      quantity('flat', `${named(smallest)}: resident, all processes`, 'MB', smallest.observed.residentBytes / 1e6, {
        ...lower,
        budget: memoryBudget.smallestMb,
      }),
      ...larger.flatMap((fleet, index) => comparedWith(smallest, fleet, wanted[index + 1] as WantedFleet, index === 0)),
      ...found.flatMap((fleet, index) => startsOf(fleet, wanted[index] as WantedFleet)),
    ],
    details: [{ title: 'Equal rates of checks by fleets of different sizes', rows: found.map(rowOf) }],
  }
}

const lower = { better: 'lower' } as const
const named = ({ monitors }: WebsiteFleet): string => `${monitors.toLocaleString('en')} monitors`

function comparedWith(smallest: Fleet, fleet: Fleet, wanted: WantedFleet, isGate: boolean): Quantity[] {
  const grownBytes = fleet.observed.residentBytes - smallest.observed.residentBytes
  const grown = grownBytes / (fleet.monitors - smallest.monitors)
  return [
    quantity('flat', `${named(fleet)}: CPU of 1,000 checks, beside ${named(smallest)}`, 'ms', fleet.observed.cpuMsPerThousand, {
      ...lower,
      baseline: smallest.observed.cpuMsPerThousand,
      budget: wanted.cpuRatio,
      ...(isGate && { floor: cpuRatioMost }),
    }),
    quantity('flat', `${named(fleet)}: resident, for each monitor more`, 'kB', grown / 1e3, {
      ...lower,
      budget: memoryBudget.kilobytesAMonitor,
    }),
  ]
}

const startsOf = (fleet: Fleet, { readySeconds }: WantedFleet): Quantity[] => [
  quantity('flat', `${named(fleet)}: ready after kill -9`, 's', fleet.readyMs / 1_000, { ...lower, budget: readySeconds }),
  quantity('flat', `${named(fleet)}: first check after kill -9`, 's', fleet.firstCheckMs / 1_000, { ...lower, budget: 3 }),
]

async function measure(run: Run, system: Parameters<typeof startAgainWith>[1], fleet: WebsiteFleet): Promise<Fleet> {
  const restarted = await startAgainWith(run, system, fleet)
  await pause(settleMs)
  const { seconds } = run.options
  const { subjectIds } = restarted
  const intervalMs = fleet.intervalSeconds * 1_000
  const observed = await observe({ system, target: run.target, subjectIds, intervalMs, seconds })
  if (observed.shed + observed.skipped > 0) run.say(`flat: ${observed.shed} checks shed, ${observed.skipped} skipped`)
  return { ...fleet, ...restarted, observed }
}

const rowOf = ({ observed, ...fleet }: Fleet) => ({
  monitors: fleet.monitors,
  'interval s': fleet.intervalSeconds,
  'made in s': (fleet.seededMs / 1_000).toFixed(1),
  'ready s': (fleet.readyMs / 1_000).toFixed(1),
  'first check s': (fleet.firstCheckMs / 1_000).toFixed(1),
  'covered s from ready': (fleet.coveredAfterReadyMs / 1_000).toFixed(1),
  'checks/s': Math.round(observed.hitsPerSecond),
  'on time %': (observed.onTime * 100).toFixed(1),
  'late p99 ms': observed.lateness.p99.toFixed(1),
  'lag p99 ms': Math.round(observed.judgingLag.p99),
  'shed, skipped': observed.shed + observed.skipped,
  'CPU ms/1,000': Math.round(observed.cpuMsPerThousand),
  ...Object.fromEntries(Object.entries(observed.cpuByName).map(([name, ms]) => [`of it ${name}`, Math.round(ms)])),
  'RSS MB': Math.round(observed.residentBytes / 1e6),
  'peak MB': Math.round(observed.peakBytes / 1e6),
})
