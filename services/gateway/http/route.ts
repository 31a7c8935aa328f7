// One route as one record, from which the route is registered, documented and tested. Every generation and the session API share this type.
// Each family has a `register.ts` that runs its checks in order.
import type { Static, TObject, TSchema } from 'typebox'
import type { KeyAction } from '#shared/contracts/account.ts'
import type { Call } from './answer.ts'

/** Least rights that a caller needs. */
export interface Needs {
  /**
   * `nobody`: neither key nor session. `anybody`: a key or a session. `admin`: an administrator. The other values: at least this role in
   * the workspace.
   */
  role: 'nobody' | 'anybody' | 'viewer' | 'editor' | 'owner' | 'admin'
  /** Action that a scoped key must hold. `full`: no scoped key is accepted. Null: reading, which every key may do. */
  scope: KeyAction | 'full' | null
  /** Whether every member may call the route if `:userId` in the path is their own id. */
  orOneself?: true
}

/** A query parameter. In generation 3, a name that ends in `.` stands for all parameters with this prefix. */
export interface QueryParameter {
  /** Whether the parameter is required; absent: false. */
  required?: boolean
  schema: TSchema
  meaning: string
}

/** Arguments of a handler, after all checks of the record have passed. Each family adds arguments of its own. */
export interface Checked<Found, Body> {
  found: Found
  body: Body
  /** Parameters that were sent, parsed by the rules of the dialect. */
  query: Readonly<Record<string, string | number | boolean>>
}

/**
 * Memory of objects that paths named earlier, to save calls of `find`. A remembered object may be outdated: if a request with it is
 * refused, the request is checked again with the object from `find`. Every refusal therefore follows the order of checks.
 */
export interface FoundMemory<Found, Caller> {
  /** Returns the remembered object. Null: none is remembered, or the path may mean several objects. */
  known(call: Caller): Found | null
  remember(found: Found): void
  forget(found: Found): void
}

// biome-ignore-start lint/suspicious/noExplicitAny: a table of routes holds records of every kind of object, body and family
export interface Route<
  Found = any,
  Body extends TObject = any,
  Context = any,
  Caller extends Call = any,
  Word extends string = string,
> {
  // biome-ignore-end lint/suspicious/noExplicitAny: see above
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the prefix of its generation. */
  path: string
  /** One line: what a call does. */
  summary: string
  /** Additional sentences for the documentation of the API. */
  more?: string
  needs: Needs
  /** Returns the object that the path names; throws `not_found`. Runs before the checks of scope and role. */
  find?(context: Context, call: Caller): Promise<Found>
  /** Creates the memory of found objects, once for each gateway. */
  memory?(): FoundMemory<Found, Caller>
  query?: Readonly<Record<string, QueryParameter>>
  /** Schema of the body; absent: the route accepts no body. */
  body?: Body
  /** Reader of the body; absent: the dialect's own reader. Null: the body is documented but not read. */
  reader?: ((sent: Record<string, unknown>) => Static<Body>) | null
  /** Largest body, bytes; absent: the dialect's own bound. */
  bodyBytes?: number
  /** Time limit until the response, ms; absent: the dialect's own limit. Null: the handler limits its work itself. */
  budgetMs?: number | null
  /** HTTP status of success; absent: 200. */
  status?: 200 | 201 | 202 | 204 | 303
  /** Schema of the result; absent: a response without a body. With status 303 the handler returns the redirect's address. */
  result?: TSchema
  /** Refusals of this route only, in the words of its dialect. Refusals that all routes of the dialect share are added. */
  refusals: readonly Word[]
  /** Whether the audit records accepted reads; absent: no. Requests other than GET are always recorded (v3 11.3). */
  isAudited?: boolean
  /**
   * Whether the route changes nothing, although it has a body. With a session, such a request counts as a read, and the audit records no
   * reads with a session.
   */
  isDry?: boolean
  /** Whether the route accepts Observations. Audit rows of these requests are kept for a shorter time (v3 11.4). */
  takesObservations?: boolean
  /** One example for each useful body. Every example succeeds if it is sent unchanged. */
  examples?: readonly unknown[]
  handler(context: Context, call: Caller & Checked<Found, Static<Body>>): Promise<unknown>
}

/** A record without method and path, which are separate arguments. Without `refusals`, a route has only the shared refusals. */
export type StatedRoute<Full extends Pick<Route, 'method' | 'path' | 'refusals'>> = Omit<Full, 'method' | 'path' | 'refusals'> &
  Partial<Pick<Full, 'refusals'>>

/** One page of a list. The dialect writes the cursor where its clients expect it. */
export class Paged {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null

  constructor(items: readonly unknown[], nextCursor: string | null) {
    this.items = items
    this.nextCursor = nextCursor
  }
}
