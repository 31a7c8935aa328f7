// Forms of the documents that are upgraded when they are read. If a change of a form also changes a column, it needs a migration besides,
// because queries compare the stored columns.
import { type Form, firstForm, schemaOf, upgraded } from '#shared/contracts/form.ts'
import type { CollectionName, Collections } from '#shared/store/collections.ts'
import { type Store, UnreadableDocument } from '#shared/store/port.ts'

export type Forms = { [C in CollectionName]?: Form<Collections[C]> }

export const forms: Forms = { subjects: firstForm(), checkpoints: firstForm() }

/**
 * Makes a store return whole documents in their present forms, and returns this store. A document of a later schema, which a newer version
 * has written, is an `UnreadableDocument`.
 */
export function withForms(store: Store, given: Forms = forms): Store {
  const { get, find } = store
  const read = <C extends CollectionName>(collection: C, document: Collections[C]): Collections[C] => {
    const form = given[collection] as Form<Collections[C]> | undefined
    const present = form === undefined ? document : upgraded(form, document)
    if (present !== null) return present
    const why = `its schema is ${schemaOf(document)}, and this version knows up to ${form?.schema}: install the version that wrote it`
    throw new UnreadableDocument(collection, document.id, null, why)
  }
  return Object.assign(store, {
    get: async <C extends CollectionName>(collection: C, ids: readonly string[]) => {
      const found = await get(collection, ids)
      return collection in given ? found.map(document => document && read(collection, document)) : found
    },
    find: async <C extends CollectionName>(collection: C, query: Parameters<Store['find']>[1]) => {
      const found = await find(collection, query)
      return collection in given && query.select === undefined ? found.map(document => read(collection, document)) : found
    },
  })
}
