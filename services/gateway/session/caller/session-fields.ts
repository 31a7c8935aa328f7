// Readers of requests to the session API: bounded JSON by a declared schema. A refusal never quotes a value from the
// request, because the value may be a password.
import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { once } from '#shared/async/once.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { SessionError } from './session-error.ts'

/** Schemas of a text, and of a text that must not be empty. The directory checks the other rules that a field has. */
export const Text = Type.String({ maxLength: limits.sessionApi.textCharacters })
export const FilledText = Type.String({ minLength: 1, maxLength: limits.sessionApi.textCharacters })

/**
 * Returns a reader that returns the body as its declared type. The schema is compiled when the first body arrives. Unknown fields are
 * refused.
 */
export function bodyReader<T extends TObject>(schema: T): (sent: Record<string, unknown>) => Static<T> {
  const closed = Type.Object(schema.properties, { additionalProperties: false })
  const validatorOf = once(() => Compile(closed))
  return body => {
    const validator = validatorOf()
    const fault = validator.Check(body) ? undefined : validator.Errors(body)[1][0]
    if (fault) throw invalid(sentence(fault), fieldOf(fault))
    for (const [name, value] of Object.entries(body)) {
      if (typeof value === 'string' && !value.isWellFormed()) throw invalid(`Field '${name}' holds an unpaired surrogate.`, name)
    }
    return body as Static<T>
  }
}

const invalid = (details: string, field: string): AppError =>
  new AppError('validation', 'Invalid request', { details, facts: { field } })

/** Throws the session API's own refusal if `error` says that a body is too large. Throws every other error unchanged. */
export function tellTooLarge(error: unknown): never {
  if (error instanceof AppError && error.code === 'too_large') {
    throw new SessionError('too_large', error.message, `${error.details}.`)
  }
  throw error
}

interface Fault {
  keyword: string
  instancePath: string
  params: object
}

/** Returns the faulty field by its name in the request. */
function fieldOf({ keyword, instancePath, params }: Fault): string {
  const { requiredProperties = [] } = params as { requiredProperties?: string[] }
  return keyword === 'required' ? (requiredProperties[0] ?? '') : instancePath.slice(1, 65).replaceAll('/', '.')
}

function sentence(fault: Fault): string {
  const { keyword, params } = fault
  const known = params as { limit?: number; allowedValues?: unknown[] }
  const field = `Field '${fieldOf(fault)}'`
  if (keyword === 'required') return `${field} is required.`
  if (keyword === 'boolean') return `${field} is unknown.`
  if (keyword === 'minLength') return `${field} must not be empty.`
  if (keyword === 'maxLength') return `${field} has at most ${known.limit} characters.`
  if (keyword === 'enum') return `${field} must be one of ${known.allowedValues?.join(', ')}.`
  return `${field} has the wrong type.`
}
