// Reader of query parameters in generation 3. Only declared parameters are accepted, no parameter twice. A parameter's schema decides how
// its text is parsed. Reference: docs/reference/v3.md, 1.6.
import type { TSchema } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import type { Call } from '../http/answer.ts'
import type { Route } from '../http/route.ts'

/** Returns the parameters. Throws `validation` for a parameter that is unknown, repeated or out of bounds. */
export function readQuery(
  { query: declared = {} }: Pick<Route, 'query'>,
  { request }: Call,
): Record<string, string | number | boolean> {
  const read: Record<string, string | number | boolean> = {}
  for (const [name, sent] of Object.entries(request.query as Record<string, string | string[]>)) {
    const parameter = Object.hasOwn(declared, name) ? declared[name] : openOne(declared, name)
    if (parameter === undefined) throw invalidParameter(name, `There is no parameter '${shown(name)}'`)
    if (Array.isArray(sent)) throw invalidParameter(name, `The parameter '${shown(name)}' is given more than once`)
    read[name] = readValue(name, sent, parameter.schema)
  }
  return read
}

export const invalidParameter = (name: string, sentence: string): AppError =>
  new AppError('validation', sentence, { facts: { field: shown(name) } })

/** Returns the declared parameter, such as `meta.`, that ends in `.` and is a prefix of `name`. */
function openOne(declared: NonNullable<Route['query']>, name: string) {
  const prefix = Object.keys(declared).find(one => one.endsWith('.') && name.length > one.length && name.startsWith(one))
  return prefix === undefined ? undefined : declared[prefix]
}

function readValue(name: string, sent: string, schema: TSchema): string | number | boolean {
  const value = typed(sent, (schema as { type?: string }).type)
  const refusal = firstRefusal(schema, value)
  if (refusal === null) return value
  throw invalidParameter(name, refusal.message.replace("Field ''", `The parameter '${shown(name)}'`))
}

/** Converts a text to the schema's type, number or boolean. A text that is neither stays a text, and the schema then refuses it. */
function typed(sent: string, type: string | undefined): string | number | boolean {
  if (type === 'boolean' && (sent === 'true' || sent === 'false')) return sent === 'true'
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(sent)) return Number(sent)
  return sent
}

const shown = (name: string) => firstCharacters(name, 200)
