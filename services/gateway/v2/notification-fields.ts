// Fields of the notification routes. An optional field that is sent as null or as empty text counts as absent, because some clients send
// unset fields in this form. Ids are whole numbers.

import { type TProperties, type TSchema, Type } from 'typebox'
import { channelsOf, channelTypes } from '#shared/channels/registry.ts'
import { Strict } from '#shared/contracts/common.ts'
import { Maybe, marks } from '../body/field-values.ts'

export const WorkspaceId = Maybe(Type.String({ description: 'The workspace, where the query does not name it.' }))

/** Schema of a field that may also be absent, null or empty text. */
export const Unset = <T extends TSchema>(schema: T, more: Record<string, unknown> = {}) =>
  Maybe(Type.Union([schema, Type.Literal('')], { ...marks({ emptyIsUnset: true }), ...more }))

export const destinationTypes = channelTypes(channelsOf(2))
export const DestinationType = Type.Enum(destinationTypes)

export const AlertKind = Type.Enum(['problem', 'no_data', 'recovery'])

/** Returns the schema of a result that contains no object, only a sentence and the id of the object that the sentence concerns. */
export const messageAbout = (idField: string, more: TProperties = {}) =>
  Strict({ message: Type.String(), [idField]: Type.Integer(), workspace_id: Type.String(), ...more })

/** Returns the value of an optional field; null: the field is unset. */
export const unlessUnset = <T extends number | boolean>(value: T | '' | null | undefined): T | null =>
  value === undefined || value === '' ? null : value

/** Returns the integer id in a path; null: the text cannot be an id. */
export const publicNumber = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)
