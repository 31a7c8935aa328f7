// Type of a route of generations 1 and 2, and parts that their records share.
import { type TObject, Type } from 'typebox'
import type { SentJson } from '../body/json-body.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Needs, QueryParameter, Route, StatedRoute } from '../http/route.ts'

export interface ClassicCall extends Call {
  /** Reads the body once. Rejects with the fault of the body. */
  json(): Promise<SentJson>
}

/** Code and message of a refusal, such as `2002 Rule not found`. */
export type ClassicRefusal = `${number} ${string}`

type Classic<Found, Body extends TObject> = StatedRoute<Route<Found, Body, GatewayContext, ClassicCall, ClassicRefusal>>

/**
 * Creates a route record. TypeScript infers `Found` and `Body` from the members of the record. The caller's role is checked in the
 * workspace of the object that `find` returns.
 */
export const route = <Found extends { workspaceId: string }, Body extends TObject>(
  method: Route['method'],
  path: string,
  record: Classic<Found, Body>,
): Route => ({ refusals: [], ...record, method, path })

/** Properties that the records of several routes have in common. In a record, the shared refusals stand after the record's own refusals. */
interface Shared<Found> extends Pick<Route, 'query'> {
  find(context: GatewayContext, call: ClassicCall): Promise<Found>
  refusals: readonly ClassicRefusal[]
}

/** Returns a function that creates route records as `route` does, and adds the shared members to each record. */
export const routesWith =
  <Found extends { workspaceId: string }>(needs: Needs, { refusals: last, ...shared }: Shared<Found>) =>
  <Body extends TObject>(method: Route['method'], path: string, record: Omit<Classic<Found, Body>, 'needs' | 'find'>): Route =>
    route<Found, Body>(method, path, { ...shared, needs, ...record, refusals: [...(record.refusals ?? []), ...last] })

/** Rights of a route for every caller. The scope is `full`, because generations 1 and 2 accept no scoped key. */
export const anybody: Needs = { role: 'anybody', scope: 'full' }
export const member: Needs = { role: 'viewer', scope: 'full' }
export const editor: Needs = { role: 'editor', scope: 'full' }

export const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: { required: true, schema: Type.String({ minLength: 1 }), meaning: 'The workspace.' },
}
