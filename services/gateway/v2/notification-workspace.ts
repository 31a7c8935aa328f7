// Workspace of a notification route (reference/messages 1.1). The query or the body names the workspace. If neither names a workspace, the
// caller's only workspace is used.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { refusal } from '#shared/errors.ts'
import { queryText } from '../body/query.ts'
import { requireMember } from '../callers/access.ts'
import type { GatewayContext } from '../context.ts'
import { pathPart } from '../http/answer.ts'
import type { QueryParameter } from '../http/route.ts'
import { type ClassicCall, type ClassicRefusal, editor, routesWith } from './classic-route.ts'
import { publicNumber } from './notification-fields.ts'
import { accessDenied } from './refusals.ts'

export const notificationQuery: Record<string, QueryParameter> = {
  workspace_id: { schema: Type.String(), meaning: 'The workspace; may be left out where you have exactly one.' },
}

export const inWorkspace: readonly ClassicRefusal[] = ['2004 Ambiguous workspace', accessDenied]

const inQuery = { query: notificationQuery, refusals: inWorkspace }

/**
 * Functions that create route records, as `route` does. In a route by `routeByQuery`, the query names the workspace; in a route by
 * `routeByBody`, the query or the body names it. All these routes require an editor, because the URLs of destinations are secrets.
 */
export const routeByQuery = routesWith(editor, { ...inQuery, find: (_context, call) => workspaceOfQuery(call) })
export const routeByBody = routesWith(editor, { ...inQuery, find: (_context, call) => workspaceOfBody(call) })

type Ask<Found> = (
  context: GatewayContext,
  wanted: { workspaceId: string; number: number },
  traceId: string,
) => Promise<Found | null>

/**
 * Returns two functions that create route records, as `routeByQuery` and `routeByBody` do. The path of these routes contains the number of
 * an object. `ask` returns the object from the directory; null: the workspace has no object with this number.
 */
export function routesOfOne<Found extends { workspaceId: string }>(noun: 'Destination' | 'Transformation', ask: Ask<Found>) {
  const findIn = (workspaceOf: typeof workspaceOfQuery) => async (context: GatewayContext, call: ClassicCall) => {
    const { workspaceId } = await workspaceOf(call)
    const number = publicNumber(pathPart(call, 'id'))
    const found = number === null ? null : await ask(context, { workspaceId, number }, call.traceId)
    if (found !== null) return found
    throw refusal('not_found', `${noun} not found`, `The workspace has no such ${noun.toLowerCase()}`)
  }
  return {
    routeOfOneByQuery: routesWith(editor, { ...inQuery, find: findIn(workspaceOfQuery) }),
    routeOfOneByBody: routesWith(editor, { ...inQuery, find: findIn(workspaceOfBody) }),
  }
}

/**
 * Returns the workspace of a request. If the request names no workspace, returns the caller's only workspace, or throws invalid_state
 * (2004) if the caller has none or several. Does not check the caller's rights.
 */
function notificationWorkspace(request: FastifyRequest, inBody?: unknown): string {
  const named = queryText(request, 'workspace_id')
  if (named !== null) return named
  if (typeof inBody === 'string' && inBody !== '') return inBody
  const [only, another] = request.identity.memberships
  if (only && !another) return only.workspaceId
  const details = 'workspace_id is needed: the key reaches more than one workspace, or none'
  throw refusal('invalid_state', 'Ambiguous workspace', details)
}

/** Returns the workspace of a route without a body. Throws access_denied unless the caller is a member. */
export async function workspaceOfQuery({ request }: ClassicCall): Promise<{ workspaceId: string }> {
  const workspaceId = notificationWorkspace(request)
  requireMember(request.identity, workspaceId)
  return { workspaceId }
}

/**
 * Returns the workspace that the query names, or else the workspace that the body names. Other faults of the body are reported after the
 * checks of workspace and role.
 */
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
