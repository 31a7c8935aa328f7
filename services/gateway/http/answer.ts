// One call of a route: request, response and trace.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { newTraceId } from '#shared/text/ids.ts'
import { isId } from '#shared/text/is-id.ts'

/** Trace id, created once for each HTTP request. Every question and command that the request causes carries this id. */
export interface Call {
  request: FastifyRequest
  reply: FastifyReply
  traceId: string
}

export const callOf = (request: FastifyRequest, reply: FastifyReply): Call => ({ request, reply, traceId: newTraceId() })

/** Returns a path parameter by its name in the route, percent-decoded. An encoded slash is part of the value. */
export const pathPart = ({ request }: Call, name: string): string => (request.params as Record<string, string>)[name] ?? ''

/** Returns the id in a path parameter. Throws not_found for a text that cannot be an id. */
export function pathId(call: Call, name: string): string {
  const id = pathPart(call, name)
  if (isId(id)) return id
  throw new AppError('not_found', 'Not found', { details: 'The path names nothing that exists.' })
}
