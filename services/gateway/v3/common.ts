// Shapes that several routes of generation 3 share.
import { type TSchema, Type } from 'typebox'

export const Named = Type.Object({ id: Type.String(), name: Type.String() })
export const OrNull = (schema: TSchema) => Type.Union([schema, Type.Null()])

/** A name is trimmed before it is measured, and is one line (rule 1.12). */
export const NameText = (maxLength: number) => Type.String({ minLength: 1, maxLength, trimmed: true, plain: 'line' })
