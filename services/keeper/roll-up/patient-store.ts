// The store as work apart from the rounds sees it: every call is repeated until it succeeds or the partition is not ours any more.
import type { Store } from '#shared/store/port.ts'
import { type Core, persistWhile } from '../core.ts'

export type PatientStore = Pick<Store, 'get' | 'find' | 'upsert' | 'replace' | 'delete' | 'deleteRange'>

/** All methods reject with NoLongerOurs once `mayGoOn` says no. */
export function patientStore(core: Core, mayGoOn: () => boolean): PatientStore {
  const { store } = core
  const patient = <T>(attempt: () => Promise<T>) => persistWhile(core, mayGoOn, 'roll up', attempt)
  return {
    get: (collection, ids) => patient(() => store.get(collection, ids)),
    find: (collection, query) => patient(() => store.find(collection, query)),
    upsert: (collection, documents) => patient(() => store.upsert(collection, documents)),
    replace: (collection, documents) => patient(() => store.replace(collection, documents)),
    delete: (collection, ids) => patient(() => store.delete(collection, ids)),
    deleteRange: (collection, from, to, limit) => patient(() => store.deleteRange(collection, from, to, limit)),
  }
}
