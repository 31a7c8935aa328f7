// Which workspace a notification route means (spec D 2): the one it names in its query or body, or the caller's only one.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { requireMember } from '../access.ts'
import { queryText } from '../query.ts'
import type { QueryParameter } from '../route.ts'
import type { ClassicCall, ClassicRefusal } from './classic-route.ts'
import { accessDenied } from './refusals.ts'

/** Of a route that says in its query which workspace it means. */
export const notificationQuery: Record<string, QueryParameter> = {
  workspace_id: { schema: Type.String(), meaning: 'The workspace; may be left out where you have exactly one.' },
}

export const inWorkspace: readonly ClassicRefusal[] = ['2004 Ambiguous workspace', accessDenied]

/** Throws invalid_state (2004) where none is named and the caller has not exactly one. Whether the caller may is not looked at. */
function notificationWorkspace(request: FastifyRequest, inBody?: unknown): string {
  const named = queryText(request, 'workspace_id')
  if (named !== null) return named
  if (typeof inBody === 'string' && inBody !== '') return inBody
  const [only, another] = request.identity.memberships
  if (only && !another) return only.workspaceId
  const details = 'workspace_id is needed: the key reaches more than one workspace, or none'
  throw new AppError('invalid_state', 'Ambiguous workspace', { details })
}

/** The workspace of a route without a body; throws access_denied for whoever is no member. */
export async function workspaceOfQuery({ request }: ClassicCall): Promise<{ workspaceId: string }> {
  const workspaceId = notificationWorkspace(request)
  requireMember(request.identity, workspaceId)
  return { workspaceId }
}

/** The same where a body may name it, if the query does not. What is wrong with the body still comes after workspace and role. */
export async function workspaceOfBody(call: ClassicCall): Promise<{ workspaceId: string }> {
  const { request } = call
  if (queryText(request, 'workspace_id') !== null) return workspaceOfQuery(call)
  const sent = await call.json().then(
    ({ body }) => body,
    () => ({}) as Record<string, unknown>,
  )
  const inBody = Object.hasOwn(sent, 'workspace_id') ? sent['workspace_id'] : undefined
  const workspaceId = notificationWorkspace(request, inBody)
  requireMember(request.identity, workspaceId)
  return { workspaceId }
}
