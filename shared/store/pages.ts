// A query read to its end, one page after the other.
import type { Query, Scalar } from '#shared/store/port.ts'

/**
 * The pages of a query in its order, each of `query.limit` documents, the last of fewer or none. A `select` has to name the fields of
 * the sort. `find` reads one page, when it is asked for; what it rejects with is thrown on.
 */
export async function* pagesOf<T extends { id: string }>(query: Query, find: (page: Query) => Promise<T[]>): AsyncGenerator<T[]> {
  let after: Query['after']
  for (;;) {
    const page = await find(after === undefined ? query : { ...query, after })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < query.limit) return
    after = { values: (query.sort ?? []).map(([field]) => last[field as keyof T] as Scalar), id: last.id }
  }
}
