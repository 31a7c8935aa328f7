// Registers a route of generations 1 and 2 from its record. Checks run in this order: key and route, workspace and object, role, JSON,
// fields (reference/envelope 4.1).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteMade } from '../audit/made.ts'
import { fieldReader } from '../body/fields.ts'
import { jsonOnce } from '../body/json-body.ts'
import { queryText } from '../body/query.ts'
import { requireEditor } from '../callers/access.ts'
import type { GatewayContext } from '../context.ts'
import { callOf } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { StreamedList, sendList } from '../http/streamed-list.ts'
import { budgetOf, withinBudget } from '../http/time-budget.ts'
import { proceedWithFound } from '../subjects/found-memory.ts'
import type { ClassicCall } from './classic-route.ts'
import { classicDialect } from './dialect.ts'

type Found = { workspaceId: string } | undefined

export function registerRoute(fastify: FastifyInstance, context: GatewayContext, route: Route, prefix: string): void {
  const respond = responder(context, route)
  const budgetMs = budgetOf(route, classicDialect)
  fastify.route({
    method: route.method,
    url: prefix + route.path,
    config: { isDry: route.isDry ?? false },
    handler: async (request, reply) => {
      const call = { ...callOf(request, reply), json: jsonOnce(request, reply) }
      const result = await withinBudget(context.clock, request.arrivedAt, budgetMs, respond(call))
      noteMade(request, route, result)
      if (!(result instanceof StreamedList)) return classicDialect.success(result)
      const within = <T>(reading: Promise<T>) => withinBudget(context.clock, context.clock.monotonic(), budgetMs, reading)
      return sendList(reply, result, { empty: classicDialect.success([]) as object, within, logger: context.logger })
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

/**
 * Returns the declared parameters, unchanged. If a parameter is repeated, the first value is used. A parameter with an empty value counts
 * as absent.
 */
function sentQuery({ query = {} }: Route, request: FastifyRequest): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const name of Object.keys(query)) {
    const text = queryText(request, name)
    if (text !== null) sent[name] = text
  }
  return sent
}
