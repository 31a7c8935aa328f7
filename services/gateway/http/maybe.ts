// A field of a body that may be absent or null. Pure: a browser loads it too.
import { type TSchema, Type } from 'typebox'

export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
