// Fields as the notification routes read them: an optional one sent as null or as the empty text is absent (some clients send their
// unset fields so), and ids are whole numbers.
import { type TProperties, type TSchema, Type } from 'typebox'
import { marks } from '../field-values.ts'
import { Maybe } from '../fields.ts'

export const WorkspaceId = Maybe(Type.String({ description: 'The workspace, where the query does not name it.' }))

/** A field of any type that may also be absent, null or the empty text. */
export const Unset = <T extends TSchema>(schema: T, more: Record<string, unknown> = {}) =>
  Maybe(Type.Union([schema, Type.Literal('')], { ...marks({ emptyIsUnset: true }), ...more }))

export const DestinationType = Type.Enum(['slack', 'webhook'])

export const AlertKind = Type.Enum(['problem', 'no_data', 'recovery'])

/** The answer where no object is left or made to show: a sentence, and the id of what it is about. */
export const messageAbout = (idField: string, more: TProperties = {}) =>
  Type.Object(
    { message: Type.String(), [idField]: Type.Integer(), workspace_id: Type.String(), ...more },
    { additionalProperties: false },
  )

/** The value of a field that may be unset; null: it is. */
export const unlessUnset = <T extends number | boolean>(value: T | '' | null | undefined): T | null =>
  value === undefined || value === '' ? null : value

/** The integer id that a path names; null for what cannot be one. */
export const publicNumber = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)
