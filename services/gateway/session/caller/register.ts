// Registers a route of the session API from its record. Checks run in this order: caller, object, rights, ids, body.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { noteMade } from '../../audit/made.ts'
import { jsonOnce } from '../../body/json-body.ts'
import { roleIn } from '../../callers/access.ts'
import { type Call, callOf, pathId } from '../../http/answer.ts'
import type { Needs, Route } from '../../http/route.ts'
import { budgetOf, withinBudget } from '../../http/time-budget.ts'
import { sessionDialect } from './dialect.ts'
import { requireAdmin, requireRole, workspaceOf } from './rights.ts'
import { findCaller, type SessionContext, type VisitorCall } from './session-call.ts'
import { bodyReader, tellTooLarge } from './session-fields.ts'

export function registerRoute(fastify: FastifyInstance, context: SessionContext, route: Route): void {
  const { method, path: url, status = 200, isDry = false } = route
  const budgetMs = budgetOf(route, sessionDialect)
  const respond = responder(context, route)
  fastify.route({
    method,
    url,
    config: { isDry },
    handler: async (request, reply) => {
      const work = respond(callOf(request, reply))
      const result = await withinBudget(context.clock, request.arrivedAt, budgetMs, work)
      noteMade(request, route, result)
      return answer(reply, status, result)
    },
  })
}

function responder(context: SessionContext, route: Route): (call: Call) => Promise<unknown> {
  const { needs, find, body: schema, reader, handler } = route
  const read = schema === undefined || reader === null ? null : (reader ?? bodyReader(schema))
  const idNames = find === undefined ? idNamesOf(route) : []
  return async call => {
    const json = () => sent().catch(tellTooLarge)
    const sent = jsonOnce(call.request, call.reply)
    const caller = needs.role === 'nobody' ? null : await findCaller(context, call)
    const checked = { ...(caller ?? call), json }
    const found = await find?.(context, checked)
    if (caller !== null) requireRights(needs, caller, found)
    for (const name of idNames) pathId(call, name)
    const body = read === null ? {} : read((await json()).body)
    return handler(context, { ...checked, found, body, query: {} })
  }
}

/**
 * Returns the names of the path parameters whose ids must be checked here. A route with `find` checks its ids itself. The id of the
 * workspace is omitted, because the check of the role includes it.
 */
const idNamesOf = ({ path }: Route): string[] =>
  [...path.matchAll(/:(\w+Id)/g)].map(([, name = '']) => name).filter(name => name !== 'workspaceId')

/** Checks the caller's role in the workspace of the found object. Without a found object, the path names the workspace. */
function requireRights({ role }: Needs, caller: VisitorCall, found: { workspaceId?: string } | undefined): void {
  if (role === 'admin') requireAdmin(caller)
  if (role === 'nobody' || role === 'anybody' || role === 'admin') return
  const foundIn = found?.workspaceId
  if (foundIn === undefined) workspaceOf(caller, role)
  else requireRole(roleIn(caller.visitor, foundIn) ?? 'viewer', role)
}

function answer(reply: FastifyReply, status: number, result: unknown): unknown {
  if (reply.sent) return reply
  if (status === 204) return reply.code(status).send()
  if (status === 303) return reply.redirect(String(result), status)
  void reply.code(status)
  return result
}
