// Reading query parameters: given twice, the first counts; empty equals absent.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'

export function queryText(request: FastifyRequest, name: string): string | null {
  const query = request.query as Record<string, string | string[] | undefined>
  const given = Object.hasOwn(query, name) ? query[name] : undefined
  const first = Array.isArray(given) ? given[0] : given
  return first === undefined || first === '' ? null : first
}

/** Throws invalid_state (2004) where it is missing (spec D 1, Validation). */
export function requireWorkspaceId(request: FastifyRequest): string {
  const workspaceId = queryText(request, 'workspace_id')
  if (workspaceId !== null) return workspaceId
  throw new AppError('invalid_state', 'Missing workspace ID', { details: 'workspace_id query parameter is required' })
}
