// Type of a route of generation 3, and shapes that several of its routes share.
import { type TObject, Type } from 'typebox'
import { AppError, refusal } from '#shared/errors.ts'
import { Answered } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Route, StatedRoute } from '../http/route.ts'

/** Arguments of finders and handlers in generation 3. */
export interface V3Call extends Call {
  /** Id of the workspace in the path; empty for a route without a workspace. */
  workspaceId: string
}

/** A refusal: its status, then the fields that `details.field` may name, such as `422 name`. */
export type V3Refusal = `${number}` | `${number} ${string}`

/** The record of a read says whether the audit records it. Requests of other methods are always recorded. */
type Audited<Method> = Method extends 'GET' ? { isAudited: boolean } : { isAudited?: never }

/** Creates a route record. TypeScript infers the types of its parts from each other. */
export const route = <Method extends Route['method'], Found, Body extends TObject>(
  method: Method,
  path: string,
  record: Omit<StatedRoute<Route<Found, Body, GatewayContext, V3Call, V3Refusal>>, 'isAudited'> & Audited<Method>,
): Route => ({ refusals: [], ...record, method, path })

export const Named = Answered('Named', { id: Type.String(), name: Type.String() })

/** Refusal of a field's value. `field` is the name that `details.field` shows. */
export const invalid = (field: string, sentence: string): AppError => new AppError('validation', sentence, { facts: { field } })

/**
 * Returns a handler of errors. In this generation, the refusal of a full workspace or installation is a fault of the request's field
 * `field`.
 */
export const tooManyAt =
  (field: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'invalid_state') throw error
    throw refusal('validation', error.message, error.details, field)
  }

/** Schema of a reference to a Template. */
export const TemplateReference = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A key, which means its highest version, or key@version.',
})

/** Schema of answers. Only the Template's reader checks the members of this object (1.4). */
export const Meta = Type.Object({}, { additionalProperties: true, description: 'Answers to the fields of the Template.' })

/** Schema of a name: one line, trimmed before its length is checked (rule 1.12). */
export const NameText = (maxLength: number) => Type.String({ minLength: 1, maxLength, trimmed: true, plain: 'line' })
