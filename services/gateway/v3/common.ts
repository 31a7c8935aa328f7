// Type of a route of generation 3, and shapes that several of its routes share.
import { type TObject, Type } from 'typebox'
import type { Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { Answered } from '../result-schema.ts'
import type { Route } from '../route.ts'

/** The arguments of finders and handlers of generation 3. */
export interface V3Call extends Call {
  /** The workspace of the path; empty for a route without one. */
  workspaceId: string
}

/** A refusal by status, then the fields that `details.field` may name: `422 name`. */
export type V3Refusal = `${number}` | `${number} ${string}`

/** Infers the types of a record's parts from each other. */
export const route = <Found, Body extends TObject>(
  record: Route<Found, Body, GatewayContext, V3Call, V3Refusal> & { isAudited: boolean },
): Route => record

export const Named = Answered('Named', { id: Type.String(), name: Type.String() })

/** A name is trimmed before it is measured, and is one line (rule 1.12). */
export const NameText = (maxLength: number) => Type.String({ minLength: 1, maxLength, trimmed: true, plain: 'line' })
