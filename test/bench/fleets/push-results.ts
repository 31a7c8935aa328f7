// Check results published on the bus without a prober, as fast as the bus accepts them, until the keeper has judged all of them.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Connection } from '../run/connection.ts'
import { total } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { pollUntil, runAtOnce } from '../run/waiting.ts'
import { homeOf, seed } from './seed.ts'

/** Maximal number of unacknowledged publishes, as in a prober (shared/limits/limits.ts). */
const publishesAtOnce = 500
const judgedTimeoutMs = 180_000

export interface Fleet {
  subjectIds: string[]
  /** Locations without a prober, so that only this run reports. */
  locationIds: string[]
}

export interface Pushed {
  results: number
  publishedMs: number
  judgedMs: number
  /** CPU of the system per 1,000 results, ms. */
  cpuMsPerThousand: number
}

export async function seedUnprobed(
  system: System,
  connection: Connection,
  options: { subjects: number; locations: number; intervalSeconds: number },
): Promise<Fleet> {
  const home = await homeOf(connection, system.url, await system.key())
  const locationIds: string[] = []
  for (let number = 0; number < options.locations; number++) {
    const { id } = await connection.directory.ask('ensure-location', { name: `bench-${number}` })
    locationIds.push(id)
  }
  const { subjectIds } = await seed(connection, {
    workspaceId: home.workspaceId,
    locationIds,
    intervalSeconds: options.intervalSeconds,
    urlOf: path => `http://127.0.0.1:9/m/${path}`,
    from: 0,
    to: options.subjects,
  })
  return { subjectIds, locationIds }
}

/**
 * Returns one result for each slot, subject and location, slot by slot, in the order of their arrival. The newest slot is a moment before
 * now.
 */
export async function pushResults(
  system: System,
  { bus }: Connection,
  { subjectIds, locationIds }: Fleet,
  { slots, slotMs, endsAt }: { slots: number; slotMs: number; endsAt: number },
): Promise<Pushed> {
  const perSlot = subjectIds.length * locationIds.length
  const results = perSlot * slots
  const judged = async () => total(await system.metrics(), 'watchkeeper_keeper_inputs_total', 'kind="result"')
  const before = { judged: await judged(), cpuMs: system.usage().cpuMs, at: performance.now() }
  await runAtOnce(results, publishesAtOnce, index => {
    const slot = Math.floor(index / perSlot)
    const subjectId = subjectIds[Math.floor(index / locationIds.length) % subjectIds.length] as string
    const locationId = locationIds[index % locationIds.length] as string
    return bus.observations.publish(subjects.observation(locationId, subjectId), resultAt(endsAt - (slots - slot) * slotMs))
  })
  const publishedMs = performance.now() - before.at
  const isAll = (count: number) => count - before.judged >= results
  await pollUntil(`${results} results to be judged`, judged, isAll, { timeoutMs: judgedTimeoutMs, pauseMs: 20 })
  const judgedMs = performance.now() - before.at
  return { results, publishedMs, judgedMs, cpuMsPerThousand: ((system.usage().cpuMs - before.cpuMs) * 1_000) / results }
}

function resultAt(slotAt: number): CheckResult {
  const phases = { dnsMs: 0.41, connectMs: 1.37, tlsMs: null, firstByteMs: 4.82, totalMs: 5.13 }
  return { rev: 1, slotAt, ageMs: 0, ok: true, error: null, statusCode: 200, phases }
}

/** Returns the number of stored observations; the system must be stopped. */
export function storedObservations(system: System): number {
  const database = new DatabaseSync(join(system.dataFolder, 'watchkeeper.db'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS rows FROM observations').get()?.['rows'])
  } finally {
    database.close()
  }
}
