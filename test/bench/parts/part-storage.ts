// Storage: bytes on disk per stored check after a day of checks every minute, with their roll-ups, after a clean stop.
import { pushResults, seedUnprobed, storedObservations } from '../fleets/push-results.ts'
import { rollUpStored } from '../fleets/roll-up-stored.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import type { System } from '../run/system.ts'

const fleet = { subjects: 200, locations: 1, intervalSeconds: 60 }

export async function storage(run: Run): Promise<PartResult> {
  const slots = run.options.quick ? 60 : 720
  const { before, raw, after, rows, checks } = await run.withSystem(async system => {
    await system.start()
    const first = await system.connect()
    const seeded = await seedUnprobed(system, first, fleet).finally(() => first.close())
    const before = await stoppedBytes(system)
    await system.start()
    const second = await system.connect()
    run.say(`storage: ${slots * fleet.subjects} checks`)
    const times = { slots, slotMs: 60_000, endsAt: Date.now() - 1_000 }
    await pushResults(system, second, seeded, times).finally(() => second.close())
    const raw = await stoppedBytes(system)
    const rows = await rollUpStored(system)
    const after = await system.bytesOnDisk()
    return { before, raw, after, rows, checks: storedObservations(system) }
  })
  const perCheck = (after.store - before.store) / checks
  return {
    quantities: [quantity('storage', 'store, bytes per check', 'B', perCheck, { better: 'lower', budget: 60 })],
    details: [
      {
        title: 'Bytes on disk',
        rows: [
          {
            checks,
            'store before': before.store,
            'store after': after.store,
            'per check': perCheck.toFixed(1),
            'of them roll-ups': ((after.store - raw.store) / checks).toFixed(1),
            'rows of roll-ups': rows,
            'bus before': before.bus,
            'bus after': after.bus,
          },
        ],
      },
    ],
  }
}

/** Stops the system first, because a closing store writes its log into its file. */
async function stoppedBytes(system: System): Promise<{ store: number; bus: number }> {
  await system.stop()
  return system.bytesOnDisk()
}
