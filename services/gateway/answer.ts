// How a route of generations 1 and 2 answers: its handler returns the result or throws; envelope and time limit are put around it here.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '#shared/clock.ts'
import { newTraceId } from '#shared/ids.ts'
import { withinBudget } from './time-budget.ts'
import { classicDialect } from './v2/dialect.ts'

/** Made once per HTTP request; travels with everything that the request asks and orders. */
export interface Call {
  request: FastifyRequest
  reply: FastifyReply
  traceId: string
}

export const callOf = (request: FastifyRequest, reply: FastifyReply): Call => ({ request, reply, traceId: newTraceId() })

export const answering =
  (clock: Clock, handler: (call: Call) => Promise<unknown>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    classicDialect.success(await withinBudget(clock, request.arrivedAt, classicDialect.budgetMs, handler(callOf(request, reply))))

/** A part of the path by its name in the route, percent-decoded: an encoded slash is data. */
export const pathPart = (
  { request }: Call,
  name: 'id' | 'incident' | 'resource' | 'subject' | 'signal' | 'rule' | 'workspace',
): string => (request.params as Record<string, string>)[name] ?? ''
