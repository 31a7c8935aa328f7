// Pages of lists in generation 3. A request has a `limit` and a cursor. A cursor is valid only for the list and the filters of the request
// that returned it. Reference: docs/reference/v3.md, 9.1.
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { limits } from '#shared/limits/limits.ts'
import type { Call } from '../http/answer.ts'
import type { Checked } from '../http/route.ts'
import { invalidParameter } from './read-query.ts'

type Listing = Pick<Call & Checked<unknown, unknown>, 'request' | 'query'>

export const pageQuery = {
  limit: {
    schema: Type.Integer({ minimum: 1, maximum: limits.v3.pageMax }),
    meaning: `Items at most, ${limits.v3.page} unless sent.`,
  },
  cursor: { schema: Type.String(), meaning: 'The `meta.next_cursor` of the page before.' },
}

export const limitOf = ({ query: { limit } }: Listing): number => (typeof limit === 'number' ? limit : limits.v3.page)

/**
 * Returns the position after which the requested page starts; null: the first page. Throws `validation` for the field `cursor` if the
 * cursor belongs to another list or filter.
 */
export function readCursor(listing: Listing): string | null {
  const { cursor } = listing.query
  if (typeof cursor !== 'string') return null
  const text = Buffer.from(cursor, 'base64url').toString()
  const position = text.slice(markCharacters)
  if (position !== '' && formatCursor(listing, position) === cursor) return position
  throw invalidParameter('cursor', 'The cursor is not of this list with these filters')
}

/** Returns the cursor; null: there is no further page. */
export const formatCursor = (listing: Listing, position: string | null): string | null =>
  position === null ? null : Buffer.from(markOf(listing, position) + position).toString('base64url')

const markCharacters = 8

/**
 * Returns a hash of the route, the parameters of its path, the filters and the position. `limit` is no part of the hash, so each page may
 * be requested with another `limit`.
 */
function markOf({ request, query }: Listing, position: string): string {
  const { cursor: _cursor, limit: _limit, ...filters } = query
  const listed = [
    request.routeOptions.url,
    request.params,
    Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1)),
    position,
  ]
  return hash('sha256', JSON.stringify(listed), 'base64url').slice(0, markCharacters)
}
