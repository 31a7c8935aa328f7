// Type of a route of generation 3, and shapes that several of its routes share.
import { type TObject, Type } from 'typebox'
import { Answered } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Route } from '../http/route.ts'

/** Arguments of finders and handlers in generation 3. */
export interface V3Call extends Call {
  /** Id of the workspace in the path; empty for a route without a workspace. */
  workspaceId: string
}

/** A refusal: its status, then the fields that `details.field` may name, such as `422 name`. */
export type V3Refusal = `${number}` | `${number} ${string}`

/** Creates a route record. TypeScript infers the types of its parts from each other. */
export const route = <Found, Body extends TObject>(
  record: Route<Found, Body, GatewayContext, V3Call, V3Refusal> & { isAudited: boolean },
): Route => record

export const Named = Answered('Named', { id: Type.String(), name: Type.String() })

/** Schema of a name: one line, trimmed before its length is checked (rule 1.12). */
export const NameText = (maxLength: number) => Type.String({ minLength: 1, maxLength, trimmed: true, plain: 'line' })
