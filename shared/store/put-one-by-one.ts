// Puts in order for a store that makes them one by one.
import type { Put, PutMode, PutResult, Store } from '#shared/store/port.ts'

type Putting = (collection: Put['collection'], documents: Put['documents']) => Promise<PutResult[]>

/** `Store.putInOrder` by the store's other methods: a call for each put that holds any documents. */
export const putOneByOne = (store: Pick<Store, PutMode>): Store['putInOrder'] => {
  return async puts => {
    const results: PutResult[][] = []
    for (const { mode, collection, documents } of puts) results.push(await (store[mode] as Putting)(collection, documents))
    return results
  }
}
