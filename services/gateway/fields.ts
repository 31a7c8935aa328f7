// Bodies of generations 1 and 2, read by their schemas. A wrong JSON type is malformed (2006) before any value is judged (2001); an optional
// field sent as null equals its absence (spec D, general rules).
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { once } from '#shared/once.ts'
import { firstCharacters } from '#shared/plain-text.ts'
import { shapeOf } from './field-shape.ts'
import { marksOf, requireValues } from './field-values.ts'
import { invalidJson } from './json-body.ts'

/** A field that may be absent or null. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/**
 * Compiled at its first body, so that a start does not wait for all of them: returns the object as its declared type. Throws `malformed` naming
 * the first field that has another JSON type, then the refusal of the first field whose value its schema refuses.
 */
export function fieldReader<T extends TObject>(schema: T): (body: Record<string, unknown>) => Static<T> {
  const validatorOf = once(() => Compile(shapeOf(schema as Record<string, unknown>)))
  const members = Object.entries(schema.properties).map(([name, member]) => ({ name, ...marksOf(member) }))
  const typed = members.filter(({ name, anyType }) => !anyType && !Type.IsUnknown(schema.properties[name]))
  const unsettable = members.filter(({ emptyIsUnset }) => emptyIsUnset)
  return body => {
    const validator = validatorOf()
    if (!validator.Check(body)) {
      const errors = validator.Errors(body)
      const unknown = errors.find(error => error.keyword === 'boolean')
      if (unknown) throw invalidJson(`Unknown field '${pathOf(unknown.instancePath, body)}'`)
      const deepest = errors.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a), errors[0] ?? noError)
      throw wrongType(pathOf(deepest.instancePath, body))
    }
    for (const { name } of typed) requireWellFormed(body[name])
    const text = unsettable.find(({ name }) => typeof body[name] === 'string' && body[name] !== '')
    if (text !== undefined) throw wrongType(text.name)
    requireValues(schema, body)
    return body as Static<T>
  }
}

const wrongType = (place: string) => invalidJson(`Field '${place}' has the wrong type`)

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
