// One route as one record: it is registered from it, described from it, and tested from it. Every generation and the session API share the
// type; each family has a `register.ts` that makes its checks in its order.
import type { Static, TObject, TSchema } from 'typebox'
import type { KeyAction } from '#shared/contracts/account.ts'
import type { Call } from './answer.ts'

/** The least that a caller needs. */
export interface Needs {
  /** `nobody`: no key and no session. `anybody`: either. `admin`: an administrator. The others: that role in the workspace. */
  role: 'nobody' | 'anybody' | 'viewer' | 'editor' | 'owner' | 'admin'
  /** Of a scoped key: the action that it must hold; `full`: it never may; null: reading, which every key may. */
  scope: KeyAction | 'full' | null
  /** Every member may, if the path's `:userId` is their own. */
  orOneself?: true
}

/** A query parameter; in generation 3 a name that ends in `.` stands for all that begin so. */
export interface QueryParameter {
  /** Absent: false. */
  required?: boolean
  schema: TSchema
  meaning: string
}

/** The arguments of a handler, after every check that its record names has passed. Its family adds its own to them. */
export interface Checked<Found, Body> {
  found: Found
  body: Body
  /** Sent parameters alone, read as the dialect reads them. */
  query: Readonly<Record<string, string | number | boolean>>
}

/**
 * The objects that paths named before, which saves `find`. Only a hint: a request that is refused with a remembered object is judged anew with the one that
 * `find` returns, so that every refusal is the one that the order of checks gives.
 */
export interface FoundMemory<Found, Caller> {
  /** Null: not remembered, or the path may mean several objects. */
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
  /** Below the prefix of its generation. */
  path: string
  /** One line: what a call does. */
  summary: string
  /** Further sentences for callers. */
  more?: string
  needs: Needs
  /** The object that the path names; throws `not_found`. Comes before scope and role. */
  find?(context: Context, call: Caller): Promise<Found>
  /** Made once for each gateway. */
  memory?(): FoundMemory<Found, Caller>
  query?: Readonly<Record<string, QueryParameter>>
  /** Absent: the route takes no body. */
  body?: Body
  /** Absent: the dialect's own reader. Null: the body is described and not read. */
  reader?: ((sent: Record<string, unknown>) => Static<Body>) | null
  /** Bytes of a body at most; absent: the dialect's own bound. */
  bodyBytes?: number
  /** Time until a response, ms; absent: the dialect's own. Null: its handler bounds its work itself. */
  budgetMs?: number | null
  /** HTTP status of success; absent: 200. */
  status?: 200 | 201 | 202 | 204 | 303
  /** Absent: a response without a body; with status 303 the handler returns where it leads. */
  result?: TSchema
  /** Refusals of this route alone, in the words of its dialect; those that every route of the dialect has are added. */
  refusals: readonly Word[]
  /** Whether a request that was let in is kept in the audit; absent: no. Everything but GET is kept in any case (v3 11.3). */
  isAudited?: boolean
  /** Takes Observations: their rows of the audit leave earlier (v3 11.4). */
  takesObservations?: boolean
  /** An example for each body that is worth showing; sent as they are, they succeed. */
  examples?: readonly unknown[]
  handler(context: Context, call: Caller & Checked<Found, Static<Body>>): Promise<unknown>
}

/** A page of a list: the dialect puts its cursor where its clients look for it. */
export class Paged {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null

  constructor(items: readonly unknown[], nextCursor: string | null) {
    this.items = items
    this.nextCursor = nextCursor
  }
}
