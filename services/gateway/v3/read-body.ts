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
    const infinite = Object.entries(member).find(([, part]) => holdsInfinity(part))
    if (infinite === undefined) continue
    const field = name === 'meta' ? infinite[0] : name
    throw new AppError('validation', `Field '${field}' holds a number that is too large`, { facts: { field } })
  }
}

function holdsInfinity(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsInfinity)
  return typeof value === 'number' && !Number.isFinite(value)
}
