// Locations: total cost of a check if three locations, each with one prober, check the same monitors. The cost is compared with that of the
// same monitors from one location, and with that of the same number of checks from one location. Every prober runs in its own process, with
// credentials only for its location, as on another machine.
import { setTimeout as pause } from 'node:timers/promises'
import { homeOf, seed } from '../fleets/seed.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

const many = 3
/** Rate of checks, as a share of the sustained rate. */
const share = 0.5

interface Setup {
  places: number
  /**
   * Factor by which the number of monitors is multiplied. With the factor `many`, one location makes as many checks as all locations
   * together.
   */
  times: number
}

const same: Setup = { places: 1, times: 1 }
const three: Setup = { places: many, times: 1 }
const asManyChecks: Setup = { places: 1, times: many }
/**
 * Order of the windows. A full run uses this order and then its reverse, so that a drift of the machine's speed affects all setups equally.
 */
const quickOrder = [same, three, asManyChecks]
const order = [...quickOrder, ...quickOrder.toReversed()]
/** A system and its probers compile their hot paths in the first seconds. */
const warmUpMs = 4_000

interface Measured extends Observed {
  setup: Setup
  asked: number
}

export async function locations(run: Run): Promise<PartResult> {
  const monitors = Math.max(1, Math.round(((await run.heldRate()) * share) / many))
  const found: Measured[] = []
  for (const setup of run.options.quick ? quickOrder : order) {
    const { places, times } = setup
    const asked = monitors * times * places
    run.say(`locations: ${monitors * times} monitors, ${asked} checks/s from ${places}`)
    const work = (system: System) => measure(run, system, places, monitors * times)
    found.push({ setup, asked, ...(await run.withSystem(work, { services: 'directory,keeper,notifier,gateway' })) })
  }
  const cpuOf = (setup: Setup) => median(found.filter(each => each.setup === setup).map(each => each.cpuMsPerThousand))
  const beside = (setup: Setup) => ({ better: 'lower' as const, baseline: cpuOf(setup) })
  const name = (what: string) =>
    `CPU per 1,000 checks of monitors checked from ${many} locations by ${many} probers, beside ${what}`
  return {
    quantities: [
      quantity('locations', name('the same from one'), 'ms', cpuOf(three), { ...beside(same), budget: 1 }),
      quantity('locations', name('as many checks by one'), 'ms', cpuOf(three), beside(asManyChecks)),
    ],
    details: [{ title: `Locations, ${monitors} monitors and three times as many`, rows: found.map(rowOf) }],
  }
}

async function measure(run: Run, system: System, places: number, monitors: number): Promise<Observed> {
  await system.start()
  const connection = await system.connect()
  try {
    const names = Array.from({ length: places }, (_, place) => `place-${place + 1}`)
    const locationIds: string[] = []
    for (const name of names) locationIds.push((await system.startProber(connection, name)).locationId)
    const { workspaceId } = await homeOf(connection, system.url, await system.key())
    const options = { from: 0, to: monitors, intervalSeconds: 1, workspaceId, locationIds, urlOf: run.target.urlOf }
    const { subjectIds } = await seed(connection, options)
    await run.target.untilSeen(monitors, 60_000)
    await pause(warmUpMs)
    return await observe({ system, target: run.target, subjectIds, intervalMs: 1_000, seconds: run.options.seconds, places })
  } finally {
    await connection.close()
  }
}

const rowOf = (found: Measured) => ({
  locations: found.setup.places,
  monitors: found.asked / found.setup.places,
  'asked/s': found.asked,
  'made/s': Math.round(found.hitsPerSecond),
  'on time %': Number((found.onTime * 100).toFixed(1)),
  'late p99 ms': Number(found.lateness.p99.toFixed(1)),
  'judged %': Number((found.judgedShare * 100).toFixed(1)),
  shed: found.shed,
  'CPU ms/1,000': Math.round(found.cpuMsPerThousand),
  'of it bus': Math.round(found.cpuByName['nats-server'] ?? 0),
  'RSS MB': Math.round(found.residentBytes / 1e6),
})
