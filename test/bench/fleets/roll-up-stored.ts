// Rolls up the stored observations of a stopped system, because roll-ups are part of the cost of a check. A running keeper would do this in
// the following days.
import { join } from 'node:path'
import { day, limits } from '#shared/limits/limits.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { rollUpPartition } from '../../../services/keeper/roll-up/roll-up-partition.ts'
import { contextOn } from '../../keeper/roll-up/roll-up-world.ts'
import type { System } from '../run/system.ts'

/** Treats everything observed before now as settled, and expires nothing. Returns the number of stored roll-ups. */
export async function rollUpStored(system: System): Promise<number> {
  const store = await openSqliteStore(join(system.dataFolder, 'watchkeeper.db'))
  try {
    const now = Date.now()
    for (const at of [now, now + limits.rollUp.settleDayMs + 2 * day]) {
      const context = contextOn(store, () => at)
      for (let partition = 0; partition < limits.partitions; partition++) {
        const [progress = null] = await store.get('rollUpProgress', [`p.${partition}`])
        await rollUpPartition(context, partition, progress, () => true)
      }
    }
    return await store.count('rollUps', {})
  } finally {
    await store.close()
  }
}
