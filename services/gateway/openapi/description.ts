// What the API's documents say of a route: one record a route, in one file a noun. Bodies are the schemas that the routes read by;
// results are held to real answers by tests. Nothing here is used to answer a request.
import { type TSchema, Type } from 'typebox'
import type { QueryParameter } from '../route.ts'

export { Answered, Instant, Kind, OrNull } from '../result-schema.ts'
export type { QueryParameter } from '../route.ts'

/** The code and the message of a refusal, as in `2002 Rule not found`. */
export type Refusal = `${number} ${string}`

export interface RouteDescription {
  /** One line: what a call does. */
  summary: string
  /** What else a caller has to know. */
  more?: string
  query?: Record<string, QueryParameter>
  /** Absent: the route takes no body. */
  body?: TSchema
  result: TSchema
  /** Those of this route alone; those of every route, and of every route with a body, are added. */
  refusals: readonly Refusal[]
}

/** By method and path below `/api`, parameters in braces: `GET /v2/workspaces`. */
export type Descriptions = Record<`${'GET' | 'POST' | 'DELETE'} /${string}`, RouteDescription>

/** A list that is read or created in one workspace names it. */
export const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: { required: true, schema: Type.String({ minLength: 1 }), meaning: 'The workspace.' },
}
