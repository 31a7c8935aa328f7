// Shapes of results that several families share. Tests compare real responses with these shapes.
import { type TProperties, type TSchema, Type } from 'typebox'

/** Schema of a returned object with exactly these fields. `name` is its component in the documents; `examples` are objects shown there. */
export const Answered = <P extends TProperties>(name: string, properties: P, options: { examples?: unknown[] } = {}) =>
  Type.Object(properties, { $id: name, additionalProperties: false, ...options })

/** The `kind` that names an object's type. */
export const Kind = (word: string) => Type.Literal(word)

export const Instant = Type.String({
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z$',
  description: 'RFC 3339, UTC; the same instant always has the same text.',
})

export const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
