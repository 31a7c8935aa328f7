// Ingest, memory: what 10,000 custom subjects, each reported on, hold resident beyond the same system without them.
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { createReports, seedCustom } from './custom-fleet.ts'
import { sendInBatches } from './push-observations.ts'
import { type PartResult, quantity, type Run } from './run-context.ts'
import { homeOf } from './seed.ts'
import type { System } from './system.ts'

const signals = 2
/** Longer than a checkpoint, after which nothing is left to write. */
const restMs = 15_000

export async function ingestMemory(run: Run): Promise<PartResult> {
  const subjects = run.options.quick ? 500 : 10_000
  run.say(`ingest: memory of ${subjects} custom subjects`)
  const found = await run.withSystem(async system => {
    await system.start()
    const connection = await system.connect()
    try {
      return await compare(run, system, connection, subjects)
    } finally {
      await connection.close()
    }
  })
  const more = (found.with.residentBytes - found.without.residentBytes) / 1e6
  const mb = (bytes: number) => Math.round(bytes / 1e6)
  return {
    quantities: [
      quantity('ingest', `${subjects.toLocaleString('en')} custom subjects: resident, more than without`, 'MB', more, {
        better: 'lower',
        budget: 250,
      }),
    ],
    details: [
      {
        title: 'Memory of custom subjects',
        rows: [
          { subjects: 0, 'RSS MB': mb(found.without.residentBytes), 'peak MB': mb(found.without.peakBytes) },
          { subjects, 'RSS MB': mb(found.with.residentBytes), 'peak MB': mb(found.with.peakBytes) },
        ],
      },
    ],
  }
}

async function compare(run: Run, system: System, connection: Connection, subjects: number) {
  const rest = run.options.quick ? 1_000 : restMs
  const { workspaceId } = await homeOf(connection, system.url, await system.key())
  await pause(rest)
  const without = system.usage()
  const fleet = await seedCustom(connection, { workspaceId, subjects, signals })
  const reports = createReports(fleet)
  await sendInBatches(system, connection, { fleet, reports }, { batches: 1, perBatch: signals, atOnce: 64 })
  await pause(rest)
  const withThem = system.usage()
  await system.stop()
  reports.verify(system)
  return { without, with: withThem }
}
