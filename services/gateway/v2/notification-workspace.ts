// Which workspace a notification route means (spec D 2): the one it names in its query or body, or the caller's only
// one.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { queryText } from '../query.ts'

/** Throws invalid_state (2004) where none is named and the caller has not exactly one. Whether the caller may is not looked at. */
export function notificationWorkspace(request: FastifyRequest, inBody?: unknown): string {
  const named = queryText(request, 'workspace_id')
  if (named !== null) return named
  if (typeof inBody === 'string' && inBody !== '') return inBody
  const [only, another] = request.identity.memberships
  if (only && !another) return only.workspaceId
  const details = 'workspace_id is needed: the key reaches more than one workspace, or none'
  throw new AppError('invalid_state', 'Ambiguous workspace', { details })
}
