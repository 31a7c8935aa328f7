// Fields as the notification routes read them: an optional one sent as null or as the empty text is absent (some clients send their
// unset fields so), and ids are whole numbers.
import { type TProperties, type TSchema, Type } from 'typebox'
import { Maybe } from '../fields.ts'
import { invalidJson } from '../json-body.ts'

export const WorkspaceId = Maybe(Type.String({ description: 'The workspace, where the query does not name it.' }))

/** A field of any type that may also be absent, null or the empty text. */
export const Unset = <T extends TSchema>(schema: T) => Maybe(Type.Union([schema, Type.Literal('')]))

export const DestinationType = Type.Enum(['slack', 'webhook'])

export const AlertKind = Type.Enum(['problem', 'no_data', 'recovery'])

/** The answer where no object is left or made to show: a sentence, and the id of what it is about. */
export const messageAbout = (idField: string, more: TProperties = {}) =>
  Type.Object(
    { message: Type.String(), [idField]: Type.Integer(), workspace_id: Type.String(), ...more },
    { additionalProperties: false },
  )

/** The value of a field that is no text; null where it is unset. */
export function unlessUnset<T extends number | boolean>(value: T | string | null | undefined, path: string): T | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'string') throw invalidJson(`Field '${path}' has the wrong type`)
  return value
}

/** The integer id that a path names; null for what cannot be one. */
export const publicNumber = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)
