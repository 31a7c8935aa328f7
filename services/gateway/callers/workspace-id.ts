// Workspace of a request. The query of a read names the workspace; the body of a creation names it.
import type { FastifyRequest } from 'fastify'
import { refusal } from '#shared/errors.ts'
import { missingField } from '../body/field-values.ts'
import { invalidJson } from '../body/json-body.ts'
import { queryText } from '../body/query.ts'

/** Throws invalid_state (2004) if the query names no workspace (reference/envelope 3.3). */
export function requireWorkspaceId(request: FastifyRequest): string {
  const workspaceId = queryText(request, 'workspace_id')
  if (workspaceId !== null) return workspaceId
  throw refusal('invalid_state', 'Missing workspace ID', 'workspace_id query parameter is required')
}

/** Returns the workspace that a body names. Routes check the workspace first, then the role, then the other fields. */
export function requireBodyWorkspaceId(body: Record<string, unknown>): string {
  const sent = Object.hasOwn(body, 'workspace_id') ? body['workspace_id'] : null
  if (sent === null || sent === '') throw missingField('workspace_id')
  if (typeof sent === 'string') return sent
  throw invalidJson("Field 'workspace_id' has the wrong type")
}
