// Type of a route of generations 1 and 2, and parts that their records share.
import { type TObject, Type } from 'typebox'
import type { SentJson } from '../body/json-body.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Needs, QueryParameter, Route } from '../http/route.ts'

/** Arguments of finders and handlers in generations 1 and 2. */
export interface ClassicCall extends Call {
  /** Reads the body once. Rejects with the fault of the body. */
  json(): Promise<SentJson>
}

/** Code and message of a refusal, such as `2002 Rule not found`. */
export type ClassicRefusal = `${number} ${string}`

/**
 * Creates a route record. TypeScript infers the types of its parts from each other. The role is checked in the workspace of the found
 * object.
 */
export const route = <Found extends { workspaceId: string }, Body extends TObject>(
  record: Route<Found, Body, GatewayContext, ClassicCall, ClassicRefusal>,
): Route => record

/** Scoped keys exist only in generation 3. */
export const anybody: Needs = { role: 'anybody', scope: 'full' }
export const member: Needs = { role: 'viewer', scope: 'full' }
export const editor: Needs = { role: 'editor', scope: 'full' }

/** Query of a list that is read in one workspace. */
export const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: { required: true, schema: Type.String({ minLength: 1 }), meaning: 'The workspace.' },
}
