// A fleet of website monitors at the system's own location, made and then found again after kill -9 and a start.
import type { Run } from '../run/run-context.ts'
import type { System } from '../run/system.ts'
import { homeOf, type Seeded, seed } from './seed.ts'

export interface WebsiteFleet {
  monitors: number
  intervalSeconds: number
}

export interface Restarted {
  subjectIds: readonly string[]
  seededMs: number
  readyMs: number
  firstCheckMs: number
  /** Time until all monitors are checked again: `coveredMs` from the start of the process, `coveredAfterReadyMs` from its readiness. */
  coveredMs: number
  coveredAfterReadyMs: number
}

export async function seedWebsites(run: Run, system: System, { monitors, intervalSeconds }: WebsiteFleet): Promise<Seeded> {
  const connection = await system.connect()
  try {
    const home = await homeOf(connection, system.url, await system.key())
    return await seed(connection, {
      ...home,
      locationIds: [home.locationId],
      intervalSeconds,
      urlOf: run.target.urlOf,
      from: 0,
      to: monitors,
    })
  } finally {
    await connection.close()
  }
}

/** Starts the system, makes the fleet, waits until all are checked, kills, starts, and waits until all are checked again. */
export async function startAgainWith(run: Run, system: System, fleet: WebsiteFleet): Promise<Restarted> {
  const withinMs = 4_000 * fleet.intervalSeconds
  await system.start()
  const { subjectIds, elapsedMs: seededMs } = await seedWebsites(run, system, fleet)
  await run.target.untilSeen(fleet.monitors, withinMs)
  run.say(`${fleet.monitors} monitors made in ${(seededMs / 1_000).toFixed(1)} s; kill -9 and start`)
  await system.kill()
  await run.target.forget()
  const { at, readyMs } = await system.start()
  const { firstSeenAt, lastNewAt } = await run.target.untilSeen(fleet.monitors, withinMs)
  const coveredMs = (lastNewAt as number) - at
  return {
    subjectIds,
    seededMs,
    readyMs,
    firstCheckMs: (firstSeenAt as number) - at,
    coveredMs,
    coveredAfterReadyMs: coveredMs - readyMs,
  }
}
