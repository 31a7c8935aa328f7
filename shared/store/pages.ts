// Iteration over all pages of a query, and removal of all documents that match.
import { pages } from '#shared/async/pages.ts'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, type Collections, collections } from '#shared/store/collections.ts'
import type { Query, Scalar, Store } from '#shared/store/port.ts'

/**
 * Yields the pages of a query in the order of `query.sort`. A page has `query.limit` documents; the last page has fewer or none.
 * `query.select` must contain the fields of `query.sort`. Calls `find` once for each page, and throws the errors of `find`.
 */
export function pagesOf<Q extends Query, T extends { id: string }>(
  query: Q,
  find: (page: Q) => Promise<T[]>,
): AsyncGenerator<T[]> {
  return pages<T, NonNullable<Query['after']>>(async after => {
    const items = await find(after === null ? query : { ...query, after })
    const last = items.at(-1)
    if (last === undefined || items.length < query.limit) return { items, next: null }
    return { items, next: { values: (query.sort ?? []).map(([field]) => last[field as keyof T] as Scalar), id: last.id } }
  })
}

/** Yields all documents that match, in the order of their ids. */
export async function* readAll<C extends 'users' | 'workspaces' | 'memberships'>(
  store: Pick<Store, 'find'>,
  collection: C,
  where: NonNullable<Query['where']>,
): AsyncGenerator<Collections[C]> {
  const query = { where, limit: limits.directory.listed }
  for await (const page of pagesOf(query, next => store.find(collection, next))) yield* page
}

/** Removes all documents that match, `slice` at a time. Returns the number of removed documents. May be repeated. */
export async function removeAll(
  store: Pick<Store, 'find' | 'delete'>,
  collection: CollectionName,
  where: NonNullable<Query['where']>,
  slice: number,
): Promise<number> {
  const sort = orderOfIndex(collection, Object.keys(where))
  for (let removed = 0; ; ) {
    const found: { id: string }[] = await store.find(collection, { where, sort, limit: slice, select: [] })
    const ids = found.map(({ id }) => id)
    if (ids.length > 0) removed += await store.delete(collection, ids)
    if (ids.length < slice) return removed
  }
}

/** Returns the order in which an index has the documents with these fields, so that a slice of very many is found without sorting them. */
function orderOfIndex(collection: CollectionName, fields: readonly string[]): NonNullable<Query['sort']> {
  const index = collections[collection].indexes.find(one => fields.every((_, i) => fields.includes(one.fields[i] ?? '')))
  return (index?.fields.slice(fields.length) ?? []).map(field => [field, 'asc'] as const)
}
