// A body of generation 3: any content type is read as JSON, and held against the route's schema. Rules: docs/reference/v3.md, 1.2 to 1.5 and 1.8.
import { type Static, type TObject, Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { limits } from '#shared/limits.ts'
import type { Call } from '../answer.ts'
import { parseJson, readBodyText } from '../json-body.ts'
import type { Route } from '../route.ts'

/** Of a route that reads nothing. */
const NoFields = Type.Object({}, { additionalProperties: false })

/** The body as the route declares it; `{}` if none was sent. Throws `too_large`, `malformed` and `validation` with the field. */
export async function readBody(
  { body = NoFields, bodyBytes }: Pick<Route, 'body' | 'bodyBytes'>,
  { request, reply }: Call,
): Promise<unknown> {
  const text = await readBodyText(request, reply, bodyBytes ?? limits.v3.bodyBytes)
  const value = text.trim() === '' ? {} : parseJson(text)
  return fitting(body, value)
}

/** `value` without members that are null: those are optional, and as if absent. Throws for the first thing by which it differs from `schema`. */
export function fitting<T extends TObject>(schema: T, value: unknown): Static<T> {
  requireFit(schema, value)
  const members = Object.entries(value as object)
  return (
    members.every(([, member]) => member !== null) ? value : Object.fromEntries(members.filter(([, member]) => member !== null))
  ) as Static<T>
}

function requireFit(schema: TObject, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('malformed', 'Invalid JSON', { details: 'The body must be a JSON object' })
  }
  const refusal = firstRefusal(schema, value)
  if (refusal !== null) {
    const { kind, field, message } = refusal
    throw new AppError(kind === 'unreadable' ? 'malformed' : 'validation', message, { facts: { field } })
  }
  requireDoubles(schema, value)
}

/** Throws for a number that no double holds where the schema allows anything: it would travel as null, which means another thing. */
function requireDoubles(schema: TObject, value: object): void {
  for (const [name, member] of Object.entries(value)) {
    const isOpen = (schema.properties[name] as { additionalProperties?: unknown } | undefined)?.additionalProperties === true
    if (!isOpen || member === null) continue
    const place = placeOfInfinity(member)
    if (place === null) continue
    // `labels` and `body` are at fault as a whole; a place in a Template is dotted from the Template on.
    const field = name === 'meta' ? (place[0] ?? name) : name === 'manifest' ? place.join('.') : name
    throw new AppError('validation', `Field '${field}' holds a number that is too large`, { facts: { field } })
  }
}

/** The way to the first one; null: there is none. */
function placeOfInfinity(value: unknown): string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : []
  if (typeof value !== 'object' || value === null) return null
  for (const [name, part] of Object.entries(value)) {
    const place = placeOfInfinity(part)
    if (place !== null) return [name, ...place]
  }
  return null
}
