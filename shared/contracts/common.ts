// Schemas and types that several contracts share.
import { type TObject, type TProperties, type TString, Type } from 'typebox'

export const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' })
export const idPattern = '^[0-9A-Za-z_.-]{1,64}$'
export const Id = Type.String({ pattern: idPattern })
export const LocationId = Type.String({ pattern: '^[0-9A-Za-z]{4}$' })
/** Slug of a subject, a signal or a rule, as people write it in addresses and policies. */
export const Slug = Type.String({ minLength: 1, maxLength: 400 })
/** Key of a signal as a request names it: a signal of a check has its location after `@`. */
export const SignalName = Type.String({ minLength: 1, maxLength: 200 })
/** Hex SHA-256 of a token; the token itself is never sent over the bus. */
export const TokenHash = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

/** Adds the type of a request's result to the request's schema. At run time the schema is unchanged. */
const returning = <R, S>(schema: S) => schema as S & { readonly '~result': R }

/**
 * Returns the schema of a command to a keeper. `id` is created once per request; a command with the same id gets the first response again.
 */
export const command =
  <R>() =>
  <K extends string, P extends TProperties>(kind: K, properties: P) => {
    const schema = Type.Object({ kind: Type.Literal(kind), id: Id, ...properties })
    return returning<R, typeof schema>(schema)
  }

/** Schema of a request to the directory. */
export const ask =
  <R>() =>
  <P extends TProperties>(properties: P) =>
    returning<R, TObject<P>>(Type.Object(properties))

/** Returns the schema of an object that has no other members than `properties`. */
export const Strict = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })
/** A `Strict` object that is also a named component of the session API's document. */
export const Component = <P extends TProperties>($id: string, properties: P) =>
  Type.Object(properties, { $id, additionalProperties: false })
/** Schema of an instant, RFC 3339. */
export interface TInstant extends TString {
  format: 'date-time'
}
/** Instant in responses and messages, RFC 3339. */
export const AnsweredInstant = Type.String({
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z$',
  description: 'RFC 3339, UTC; the same instant always has the same text.',
}) as TInstant
/** Instant in bodies of the session API. */
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-01-05T12:02:00.000Z'] }) as TInstant

/** An event as a machine received it, stored so that the machine's transitions can be replayed. `at`: ms since the epoch. */
export interface RecordedEvent {
  type: string
  at: number
  [field: string]: unknown
}

/** Fields of every stored document. A write that replaces the document succeeds only if `rev` is still the stored revision. */
export interface Stored {
  id: string
  rev: number
}
