// Ingest, memory: resident memory that 10,000 custom subjects with reports add to a system.
import { setTimeout as pause } from 'node:timers/promises'
import { createReports, seedCustom } from '../fleets/custom-fleet.ts'
import type { CustomFleet } from '../fleets/fleet.ts'
import { sendInBatches } from '../fleets/push-observations.ts'
import { homeOf } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import type { System } from '../run/system.ts'

const signals = 2
/** Pause before a measurement: longer than the interval of checkpoints, so that all writes are done. */
const restMs = 15_000

export const ingestMemory = (run: Run): Promise<PartResult> =>
  measureMemory(run, {
    part: 'ingest',
    named: 'custom subjects',
    budgetMb: 250,
    seed: (connection, workspaceId, subjects) => seedCustom(connection, { workspaceId, subjects, signals }),
  })

interface Held {
  part: string
  named: string
  budgetMb: number
  seed(connection: Connection, workspaceId: string, subjects: number): Promise<CustomFleet>
}

/**
 * Returns the resident memory that the subjects add: the difference between measurements at rest before and after their creation. Each
 * signal has one report.
 */
export async function measureMemory(run: Run, held: Held): Promise<PartResult> {
  const subjects = run.options.quick ? 500 : 10_000
  run.say(`${held.part}: memory of ${subjects} ${held.named}`)
  const found = await run.withSystem(async system => {
    await system.start()
    const connection = await system.connect()
    try {
      return await compare(run, system, connection, (workspaceId: string) => held.seed(connection, workspaceId, subjects))
    } finally {
      await connection.close()
    }
  })
  const more = (found.with.residentBytes - found.without.residentBytes) / 1e6
  const mb = (bytes: number) => Math.round(bytes / 1e6)
  const name = `${subjects.toLocaleString('en')} ${held.named}: resident, more than without`
  return {
    quantities: [quantity(held.part, name, 'MB', more, { better: 'lower', budget: held.budgetMb })],
    details: [
      {
        title: `Memory of ${held.named}`,
        rows: [
          { subjects: 0, 'RSS MB': mb(found.without.residentBytes), 'peak MB': mb(found.without.peakBytes) },
          { subjects, 'RSS MB': mb(found.with.residentBytes), 'peak MB': mb(found.with.peakBytes) },
        ],
      },
    ],
  }
}

async function compare(
  run: Run,
  system: System,
  connection: Connection,
  seedFleet: (workspaceId: string) => Promise<CustomFleet>,
) {
  const rest = run.options.quick ? 1_000 : restMs
  const { workspaceId } = await homeOf(connection, system.url, await system.key())
  await pause(rest)
  const without = system.usage()
  const fleet = await seedFleet(workspaceId)
  const reports = createReports(fleet)
  await sendInBatches(system, connection, { fleet, reports }, { batches: 1, perBatch: fleet.signals.length, atOnce: 64 })
  await pause(rest)
  const withThem = system.usage()
  await system.stop()
  reports.verify(system)
  return { without, with: withThem }
}
