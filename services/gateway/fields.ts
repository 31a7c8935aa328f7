// Reading a JSON object by its declared shape. A wrong JSON type is malformed (2006) before any value is judged (2001); an optional
// field sent as null equals its absence (spec D, general rules).
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '#shared/errors.ts'
import { once } from '#shared/once.ts'
import { firstCharacters } from '#shared/plain-text.ts'
import { shapeOf } from './field-shape.ts'
import { invalidJson } from './json-body.ts'

/** A field that may be absent or null. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** A field that has to be there; that it is missing is no wrong JSON type, so its reader says so in its turn, by `required`. */
export const Needed = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()], { needed: true }))

/** A field whose JSON type, too, is judged by its reader in words of its own; `schema` is what the API's document says of it. */
export const Judged = (schema: TSchema, needed = false) => Type.Optional(Type.Unknown({ documented: schema, needed }))

/**
 * Compiled at its first body, so that a start does not wait for all of them: returns the object as its declared type, or throws
 * `malformed` naming the first field that is not. Bounds (lengths, ranges, words, patterns) are declared for the API's document; each is
 * judged by its field's reader, in its turn. What a field of any JSON type holds is its reader's affair alone.
 */
export function shapeReader<T extends TObject>(schema: T): (body: Record<string, unknown>) => Static<T> {
  const validatorOf = once(() => Compile(shapeOf(schema as Record<string, unknown>)))
  const texts = Object.keys(schema.properties).filter(name => !Type.IsUnknown(schema.properties[name]))
  return body => {
    const validator = validatorOf()
    if (!validator.Check(body)) {
      const errors = validator.Errors(body)
      const unknown = errors.find(error => error.keyword === 'boolean')
      if (unknown) throw invalidJson(`Unknown field '${pathOf(unknown.instancePath, body)}'`)
      const deepest = errors.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a), errors[0] ?? noError)
      throw invalidJson(`Field '${pathOf(deepest.instancePath, body)}' has the wrong type`)
    }
    for (const name of texts) requireWellFormed(body[name])
    return body as Static<T>
  }
}

export const invalidField = (details: string): AppError => new AppError('validation', 'Validation failed', { details })

/** A required value; absent, null and the empty text are missing. */
export function required<T>(value: T | null | undefined, path: string): T {
  if (value !== null && value !== undefined && value !== '') return value
  throw invalidField(`Field '${path}' is required`)
}

/** Characters as a person counts them: code points. */
export const characters = (text: string): number => [...text].length

const noError = { instancePath: '' }
/** A path is made of what was sent: a refusal quotes its beginning. */
const shownCharacters = 200

/** A JSON pointer into the body as people write it: `document.inputs[2].match`. */
function pathOf(pointer: string, body: unknown): string {
  let path = ''
  let value = body
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path += Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`
    value = (value as Record<string, unknown> | null | undefined)?.[key]
  }
  return firstCharacters(path, shownCharacters)
}

/** A lone surrogate has no UTF-8 form: it would not come back as it was sent. */
function requireWellFormed(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed()) throw invalidJson('A text holds an unpaired surrogate')
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) requireWellFormed(part)
}
