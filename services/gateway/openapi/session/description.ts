// Description of a route of the session API, as its document shows it. Bodies are the schemas that the routes read by. Tests hold
// results to real answers.
import type { TSchema } from 'typebox'
import type { QueryParameter } from '../../route.ts'
import type { SessionErrorWord } from '../../session/session-error.ts'

export interface SessionRoute {
  /** One line: what a call does. */
  summary: string
  more?: string
  /** Who may: everybody, whoever is signed in, or those of a role. */
  who: 'open' | 'signed in' | 'member' | 'editor' | 'owner' | 'admin'
  query?: Record<string, QueryParameter>
  /** Absent: the route takes no body. */
  body?: TSchema
  /** A body that works as it stands, on an installation to which the examples above were sent. */
  example?: unknown
  status: 200 | 201 | 204 | 303
  /** Absent: an answer without a body. */
  result?: TSchema
  /** Those of this route alone; those that its method, its body and `who` bring are added. */
  refusals?: readonly SessionErrorWord[]
}

/** By method and path, parameters in braces: `GET /session/workspaces`. */
export type SessionDescriptions = Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /session${string}`, SessionRoute>
