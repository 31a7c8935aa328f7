// Type of a route of generations 1 and 2, and parts that their records share.
import { type TObject, Type } from 'typebox'
import type { SentJson } from '../body/json-body.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Needs, QueryParameter, Route, StatedRoute } from '../http/route.ts'

/** Arguments of finders and handlers in generations 1 and 2. */
export interface ClassicCall extends Call {
  /** Reads the body once. Rejects with the fault of the body. */
  json(): Promise<SentJson>
}

/** Code and message of a refusal, such as `2002 Rule not found`. */
export type ClassicRefusal = `${number} ${string}`

type Classic<Found, Body extends TObject> = StatedRoute<Route<Found, Body, GatewayContext, ClassicCall, ClassicRefusal>>

/**
 * Creates a route record. TypeScript infers the types of its parts from each other. The role is checked in the workspace of the found
 * object.
 */
export const route = <Found extends { workspaceId: string }, Body extends TObject>(
  method: Route['method'],
  path: string,
  record: Classic<Found, Body>,
): Route => ({ refusals: [], ...record, method, path })

/** Members that the records of several routes share. The shared refusals follow the refusals of each record. */
interface Shared<Found> extends Pick<Route, 'query'> {
  find(context: GatewayContext, call: ClassicCall): Promise<Found>
  refusals: readonly ClassicRefusal[]
}

/** Returns a function like `route` whose records have the shared members too. */
export const routesWith =
  <Found extends { workspaceId: string }>(needs: Needs, { refusals: last, ...shared }: Shared<Found>) =>
  <Body extends TObject>(method: Route['method'], path: string, record: Omit<Classic<Found, Body>, 'needs' | 'find'>): Route =>
    route<Found, Body>(method, path, { ...shared, needs, ...record, refusals: [...(record.refusals ?? []), ...last] })

/** Scoped keys exist only in generation 3. */
export const anybody: Needs = { role: 'anybody', scope: 'full' }
export const member: Needs = { role: 'viewer', scope: 'full' }
export const editor: Needs = { role: 'editor', scope: 'full' }

/** Query of a list that is read in one workspace. */
export const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: { required: true, schema: Type.String({ minLength: 1 }), meaning: 'The workspace.' },
}
