// One route as one record: it is registered from it, described from it, and tested from it.
import type { TObject, TSchema } from 'typebox'
import type { KeyAction } from '#shared/contracts/account.ts'
import type { Call } from './answer.ts'
import type { GatewayContext } from './context.ts'

/** The least that a caller needs. `nobody`: not even a key. `anybody`: a key. The others: that role in the workspace of the path. */
export interface Needs {
  role: 'nobody' | 'anybody' | 'viewer' | 'editor' | 'owner'
  /** Of a scoped key: the action that it must hold; `full`: it never may; null: reading, which every key may. */
  scope: KeyAction | 'full' | null
}

/** A query parameter; a name that ends in `.` stands for all that begin so. */
export interface QueryParameter {
  schema: TSchema
  meaning: string
}

/** What a handler is called with, after every check that its record names was passed. */
export interface RouteCall<Found, Body> extends Call {
  /** The workspace of the path; empty for a route without one. */
  workspaceId: string
  found: Found
  body: Body
  /** Sent parameters alone, read as their schema says. */
  query: Readonly<Record<string, string | number | boolean>>
}

// biome-ignore lint/suspicious/noExplicitAny: a table of routes holds records of every kind of object and body
export interface Route<Found = any, Body = any> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the dialect's prefix; `:workspace` is the workspace. */
  path: string
  summary: string
  needs: Needs
  /** The object that the path names; throws `not_found`. Comes before scope and role. */
  find?(context: GatewayContext, call: Call & { workspaceId: string }): Promise<Found>
  query?: Readonly<Record<string, QueryParameter>>
  /** Absent: the route takes no body, or `{}`. */
  body?: TObject
  /** Bytes of a body at most; absent: the dialect's own bound. */
  bodyBytes?: number
  /** HTTP status of success; absent: 200. */
  status?: 200 | 201 | 202
  result: TSchema
  /** Codes and fields of refusals beyond those that every route has, for the document. */
  refusals: readonly string[]
  /** Whether a request that was let in is kept in the audit. Everything but GET is (v3 11.3). */
  isAudited: boolean
  /** Takes Observations: their rows of the audit leave earlier (v3 11.4). */
  takesObservations?: boolean
  /** An example for each body that is worth showing; sent as they are, they succeed. */
  examples?: readonly unknown[]
  handler(context: GatewayContext, call: RouteCall<Found, Body>): Promise<unknown>
}

/** Infers the types of a record's parts from each other. */
export const route = <Found, Body>(record: Route<Found, Body>): Route<Found, Body> => record

/** A page of a list: the dialect puts its cursor where its clients look for it. */
export class Paged {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null

  constructor(items: readonly unknown[], nextCursor: string | null) {
    this.items = items
    this.nextCursor = nextCursor
  }
}
