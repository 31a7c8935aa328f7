// Cursors of generation 3: opaque to clients, and good for the list and the filters that they were made for. Rule: docs/reference/v3.md, 9.1.
import { hash } from 'node:crypto'
import type { RouteCall } from '../route.ts'
import { invalidParameter } from './read-query.ts'

type Listing = Pick<RouteCall<unknown, unknown>, 'request' | 'query'>

/** The position behind which the page begins; null: from the start. Throws `validation` `cursor` for a cursor of anything else. */
export function readCursor(listing: Listing): string | null {
  const { cursor } = listing.query
  if (typeof cursor !== 'string') return null
  const text = Buffer.from(cursor, 'base64url').toString()
  const position = text.slice(markCharacters)
  if (position !== '' && formatCursor(listing, position) === cursor) return position
  throw invalidParameter('cursor', 'The cursor is not of this list with these filters')
}

/** Null: there is no further page. */
export const formatCursor = (listing: Listing, position: string | null): string | null =>
  position === null ? null : Buffer.from(markOf(listing) + position).toString('base64url')

const markCharacters = 8

/** Of the route, what its path names, and the filters. The size of a page may change on the way. */
function markOf({ request, query }: Listing): string {
  const { cursor: _cursor, limit: _limit, ...filters } = query
  const listed = [
    request.routeOptions.url,
    request.params,
    Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1)),
  ]
  return hash('sha256', JSON.stringify(listed), 'base64url').slice(0, markCharacters)
}
