// A call of a route: the request with its response and its trace.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newTraceId } from '#shared/ids.ts'

/** Made once per HTTP request; travels with everything that the request asks and orders. */
export interface Call {
  request: FastifyRequest
  reply: FastifyReply
  traceId: string
}

export const callOf = (request: FastifyRequest, reply: FastifyReply): Call => ({ request, reply, traceId: newTraceId() })

/** A part of the path by its name in the route, percent-decoded: an encoded slash is data. */
export const pathPart = ({ request }: Call, name: string): string => (request.params as Record<string, string>)[name] ?? ''
