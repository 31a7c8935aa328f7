// Type of a route of generations 1 and 2, and parts that their records share.
import { type TObject, Type } from 'typebox'
import type { Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import type { SentJson } from '../json-body.ts'
import type { Needs, QueryParameter, Route } from '../route.ts'

/** The arguments of finders and handlers of generations 1 and 2. */
export interface ClassicCall extends Call {
  /** The body, read once; rejects with what is wrong with it. */
  json(): Promise<SentJson>
}

/** The code and the message of a refusal, as in `2002 Rule not found`. */
export type ClassicRefusal = `${number} ${string}`

/** Infers the types of a record's parts from each other. A role is looked at in the workspace of what was found. */
export const route = <Found extends { workspaceId: string }, Body extends TObject>(
  record: Route<Found, Body, GatewayContext, ClassicCall, ClassicRefusal>,
): Route => record

/** Scoped keys are of generation 3 alone. */
export const anybody: Needs = { role: 'anybody', scope: 'full' }
export const member: Needs = { role: 'viewer', scope: 'full' }
export const editor: Needs = { role: 'editor', scope: 'full' }

/** A list that is read in one workspace names it. */
export const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: { required: true, schema: Type.String({ minLength: 1 }), meaning: 'The workspace.' },
}
