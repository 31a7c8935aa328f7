// Pages of generation 3: `limit`, and a cursor that fits the list alone which made it. Rules: docs/reference/v3.md, section 9.
import { Type } from 'typebox'
import { limits } from '#shared/limits.ts'
import { invalidParameter } from './read-query.ts'

type Query = Readonly<Record<string, string | number | boolean>>

export const pageQuery = {
  limit: {
    schema: Type.Integer({ minimum: 1, maximum: limits.v3.pageMax }),
    meaning: `Items at most, ${limits.v3.page} unless sent.`,
  },
  cursor: { schema: Type.String(), meaning: 'The `meta.next_cursor` of the page before.' },
}

export const limitOf = ({ limit }: Query): number => (typeof limit === 'number' ? limit : limits.v3.page)

/** `list` names the list and its filters: a cursor of another one is refused. */
export const writeCursor = (list: string, next: string | null): string | null =>
  next === null ? null : Buffer.from(JSON.stringify([list, next])).toString('base64url')

/** Where the page begins; null: at the start. Throws `validation` of `cursor`. */
export function readCursor(list: string, { cursor }: Query): string | null {
  if (cursor === undefined) return null
  const [madeBy, next] = parsed(String(cursor))
  if (madeBy === list && typeof next === 'string') return next
  throw invalidParameter('cursor', "The parameter 'cursor' is not the next_cursor of this list")
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
