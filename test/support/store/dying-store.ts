// A store for crash tests: the process that uses it dies at its n-th write.
import type { CollectionName } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'

/** Returns the store of a process that dies at its n-th write, before or after the write takes effect. */
export function dyingStore(store: Store, n: number, after: boolean): Store {
  let writes = 0
  const dying = { ...store }
  for (const operation of ['insert', 'replace', 'upsert'] as const) {
    dying[operation] = async (collection: CollectionName, documents: never) => {
      const dies = ++writes === n
      if (writes > n || (dies && !after)) throw new Error('dead')
      const results = await store[operation](collection, documents)
      if (dies) throw new Error('dead')
      return results
    }
  }
  return { ...dying, putInOrder: putOneByOne(dying) }
}
