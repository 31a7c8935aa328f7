// Which workspace a notification route means (spec D 2): the one it names in its query or body, or the caller's only one.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { Call } from '../answer.ts'
import { readObject } from '../json-body.ts'
import { queryText } from '../query.ts'

export interface WorkspaceOfBody {
  workspaceId: string
  /** The body, when its turn comes; rejects with what is wrong with it. */
  body(): Promise<Record<string, unknown>>
}

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

/** A body may name the workspace where the query does not; what is wrong with the body still comes after workspace and role. */
export async function workspaceOfBody({ request, reply }: Call): Promise<WorkspaceOfBody> {
  if (queryText(request, 'workspace_id') !== null) {
    return { workspaceId: notificationWorkspace(request), body: () => readObject(request, reply) }
  }
  const read = readObject(request, reply)
  const sent: Record<string, unknown> = await read.catch(() => ({}))
  const inBody = Object.hasOwn(sent, 'workspace_id') ? sent['workspace_id'] : undefined
  return { workspaceId: notificationWorkspace(request, inBody), body: () => read }
}
