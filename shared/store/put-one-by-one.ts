// Implementation of `putInOrder` for a store that can make only one put at a time.
import type { Put, PutMode, PutResult, Store } from '#shared/store/port.ts'

type Putting = (collection: Put['collection'], documents: Put['documents']) => Promise<PutResult[]>

/** Returns `Store.putInOrder`, implemented by the store's other methods: one call for each put. */
export const putOneByOne = (store: Pick<Store, PutMode>): Store['putInOrder'] => {
  return async puts => {
    const results: PutResult[][] = []
    let isLost = false
    for (const { mode, collection, documents, isClaim = false } of puts) {
      const found: PutResult[] = isLost
        ? documents.map((): PutResult => 'refused')
        : await (store[mode] as Putting)(collection, documents)
      results.push(found)
      isLost ||= isClaim && found.some(result => result !== 'written')
    }
    return results
  }
}
