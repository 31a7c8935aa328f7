// Reader of bodies in generation 3. A body is read as JSON whatever its content type, and checked against the route's schema. Reference:
// docs/reference/v3.md, 1.2 to 1.5 and 1.8.

import type { Static, TObject } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { limits } from '#shared/limits/limits.ts'
import { parseJson, readBodyText } from '../body/json-body.ts'
import type { Call } from '../http/answer.ts'
import type { Route } from '../http/route.ts'

/** Schema of the body for a route that accepts no body. */
const NoFields = Strict({})

/**
 * Returns the body in the type that the route declares; `{}` if no body was sent. Throws `too_large`, `malformed`, or `validation` with the
 * faulty field.
 */
export async function readBody(
  { body = NoFields, bodyBytes }: Pick<Route, 'body' | 'bodyBytes'>,
  { request, reply }: Call,
): Promise<unknown> {
  const text = await readBodyText(request, reply, bodyBytes ?? limits.v3.bodyBytes)
  const value = text.trim() === '' ? {} : parseJson(text)
  return fitting(body, value)
}

/**
 * Returns `value` without members that are null, because an optional member sent as null counts as absent. Throws the first fault that
 * `schema` finds.
 */
export function fitting<T extends TObject>(schema: T, value: unknown): Static<T> {
  requireFit(schema, value)
  const members = Object.entries(value as object)
  return (
    members.every(([, member]) => member !== null) ? value : Object.fromEntries(members.filter(([, member]) => member !== null))
  ) as Static<T>
}

function requireFit(schema: TObject, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal('malformed', 'Invalid JSON', 'The body must be a JSON object')
  }
  const fault = firstRefusal(schema, value)
  if (fault !== null) {
    const { kind, field, message } = fault
    throw new AppError(kind === 'unreadable' ? 'malformed' : 'validation', message, { facts: { field } })
  }
  requireDoubles(schema, value)
}

/**
 * Throws if a member whose schema allows any value contains a number beyond the range of doubles. `JSON.stringify` would write this number
 * as null, which has another meaning.
 */
function requireDoubles(schema: TObject, value: object): void {
  for (const [name, member] of Object.entries(value)) {
    const isOpen = (schema.properties[name] as { additionalProperties?: unknown } | undefined)?.additionalProperties === true
    if (!isOpen || member === null) continue
    const place = placeOfInfinity(member)
    if (place === null) continue
    // For a fault in `labels` or `body`, the error names the whole field. For a fault in a Template, it names the dotted path inside the
    // Template.
    const field = name === 'meta' ? (place[0] ?? name) : name === 'manifest' ? place.join('.') : name
    throw new AppError('validation', `Field '${field}' holds a number that is too large`, { facts: { field } })
  }
}

/** Returns the path to the first infinite number; null: there is none. */
function placeOfInfinity(value: unknown): string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : []
  if (typeof value !== 'object' || value === null) return null
  for (const [name, part] of Object.entries(value)) {
    const place = placeOfInfinity(part)
    if (place !== null) return [name, ...place]
  }
  return null
}
