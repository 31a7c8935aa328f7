// Reader for the bodies of generations 1 and 2. JSON types are checked first: a wrong type is malformed (2006). Values are checked next: a
// wrong value fails validation (2001). An optional field sent as null counts as absent (reference/envelope 5.5).
import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { once } from '#shared/async/once.ts'
import { refusal } from '#shared/errors.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { shapeOf } from './field-shape.ts'
import { marksOf, requireValues } from './field-values.ts'
import { invalidJson } from './json-body.ts'

/**
 * Returns a reader that returns the object as its declared type. The schema is compiled when the first body arrives, to keep the start
 * fast. The reader throws `malformed` for the first field whose JSON type is wrong. If all types are right, the reader throws the refusal
 * of the first field whose value is wrong.
 */
export function fieldReader<T extends TObject>(schema: T): (body: Record<string, unknown>) => Static<T> {
  const validatorOf = once(() => Compile(shapeOf(schema as Record<string, unknown>)))
  const members = Object.entries(schema.properties).map(([name, member]) => ({ name, ...marksOf(member) }))
  const typed = members.filter(({ name, anyType }) => !anyType && !Type.IsUnknown(schema.properties[name]))
  const unsettable = members.filter(({ emptyIsUnset }) => emptyIsUnset)
  return body => {
    const validator = validatorOf()
    if (!validator.Check(body)) {
      const [, errors] = validator.Errors(body)
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

const wrongType = (place: string) => refusal('malformed', 'Invalid JSON', `Field '${place}' has the wrong type`, place)

const noError = { instancePath: '' }
/** Maximum length of a path in a refusal, characters. Keys in the path come from the client and may be long. */
const shownCharacters = 200

/** Converts a JSON pointer into a readable path, such as `document.inputs[2].match`. */
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

/** Throws for a lone surrogate. A lone surrogate has no UTF-8 form, so the stored text would differ from the sent text. */
function requireWellFormed(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed()) throw invalidJson('A text holds an unpaired surrogate')
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) requireWellFormed(part)
}
