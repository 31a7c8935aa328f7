// Schemas of bodies. Pure: a browser loads them too.
import { type TProperties, type TSchema, Type } from 'typebox'

/** Schema of a field that may be absent or null. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Schema of an object without other fields than these. */
export const Closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })
