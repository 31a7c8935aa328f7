// Rolls up what a stopped system has stored, as its keeper would in the days to come: roll-ups are a part of what a check costs.
import { join } from 'node:path'
import { day, limits } from '#shared/limits.ts'
import { openSqliteStore } from '#shared/store/sqlite.ts'
import { rollUpPartition } from '../../services/keeper/roll-up/roll-up-partition.ts'
import { coreOn } from '../keeper/roll-up-world.ts'
import type { System } from './system.ts'

/** Everything that was observed before now is settled; nothing expires. Answers how many rows there are. */
export async function rollUpStored(system: System): Promise<number> {
  const store = await openSqliteStore(join(system.dataFolder, 'watchkeeper.db'))
  try {
    const now = Date.now()
    for (const at of [now, now + limits.rollUp.settleDayMs + 2 * day]) {
      const core = coreOn(store, () => at)
      for (let partition = 0; partition < limits.partitions; partition++) {
        const [progress = null] = await store.get('rollUpProgress', [`p.${partition}`])
        await rollUpPartition(core, partition, progress, () => true)
      }
    }
    return await store.count('rollUps', {})
  } finally {
    await store.close()
  }
}
