// A body of generation 3: any content type is read as JSON, and held against the route's schema. Rules: docs/reference/v3.md, 1.2 to 1.5 and 1.8.
import { type TObject, Type } from 'typebox'
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
  requireFit(body, value)
  return value
}

/** Throws for the first thing by which `value` differs from `schema`. */
export function requireFit(schema: TObject, value: unknown): void {
  const refusal = firstRefusal(schema, value)
  if (refusal === null) return
  const { kind, field, message } = refusal
  if (field === '') throw new AppError('malformed', 'Invalid JSON', { details: 'The body must be a JSON object' })
  throw new AppError(kind === 'unreadable' ? 'malformed' : 'validation', message, { facts: { field } })
}
