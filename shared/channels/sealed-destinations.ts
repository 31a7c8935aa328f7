// Secrets in the settings of destinations, sealed in the store: a directory writes them and a notifier reads them through a store that seals
// what is written and opens what is read. Documents that are older than this hold them as they are, and are sealed when they are written next.
import type { DestinationDocument, SettingValue } from '#shared/contracts/notifications/destination.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'
import { type Seals, withOpened } from '#shared/secrecy/seals.ts'
import type { Put, Query, Store } from '#shared/store/port.ts'
import { findChannel } from './registry.ts'
import { ownFields } from './settings.ts'

const name = 'destinations'
type Sealed = DestinationDocument

/**
 * Returns the store through which destinations are written and read. `seals` null: there is no key, and secrets stay as they are. A secret
 * that this key cannot open is read sealed.
 */
export function withSealedDestinations<S extends Store>(store: S, seals: Seals | null): S {
  if (seals === null) return store
  const seal = (documents: readonly unknown[]) => documents.map(document => sealed(document as Sealed, seals))
  const open = <T>(documents: readonly T[]): T[] => documents.map(document => opened(document, seals))
  const own: Partial<Store> = {
    get: async (collection, ids) => {
      const found = await store.get(collection, ids)
      return collection === name ? open(found) : found
    },
    find: async (collection, query: Query) => {
      const found = await store.find(collection, query)
      return collection === name ? open(found) : found
    },
    insert: (collection, documents) => store.insert(collection, written(collection, documents)),
    replace: (collection, documents) => store.replace(collection, written(collection, documents)),
    advance: (collection, documents) => store.advance(collection, written(collection, documents)),
    upsert: (collection, documents) => store.upsert(collection, written(collection, documents)),
    putInOrder: puts =>
      store.putInOrder(puts.map(put => ({ ...put, documents: written<unknown>(put.collection, put.documents) }) as Put)),
  }
  const written = <T>(collection: string, documents: readonly T[]): T[] =>
    (collection === name ? seal(documents) : documents) as T[]
  return new Proxy(store, {
    get: (target, key) => {
      const method: unknown = Reflect.get(own, key) ?? Reflect.get(target, key)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

/** Whether a setting of the destination is still sealed, because no key here opens it. */
export const holdsClosed = (settings: Readonly<Record<string, SettingValue>> | undefined): boolean =>
  Object.values(settings ?? {}).some(value => (Array.isArray(value) ? value.some(isSealed) : isSealed(value)))

function sealed(document: Sealed, seals: Seals): Sealed {
  const { type, settings, former } = document
  const channel = findChannel(type)
  if (channel === null || settings === undefined) return document
  const secrets = new Set(ownFields(channel).flatMap(({ key, mark }) => (mark === 'secret' ? [key] : [])))
  const sealedValue = (value: SettingValue): SettingValue =>
    Array.isArray(value)
      ? (value.map(item => sealedText(item, seals)) as SettingValue)
      : (sealedText(value, seals) as SettingValue)
  const entries = Object.entries(settings).map(([key, value]) => [key, secrets.has(key) ? sealedValue(value) : value] as const)
  return {
    ...document,
    settings: Object.fromEntries(entries),
    ...(former === undefined
      ? {}
      : { former: former.map(one => ({ ...one, value: sealedValue(one.value) })) as Sealed['former'] & object }),
  }
}

const sealedText = (value: unknown, seals: Seals): unknown =>
  typeof value === 'string' && !isSealed(value) ? seals.seal(value) : value

function opened<T>(document: T, seals: Seals): T {
  if (document === null || typeof document !== 'object') return document
  const { settings, former } = document as Partial<Sealed>
  if (settings === undefined && former === undefined) return document
  return {
    ...document,
    ...(settings === undefined ? {} : { settings: withOpened(settings, seals) }),
    ...(former === undefined ? {} : { former: withOpened(former, seals) }),
  }
}
