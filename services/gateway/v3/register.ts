// Registers a route of generation 3 from its record. All checks run in the order that the rule prescribes. Reference: docs/reference/v3.md,
// 1.3.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '#shared/async/once.ts'
import { noteMade } from '../audit/made.ts'
import type { GatewayContext } from '../context.ts'
import { callOf, pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { budgetOf, withinBudget } from '../http/time-budget.ts'
import { proceedWithFound } from '../subjects/found-memory.ts'
import { v3Dialect } from './dialect.ts'
import { readBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { requireMember, requireRights } from './rights.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is available without a key. */
    isOpen?: boolean
  }
}

export function registerRoute(fastify: FastifyInstance, context: GatewayContext, route: Route): void {
  const { method, path: url, status = 200, isAudited = false, isDry = false, takesObservations = false } = route
  const isOpen = route.needs.role === 'nobody'
  const respond = responder(context, route)
  const budgetMs = budgetOf(route, v3Dialect)
  fastify.route({
    method,
    url,
    config: { isOpen, isAudited, isDry, takesObservations },
    handler: async (request, reply) => {
      const result = await withinBudget(context.clock, request.arrivedAt, budgetMs, respond(request, reply))
      noteMade(request, route, result)
      // A stream writes its response itself.
      if (reply.sent) return reply
      void reply.code(status)
      return v3Dialect.success(result)
    },
  })
}

function responder(context: GatewayContext, route: Route): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const isOpen = route.needs.role === 'nobody'
  const memory = route.memory?.()
  return async (request, reply) => {
    const call = callOf(request, reply)
    const workspaceId = pathPart(call, 'workspace')
    if (workspaceId !== '') requireMember(request.identity, workspaceId)
    const placed = { ...call, workspaceId }
    const body = once(() => readBody(route, call))
    return proceedWithFound(
      memory,
      placed,
      async () => route.find?.(context, placed),
      async found => {
        if (!isOpen) requireRights(request.identity, route.needs, { workspaceId, userId: pathPart(call, 'user') })
        const sent = await body()
        const query = readQuery(route, call)
        return route.handler(context, { ...placed, found, body: sent, query })
      },
    )
  }
}
