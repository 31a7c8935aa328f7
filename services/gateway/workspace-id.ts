// The workspace that a request names: in its query where it reads, in its body where it makes something.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { missingField } from './field-values.ts'
import { invalidJson } from './json-body.ts'
import { queryText } from './query.ts'

/** Throws invalid_state (2004) where it is missing (spec D 1, Validation). */
export function requireWorkspaceId(request: FastifyRequest): string {
  const workspaceId = queryText(request, 'workspace_id')
  if (workspaceId !== null) return workspaceId
  throw new AppError('invalid_state', 'Missing workspace ID', { details: 'workspace_id query parameter is required' })
}

/** The workspace comes before the role, and the role before the rest of the body. */
export function requireBodyWorkspaceId(body: Record<string, unknown>): string {
  const sent = Object.hasOwn(body, 'workspace_id') ? body['workspace_id'] : null
  if (sent === null || sent === '') throw missingField('workspace_id')
  if (typeof sent === 'string') return sent
  throw invalidJson("Field 'workspace_id' has the wrong type")
}
