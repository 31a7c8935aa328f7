// Registers a route of generation 3 from its record, with every check in its order. Rule: docs/reference/v3.md, 1.3.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callOf, pathPart } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import type { Route } from '../route.ts'
import { budgetOf, withinBudget } from '../time-budget.ts'
import { v3Dialect } from './dialect.ts'
import { readBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { requireMember, requireRights } from './rights.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Served without a key. */
    isOpen?: boolean
  }
}

export function registerRoute(fastify: FastifyInstance, context: GatewayContext, route: Route): void {
  const { method, path: url, status = 200, isAudited = false, takesObservations = false } = route
  const isOpen = route.needs.role === 'nobody'
  fastify.route({
    method,
    url,
    config: { isOpen, isAudited, takesObservations },
    handler: async (request, reply) => {
      const work = respond(context, route, request, reply)
      const result = await withinBudget(context.clock, request.arrivedAt, budgetOf(route, v3Dialect), work)
      void reply.code(status)
      return v3Dialect.success(result)
    },
  })
}

async function respond(context: GatewayContext, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const call = callOf(request, reply)
  const workspaceId = pathPart(call, 'workspace')
  const isOpen = route.needs.role === 'nobody'
  if (workspaceId !== '') requireMember(request.identity, workspaceId)
  const found = await route.find?.(context, { ...call, workspaceId })
  if (!isOpen) requireRights(request.identity, route.needs, workspaceId)
  const body = await readBody(route, call)
  const query = readQuery(route, call)
  return route.handler(context, { ...call, workspaceId, found, body, query })
}
