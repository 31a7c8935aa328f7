// Locations: three locations with a prober of their own beside one, at the same checks a second: what a check costs, everything together.
// Every prober is a process of its own with credentials for its location alone, as on another machine.
import { setTimeout as pause } from 'node:timers/promises'
import { type Observed, observe } from './observe.ts'
import { type PartResult, quantity, type Run } from './run-context.ts'
import { homeOf, seed } from './seed.ts'
import { median } from './statistics.ts'
import type { System } from './system.ts'

const many = 3
/** Of the rate that the system holds. */
const share = 0.5
/** Forth and back, so that what drifts on the machine meets both alike. */
const order = [1, many, many, 1]
const quickOrder = [1, many]
/** A system and its probers compile their hot paths in the first seconds. */
const warmUpMs = 4_000

interface Measured extends Observed {
  places: number
}

export async function locations(run: Run): Promise<PartResult> {
  const monitors = Math.max(1, Math.round(((await run.heldRate()) * share) / many))
  const found: Measured[] = []
  for (const places of run.options.quick ? quickOrder : order) {
    run.say(`locations: ${monitors * many} checks/s from ${places}`)
    // One location has three times the monitors.
    const work = (system: System) => measure(run, system, places, (monitors * many) / places)
    found.push({ places, ...(await run.withSystem(work, { services: 'directory,keeper,notifier,gateway' })) })
  }
  const cpuOf = (places: number) => median(found.filter(each => each.places === places).map(each => each.cpuMsPerThousand))
  return {
    quantities: [
      quantity(
        'locations',
        `CPU per 1,000 checks from ${many} locations with ${many} probers, beside one of each`,
        'ms',
        cpuOf(many),
        {
          better: 'lower',
          baseline: cpuOf(1),
          budget: 1,
        },
      ),
    ],
    details: [{ title: `Locations, ${monitors * many} checks/s in all`, rows: found.map(each => rowOf(each, monitors * many)) }],
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

const rowOf = (found: Measured, asked: number) => ({
  locations: found.places,
  'asked/s': asked,
  'made/s': Math.round(found.hitsPerSecond),
  'on time %': Number((found.onTime * 100).toFixed(1)),
  'late p99 ms': Number(found.lateness.p99.toFixed(1)),
  'judged %': Number((found.judgedShare * 100).toFixed(1)),
  shed: found.shed,
  'CPU ms/1,000': Math.round(found.cpuMsPerThousand),
  'of it bus': Math.round(found.cpuByName['nats-server'] ?? 0),
  'RSS MB': Math.round(found.residentBytes / 1e6),
})
