// Shapes that results of several families share. Tests hold real answers to them.
import { type TProperties, type TSchema, Type } from 'typebox'

/** An answered object: exactly these fields. The name is the component's in the documents, `examples` are objects that they show. */
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
