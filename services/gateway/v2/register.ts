// Registers a route of generations 1 and 2 from its record, with its checks in their order: key and route before it, then workspace and
// object, role, JSON, fields (spec D, general rules).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireEditor } from '../access.ts'
import { callOf } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { fieldReader } from '../fields.ts'
import { proceedWithFound } from '../found-memory.ts'
import { jsonOnce } from '../json-body.ts'
import { queryText } from '../query.ts'
import type { Route } from '../route.ts'
import { budgetOf, withinBudget } from '../time-budget.ts'
import type { ClassicCall } from './classic-route.ts'
import { classicDialect } from './dialect.ts'

type Found = { workspaceId: string } | undefined

export function registerRoute(fastify: FastifyInstance, context: GatewayContext, route: Route, prefix: string): void {
  const respond = responder(context, route)
  const budgetMs = budgetOf(route, classicDialect)
  fastify.route({
    method: route.method,
    url: prefix + route.path,
    handler: async (request, reply) => {
      const call = { ...callOf(request, reply), json: jsonOnce(request, reply) }
      return classicDialect.success(await withinBudget(context.clock, request.arrivedAt, budgetMs, respond(call)))
    },
  })
}

function responder(context: GatewayContext, route: Route): (call: ClassicCall) => Promise<unknown> {
  const { find, needs, handler } = route
  const readFields = route.body === undefined ? null : fieldReader(route.body)
  const memory = route.memory?.()
  const proceed = async (call: ClassicCall, found: Found) => {
    if (needs.role === 'editor') requireEditor(call.request.identity, found?.workspaceId ?? '')
    const body = readFields === null ? {} : readFields((await call.json()).body)
    return handler(context, { ...call, found, body, query: sentQuery(route, call.request) })
  }
  return call =>
    proceedWithFound(
      memory,
      call,
      async () => find?.(context, call),
      found => proceed(call, found),
    )
}

/** Declared parameters alone, as they were sent: given twice, the first counts; empty equals absent. */
function sentQuery({ query = {} }: Route, request: FastifyRequest): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const name of Object.keys(query)) {
    const text = queryText(request, name)
    if (text !== null) sent[name] = text
  }
  return sent
}
