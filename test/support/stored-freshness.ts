// Readings that the checkpoint of a partition has, in its head or in its parts.
import { keys } from '#shared/bus/subjects.ts'
import type { Freshness } from '#shared/contracts/observations/freshness.ts'
import type { Store } from '#shared/store/port.ts'

/** Returns the newest record of each subject, by id. */
export async function storedFreshness(store: Pick<Store, 'get'>, partition: number): Promise<Map<string, Freshness>> {
  const [head] = await store.get('checkpoints', [keys.lease(partition)])
  const parts = await store.get('checkpointParts', head?.parts ?? [])
  const records = [...parts.flatMap(part => part?.freshness ?? []), ...(head?.freshness ?? [])]
  return new Map(records.map(record => [record[0], record]))
}
