// One route as one record, from which the route is registered, documented and tested. Every generation and the session API share this type.
// Each family of routes has a `register.ts`, which runs the family's checks in order.
import type { Static, TObject, TSchema } from 'typebox'
import type { KeyAction } from '#shared/contracts/account.ts'
import type { AuditMade } from '#shared/contracts/ask/ask-audit.ts'
import type { Call } from './answer.ts'

/** Least rights that a caller needs. */
export interface Needs {
  /**
   * `nobody`: neither key nor session. `anybody`: a key or a session. `admin`: an administrator. Every other value: a member of the
   * workspace with at least this role.
   */
  role: 'nobody' | 'anybody' | 'viewer' | 'editor' | 'owner' | 'admin'
  /** Action that the scope of a key must allow. `full`: only full keys are accepted. Null: the route only reads, which every key may do. */
  scope: KeyAction | 'full' | null
  /** Whether every member may call the route with their own id as `:user`. */
  orOneself?: true
  /** Sentence that callers are told who are no administrators of the installation, where the route also needs one. Absent: it does not. */
  alsoAdmin?: string
}

/** A query parameter. In generation 3, a name that ends in `.` stands for all parameters with this prefix, of which `most` are accepted. */
export interface QueryParameter {
  /** Whether the parameter is required; absent: false. */
  required?: boolean
  /** Largest number of parameters with the prefix; absent: the name is a whole name. */
  most?: number
  schema: TSchema
  meaning: string
}

/** Arguments of a handler, which is called after all checks of the record have passed. Every family of routes adds further arguments. */
export interface Checked<Found, Body> {
  found: Found
  body: Body
  /** Query parameters of the request, parsed by the rules of the dialect. */
  query: Readonly<Record<string, string | number | boolean>>
}

/**
 * Cache of objects that paths of earlier requests named, to save calls of `find`. A cached object may be outdated. If a request is refused
 * with a cached object, all checks run again with the object from `find`. So an outdated object never causes a refusal.
 */
export interface FoundMemory<Found, Caller> {
  /** Returns the cached object. Null: no object is cached, or the path may mean several objects. */
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
  /** One line that says what the route does. */
  summary: string
  /** Additional sentences for the documentation of the API. */
  more?: string
  needs: Needs
  /** Returns the object that the path names; throws `not_found`. Runs before the checks of scope and role. */
  find?(context: Context, call: Caller): Promise<Found>
  /** Creates the cache of found objects. Called once for each gateway. */
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
  /**
   * Schema of the result; absent: the response has no body. With status 303 the handler returns the address to which the client is
   * redirected.
   */
  result?: TSchema
  /** Schemas of the members of `meta` that a list has beside `next_cursor`; absent: none. */
  meta?: Readonly<Record<string, TSchema>>
  /** Whether the route may respond with a stream of server-sent events in place of its result; absent: no. */
  streams?: true
  /** Refusals of this route only, in the words of its dialect. The documents add the refusals that all routes of the dialect share. */
  refusals: readonly Word[]
  /** Whether the audit records accepted reads; absent: no. Requests other than GET are always recorded (v3 11.3). */
  isAudited?: boolean
  /** Kind of the object that the route makes. The audit row names this object as the result shows it. Absent: the route makes none. */
  makes?: AuditMade['kind']
  /**
   * Whether the route changes nothing although it has a body. If a session authorised the request, the audit treats the request as a read
   * and does not record it.
   */
  isDry?: boolean
  /** Whether the route accepts Observations. Audit rows of these requests are kept for a shorter time (v3 11.4). */
  takesObservations?: boolean
  /** Example bodies, one for each useful form of the body. The route accepts every example unchanged. */
  examples?: readonly unknown[]
  handler(context: Context, call: Caller & Checked<Found, Static<Body>>): Promise<unknown>
}

/**
 * A route record without `method` and `path`, which are separate arguments. If `refusals` is absent, the route has only the shared
 * refusals.
 */
export type StatedRoute<Full extends Pick<Route, 'method' | 'path' | 'refusals'>> = Omit<Full, 'method' | 'path' | 'refusals'> &
  Partial<Pick<Full, 'refusals'>>

/** One page of a list. Each dialect puts the cursor into another member of the response. */
export class Paged {
  readonly items: readonly unknown[]
  readonly nextCursor: string | null
  /** Facts about the whole list, which stand beside the cursor. */
  readonly meta: Readonly<Record<string, unknown>>

  constructor(items: readonly unknown[], nextCursor: string | null, meta: Readonly<Record<string, unknown>> = {}) {
    this.items = items
    this.nextCursor = nextCursor
    this.meta = meta
  }
}
