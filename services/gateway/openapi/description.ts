// What the API's documents say of a route: one record a route, in one file a noun. Bodies are the schemas that the routes read by;
// results are held to real answers by tests. Nothing here is used to answer a request.
import { type TProperties, type TSchema, Type } from 'typebox'

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

export interface QueryParameter {
  required: boolean
  schema: TSchema
  meaning: string
}

/** By method and path below `/api`, parameters in braces: `GET /v2/workspaces`. */
export type Descriptions = Record<`${'GET' | 'POST' | 'DELETE'} /${string}`, RouteDescription>

/** An answered object: exactly these fields. The name is the component's in the documents. */
export const Answered = <P extends TProperties>(name: string, properties: P) =>
  Type.Object(properties, { $id: name, additionalProperties: false })

/** The `kind` that names an object's type. */
export const Kind = (word: string) => Type.Literal(word)

export const Instant = Type.String({
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z$',
  description: 'RFC 3339, UTC; the same instant always has the same text.',
})

export const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A list that is read or created in one workspace names it. */
export const workspaceQuery: Record<string, QueryParameter> = {
  workspace_id: { required: true, schema: Type.String({ minLength: 1 }), meaning: 'The workspace.' },
}
