// Type of a route record of generation 3, and schemas that several of these routes share.
import { type TObject, Type } from 'typebox'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { Answered } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Route, StatedRoute } from '../http/route.ts'

export interface V3Call extends Call {
  /** Id of the workspace in the path; empty for a route without a workspace. */
  workspaceId: string
}

/** A refusal: its HTTP status, and the field that `details.field` may name, such as `422 name`. */
export type V3Refusal = `${number}` | `${number} ${string}`

/** The record of a GET route must say whether the audit records its requests. Requests of other methods are always recorded. */
type Audited<Method> = Method extends 'GET' ? { isAudited: boolean } : { isAudited?: never }

/** Creates a route record. TypeScript infers `Found` and `Body` from the members of the record. */
export const route = <Method extends Route['method'], Found, Body extends TObject>(
  method: Method,
  path: string,
  record: Omit<StatedRoute<Route<Found, Body, GatewayContext, V3Call, V3Refusal>>, 'isAudited'> & Audited<Method>,
): Route => ({ refusals: [], ...record, method, path })

/** A sent text within the wide bounds of the bus. The directory checks tighter bounds, and its errors explain the fault to people. */
export const SentText = Type.String({ minLength: 1, maxLength: limits.sessionApi.textCharacters })

/** Like `SentText`, of a member that may be absent or empty. */
export const MaybeText = Type.Optional(Type.String({ maxLength: limits.sessionApi.textCharacters }))

/** Rights of routes for administrators of the installation. */
export const administering = { role: 'admin', scope: 'full' } as const

/** Result of a deletion. */
export const Deleted = Answered('Deleted', { id: Type.String(), deleted: Type.Literal(true) })

export const Named = Answered('Named', { id: Type.String(), name: Type.String() })

export const noSuch = (noun: string): AppError =>
  refusal('not_found', `${noun} not found`, `There is no such ${noun.toLowerCase()}, or it is not yours to see`)

/** Refusal of a field's value. `field` is the name that `details.field` shows. */
export const invalid = (field: string, sentence: string): AppError => new AppError('validation', sentence, { facts: { field } })

/**
 * Returns a function for `catch`. If the error says that the workspace or the installation is full, the function throws `validation` with
 * `field`.
 */
export const tooManyAt =
  (field: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'invalid_state') throw error
    throw refusal('validation', error.message, error.details, field)
  }

export const TemplateReference = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A key, which means its highest version, or key@version.',
})

/**
 * Schema of the answers to a Template's fields. The members of this object depend on the Template, so the reader of answers checks them (v3
 * 1.4).
 */
export const Meta = Type.Object({}, { additionalProperties: true, description: 'Answers to the fields of the Template.' })

/** Schema of a name: one line, trimmed before its length is checked (v3 1.12). */
export const NameText = (maxLength: number) => Type.String({ minLength: 1, maxLength, trimmed: true, plain: 'line' })

/** Query parameter of a list of types: without the fields of each, for who only names them. */
export const shortQuery = {
  form: { schema: Type.Enum(['whole', 'short']), meaning: '`short` leaves out the fields of each. `whole` unless sent.' },
}

export const isShort = (query: Readonly<Record<string, unknown>>): boolean => query['form'] === 'short'
